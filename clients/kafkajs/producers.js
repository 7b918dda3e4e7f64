// Many producers of kafkajs, as clients/README.md asks of each program.
'use strict';

const { Kafka, logLevel } = require('kafkajs');
const { version } = require('kafkajs/package.json');

const [bootstrap, topic] = process.argv.slice(2, 4);
const [producers, messages, atOnce] = process.argv.slice(4, 7).map(Number);
const mode = process.argv[7];
const acks = mode === 'acks0' ? 0 : mode === 'acks1' ? 1 : -1;
const start = Date.now();
const failed = {};
let acknowledged = 0;
let requests = 0;
let batches = 0;

// One at a time: kafkajs keeps the order of no two sends that are under way at once.
async function send(sender, values, counts) {
  for (const value of values) {
    try {
      batches++;
      await sender.send({ topic, acks, messages: [{ value, partition: 0 }] });
      acknowledged += counts ? 1 : 0;
    } catch (error) {
      failed[value] = error.type || error.name;
    }
  }
}

function values(number, from, to) {
  return Array.from({ length: to - from }, (_, i) => `${number}:${from + i}`);
}

async function transact(producer, number) {
  const half = Math.floor(messages / 2);
  for (const [from, to] of [[0, half], [half, messages]]) {
    const aborted = await producer.transaction();
    await send(aborted, values(number, messages + from, messages + to), false);
    await aborted.abort();
    const committed = await producer.transaction();
    await send(committed, values(number, from, to), true);
    await committed.commit();
  }
}

async function one(number) {
  const kafka = new Kafka({
    clientId: `producer-${number}`,
    brokers: [bootstrap],
    logLevel: process.env.CLIENTS_DEBUG ? logLevel.DEBUG : logLevel.NOTHING,
  });
  const producer = kafka.producer({
    // With fewer acks it has to be off.
    idempotent: acks === -1,
    maxInFlightRequests: 1,
    ...(mode === 'transactions' ? { transactionalId: `${topic}-${number}` } : {}),
    // The default is five tries, for an idempotent producer, too, and up to 30 s between two, on top of the throttle.
    ...(mode === 'defaults' ? {} : { retry: { retries: Number.MAX_SAFE_INTEGER, maxRetryTime: 5000 } }),
  });
  producer.on(producer.events.REQUEST, ({ payload }) => {
    requests += payload.apiName === 'Produce' ? 1 : 0;
  });
  await producer.connect();
  try {
    if (mode === 'transactions') {
      await transact(producer, number);
    } else {
      await send(producer, values(number, 0, messages), true);
    }
  } finally {
    await producer.disconnect();
  }
}

async function main() {
  let next = 0;
  async function work() {
    while (next < producers) {
      const number = next++;
      try {
        await one(number);
      } catch (error) {
        failed[`${number}:run`] = `${error.name}: ${error.message}`.slice(0, 200);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (Date.now() - start) / 1000;
  console.log(JSON.stringify({ client: 'kafkajs', version, acknowledged, failed, retried: requests - batches, seconds }));
}

main();
