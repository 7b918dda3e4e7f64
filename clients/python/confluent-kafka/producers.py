"""Many producers of librdkafka through confluent-kafka, as clients/README.md asks of each program."""
import importlib.metadata

import confluent_kafka

from contract import Run

run = Run("confluent-kafka", f"{importlib.metadata.version('confluent-kafka')} (librdkafka {confluent_kafka.libversion()[0]})")
SETTINGS = {
    "defaults": {"enable.idempotence": True},
    "advised": {"enable.idempotence": True},
    "transactions": {},
    "abandoned": {},
    "acks0": {"acks": 0},
    "acks1": {"acks": 1},
}


def one(number):
    def report(error, message):
        if error is not None:
            run.failure(message.value().decode(), error.name())
        elif not uncounted:
            run.acknowledged()

    def failed(error):
        if error.fatal():
            run.failure(f"{number}:fatal", error.name())

    settings = {
        "bootstrap.servers": run.bootstrap,
        # Each message a batch of its own and several under way at once, as with a busy producer.
        "linger.ms": 0,
        "batch.num.messages": 1,
        "error_cb": failed,
        **SETTINGS[run.mode],
    }
    uncounted = False
    if run.mode == "transactions":
        producer = confluent_kafka.Producer({**settings, "transactional.id": f"{run.topic}-{number}"})
        producer.init_transactions(120)
        for values, commits in run.transactions(number):
            uncounted = not commits
            producer.begin_transaction()
            for value in values:
                producer.produce(run.topic, value=value, partition=0, on_delivery=report)
            producer.flush(180)
            if commits:
                producer.commit_transaction(120)
            else:
                producer.abort_transaction(120)
    elif run.mode == "abandoned":
        producer = confluent_kafka.Producer({**settings, "transactional.id": f"{run.topic}-{number}"})
        producer.init_transactions(120)
        uncounted = True
        producer.begin_transaction()
        producer.produce(run.topic, value=run.values(number)[0], partition=0)
        producer.flush(0.5)
        producer.abort_transaction(120)
        run.acknowledged()
    else:
        producer = confluent_kafka.Producer(settings)
        for value in run.values(number):
            producer.produce(run.topic, value=value, partition=0, on_delivery=report)
            producer.poll(0)
        producer.flush(400)
    left = len(producer)
    if left:
        run.failure(f"{number}:left", f"{left} messages neither delivered nor failed")


run.in_threads(one)
run.report()
