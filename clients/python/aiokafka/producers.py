"""Many producers of aiokafka, as clients/README.md asks of each program."""
import asyncio

import aiokafka

from contract import Run

run = Run("aiokafka", aiokafka.__version__)
SETTINGS = {
    "defaults": {"enable_idempotence": True},
    "advised": {"enable_idempotence": True},
    "transactions": {},
    "acks0": {"acks": 0},
    "acks1": {"acks": 1},
}


async def send(producer, values, counts=True):
    futures = [await producer.send(run.topic, value.encode(), partition=0) for value in values]
    for value, result in zip(values, await asyncio.gather(*futures, return_exceptions=True)):
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
