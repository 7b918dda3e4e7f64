"""Many producers of kafka-python, as clients/README.md asks of each program."""
import kafka
import kafka.errors

from contract import Run

run = Run("kafka-python", kafka.__version__)
SETTINGS = {
    "defaults": {"enable_idempotence": True},
    "advised": {"enable_idempotence": True},
    "transactions": {},
    "acks0": {"enable_idempotence": False, "acks": 0},
    "acks1": {"enable_idempotence": False, "acks": 1},
}


def send(producer, values, counts=True):
    """Each message a batch of its own and several under way at once, as with a busy producer."""
    futures = [(value, producer.send(run.topic, value=value.encode(), partition=0)) for value in values]
    try:
        producer.flush(timeout=300)
    except kafka.errors.KafkaTimeoutError:
        pass  # The futures tell.
    for value, future in futures:
        if not future.is_done:
            run.failure(value, "neither delivered nor failed")
        elif future.succeeded():
            if counts:
                run.acknowledged()
        else:
            run.failure(value, type(future.exception).__name__)


def one(number):
    settings = {"bootstrap_servers": run.bootstrap, "linger_ms": 0, "batch_size": 0, **SETTINGS[run.mode]}
    if run.mode == "transactions":
        settings["transactional_id"] = f"{run.topic}-{number}"
    producer = kafka.KafkaProducer(**settings)
    try:
        if run.mode == "transactions":
            producer.init_transactions()
            for values, commits in run.transactions(number):
                producer.begin_transaction()
                send(producer, values, commits)
                if commits:
                    producer.commit_transaction()
                else:
                    producer.abort_transaction()
        else:
            send(producer, run.values(number))
    finally:
        producer.close(timeout=30)


run.in_threads(one)
run.report()
