package io.tollgate.it;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * As many producer IDs as a machine can put into Produce requests: many connections, several requests under way on each,
 * every request a whole and valid one with producer IDs never seen before. For plaintext brokers.
 *
 * <p>A request is built once by Kafka's classes; for each further one the producer ID is changed in place, and the
 * batch's checksum after it.
 *
 * <p>Bounded: it ends after the number of producer IDs that it was told.
 */
public final class PidFlood implements AutoCloseable {
    private static final short VERSION = 9;
    private static final int CONNECTIONS = 32;
    /** Requests on their way on each connection. */
    private static final int PIPELINED = 8;
    private static final int ANSWER_TIMEOUT_MS = 60_000;
    /** Where they lie in a batch of message format v2. */
    private static final int CRC_AT = 17;
    private static final int CHECKED_AT = 21;
    private static final int PRODUCER_ID_AT = 43;

    /**
     * @param sent producer IDs, each in a batch of its own
     * @param accepted batches that the broker took
     * @param refused batches that it answered with an error
     */
    public record Totals(long sent, long accepted, long refused) {}

    private final BrokerProcess broker;
    private final byte[] frame;
    private final int[] batches;
    private final int batchLength;
    private final long end;
    private final AtomicLong next;
    private final long first;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final List<Thread> threads = new ArrayList<>();
    private volatile Exception failure;
    private volatile boolean ending;

    /**
     * @param perRequest producer IDs in one request, each for a partition of its own; 1 is what a client can do by mistake
     * @param firstPid the first producer ID; the others count up from it
     * @param most producer IDs
     */
    public PidFlood(BrokerProcess broker, String topic, int perRequest, long firstPid, long most) {
        this.broker = broker;
        this.first = firstPid;
        this.next = new AtomicLong(firstPid);
        this.end = firstPid + most;
        TopicProduceData data = new TopicProduceData().setName(topic);
        MemoryRecords records = MemoryRecords.withIdempotentRecords(Compression.NONE, Long.MAX_VALUE, (short) 0, 0,
                new SimpleRecord(System.currentTimeMillis(), null, new byte[8]));
        byte[] batch = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(batch);
        for (int partition = 0; partition < perRequest; partition++) {
            data.partitionData().add(new PartitionProduceData().setIndex(partition)
                    .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(batch))));
        }
        ProduceRequestData request = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(30_000);
        request.topicData().add(data);
        RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, VERSION, "flood", 0);
        ByteBuffer body = RequestUtils.serialize(header.data(), header.headerVersion(), request, VERSION);
        frame = new byte[4 + body.remaining()];
        ByteBuffer.wrap(frame).putInt(body.remaining()).put(body);
        batchLength = batch.length;
        batches = find(batch, perRequest);
        for (int i = 0; i < CONNECTIONS; i++) {
            Thread thread = new Thread(this::run, "flood-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private int[] find(byte[] batch, int count) {
        int[] found = new int[count];
        int from = 0;
        for (int i = 0; i < count; i++) {
            while (!Arrays.equals(frame, from, from + batch.length, batch, 0, batch.length)) {
                from++;
            }
            found[i] = from;
            from += batch.length;
        }
        return found;
    }

    private void run() {
        byte[] requests = new byte[PIPELINED * frame.length];
        for (int i = 0; i < PIPELINED; i++) {
            System.arraycopy(frame, 0, requests, i * frame.length, frame.length);
        }
        try (Socket socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_TIMEOUT_MS);
            socket.connect(new InetSocketAddress("127.0.0.1", broker.port()), ANSWER_TIMEOUT_MS);
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            while (!ending) {
                int count = 0;
                while (count < PIPELINED && fill(ByteBuffer.wrap(requests, count * frame.length, frame.length).slice())) {
                    count++;
                }
                if (count == 0) {
                    return;
                }
                socket.getOutputStream().write(requests, 0, count * frame.length);
                for (int i = 0; i < count; i++) {
                    read(in);
                }
            }
        } catch (IOException e) {
            failure = e;
            ending = true;
        }
    }

    /** @return false: all have been sent */
    private boolean fill(ByteBuffer request) {
        long pid = next.getAndAdd(batches.length);
        if (pid >= end) {
            next.addAndGet(-batches.length);
            return false;
        }
        CRC32C crc = new CRC32C();
        for (int batch : batches) {
            request.putLong(batch + PRODUCER_ID_AT, pid++);
            crc.reset();
            crc.update(request.slice(batch + CHECKED_AT, batchLength - CHECKED_AT));
            request.putInt(batch + CRC_AT, (int) crc.getValue());
        }
        return true;
    }

    private void read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        if (in.readNBytes(bytes, 0, bytes.length) < bytes.length) {
            throw new EOFException("the broker closed the connection within a response");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        ResponseHeader.parse(buffer, ApiKeys.PRODUCE.responseHeaderVersion(VERSION));
        for (var topic : new ProduceResponseData(new ByteBufferAccessor(buffer), VERSION).responses()) {
            for (var partition : topic.partitionResponses()) {
                (partition.errorCode() == 0 ? accepted : refused).increment();
            }
        }
    }

    /** What was answered so far. */
    public Totals totals() {
        long took = accepted.sum();
        long not = refused.sum();
        return new Totals(Math.min(next.get(), end) - first, took, not);
    }

    /** @return whether all have been sent and answered by then; IOException when a connection broke */
    public boolean await(long ms) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + ms * 1_000_000;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        }
        if (failure != null) {
            throw new IOException("the flood broke off after " + totals(), failure);
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }

    @Override
    public void close() {
        ending = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
