"""Many producers of aiokafka, as clients/README.md asks of each program."""
import asyncio

import aiokafka
import aiokafka.errors

from contract import Run

run = Run("aiokafka", aiokafka.__version__)
SETTINGS = {
    "defaults": {"enable_idempotence": True},
    # So long does send() wait for room in the buffer, which a batch of one message fills.
    "advised": {"enable_idempotence": True, "request_timeout_ms": 300_000},
    "transactions": {"request_timeout_ms": 300_000},
    "acks0": {"acks": 0},
    "acks1": {"acks": 1},
}


async def send(producer, values, counts=True):
    futures = {}
    for value in values:
        try:
            futures[value] = await producer.send(run.topic, value.encode(), partition=0)
        except aiokafka.errors.KafkaTimeoutError as error:
            run.failure(value, f"not taken: {type(error).__name__}")
    for value, result in zip(futures, await asyncio.gather(*futures.values(), return_exceptions=True)):
        if isinstance(result, BaseException):
            run.failure(value, type(result).__name__)
        elif counts:
            run.acknowledged()


async def one(number):
    settings = {"bootstrap_servers": run.bootstrap, "max_batch_size": 1, **SETTINGS[run.mode]}
    if run.mode == "transactions":
        settings["transactional_id"] = f"{run.topic}-{number}"
    producer = aiokafka.AIOKafkaProducer(**settings)
    await producer.start()
    try:
        if run.mode == "transactions":
            for values, commits in run.transactions(number):
                await producer.begin_transaction()
                await send(producer, values, commits)
                if commits:
                    await producer.commit_transaction()
                else:
                    await producer.abort_transaction()
        else:
            await send(producer, run.values(number))
    finally:
        await producer.stop()


async def main():
    numbers = iter(range(run.producers))

    async def work():
        for number in numbers:
            try:
                await one(number)
            except Exception as error:
                run.failure(f"{number}:run", f"{type(error).__name__}: {error}"[:200])

    await asyncio.gather(*(work() for _ in range(run.at_once)))


asyncio.run(main())
run.report()
