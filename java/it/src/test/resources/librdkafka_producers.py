"""Many librdkafka producers, each with a producer ID of its own; what they saw goes to standard output as JSON.

Producer n sends "n:0", "n:1" and so on to partition 0, each message as a batch of its own and several under way
at once, as a busy producer does.
"""
import json
import sys
import time

from confluent_kafka import Producer

bootstrap, topic, producers, messages = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
delivered = 0
errors = []


def report(error, message):
    global delivered
    if error is None:
        delivered += 1
    else:
        errors.append(f"{message.value().decode()}: {error}")


def failed(error):
    if error.fatal():
        errors.append(f"fatal: {error}")


live = [
    Producer({
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,
        "linger.ms": 0,
        "batch.num.messages": 1,
        "error_cb": failed,
    })
    for _ in range(producers)
]
for i in range(messages):
    for n, producer in enumerate(live):
        producer.produce(topic, value=f"{n}:{i}", partition=0, on_delivery=report)
        producer.poll(0)
deadline = time.monotonic() + 120
while time.monotonic() < deadline and sum(len(producer) for producer in live) > 0:
    for producer in live:
        producer.poll(0.01)
undelivered = sum(len(producer) for producer in live)
if undelivered:
    errors.append(f"{undelivered} messages undelivered")
json.dump({"delivered": delivered, "errors": errors[:20]}, sys.stdout)
