"""What the Python programs have in common: the arguments and the line of JSON that clients/README.md asks for."""
import json
import logging
import os
import sys
import threading
import time


class Run:
    """The arguments, and what came of the messages. Any thread may report."""

    def __init__(self, client, version):
        self.client = client
        self.version = version
        self.bootstrap, self.topic = sys.argv[1:3]
        self.producers, self.messages, self.at_once = (int(argument) for argument in sys.argv[3:6])
        self.mode = sys.argv[6]
        if os.environ.get("CLIENTS_DEBUG"):
            logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(threadName)s %(name)s %(message)s")
        self.start = time.monotonic()
        self.lock = threading.Lock()
        self.good = 0
        self.failed = {}

    def acknowledged(self, messages=1):
        with self.lock:
            self.good += messages

    def failure(self, message, error):
        with self.lock:
            self.failed[message] = error

    def values(self, producer):
        return [f"{producer}:{i}" for i in range(self.messages)]

    def transactions(self, producer):
        """The values of four transactions, each with whether it is to be committed."""
        half = self.messages // 2
        for part in (range(half), range(half, self.messages)):
            yield [f"{producer}:{self.messages + i}" for i in part], False
            yield [f"{producer}:{i}" for i in part], True

    def in_threads(self, one):
        """Calls one(producer) for each, at_once at a time. What escapes from it is that producer's failure."""
        numbers = iter(range(self.producers))

        def work():
            while True:
                with self.lock:
                    number = next(numbers, None)
                if number is None:
                    return
                try:
                    one(number)
                except Exception as error:
                    self.failure(f"{number}:run", f"{type(error).__name__}: {error}"[:200])

        threads = [threading.Thread(target=work) for _ in range(self.at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def report(self, retried=None):
        json.dump({
            "client": self.client,
            "version": self.version,
            "acknowledged": self.good,
            "failed": self.failed,
            "retried": retried,
            "seconds": round(time.monotonic() - self.start, 1),
        }, sys.stdout)
        print()
