package io.tollgate.it;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * A client that chooses its own producer IDs: one connection, one request at a time, written with Kafka's protocol
 * classes. A broker takes any producer ID number with sequence 0 as a new producer's first batch, so this is the
 * cheapest way to fill its memory, and for a test the cheapest way to be 2,000 producers. For one thread.
 */
public final class RawProducer implements AutoCloseable {
    /** Topics by name, as every broker from 2.8 to 4.x speaks it. */
    private static final short PRODUCE_VERSION = 9;
    private static final short API_VERSIONS_VERSION = 3;
    private static final short SASL_HANDSHAKE_VERSION = 1;
    private static final short SASL_AUTHENTICATE_VERSION = 2;
    private static final String CLIENT_ID = "raw";
    /** A value that says nothing. */
    private static final byte[] NOTHING = new byte[8];

    /**
     * What the broker said to one Produce request.
     *
     * @param error the first error that any partition got, or NONE
     * @param throttleMs the response's {@code throttle_time_ms}
     */
    public record Answer(Errors error, int throttleMs) {}

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private int correlation;
    /** The last request that was answered, or will not be. */
    private int answered;

    /**
     * Connects and logs in (on a plaintext broker the user is not used).
     *
     * @param answerTimeoutMs how long to wait for each answer, ms; then {@link SocketTimeoutException}
     */
    public RawProducer(BrokerProcess broker, String user, int answerTimeoutMs) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(answerTimeoutMs);
            socket.connect(new InetSocketAddress("127.0.0.1", broker.port()), 5_000);
            in = new DataInputStream(socket.getInputStream());
            if (!broker.users().isEmpty()) {
                logIn(user);
            }
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Tells the broker a client library's name and version, as libraries do; Tollgate chooses its error code by it (K5). */
    public void introduce(String softwareName, String softwareVersion) throws IOException {
        call(ApiKeys.API_VERSIONS, API_VERSIONS_VERSION, new ApiVersionsRequestData()
                .setClientSoftwareName(softwareName).setClientSoftwareVersion(softwareVersion));
    }

    private void logIn(String user) throws IOException {
        ByteBuffer handshake = call(ApiKeys.SASL_HANDSHAKE, SASL_HANDSHAKE_VERSION,
                new SaslHandshakeRequestData().setMechanism("PLAIN"));
        check("SASL handshake", new SaslHandshakeResponseData(new ByteBufferAccessor(handshake), SASL_HANDSHAKE_VERSION).errorCode());
        byte[] token = ("\0" + user + "\0" + Users.password(user)).getBytes(StandardCharsets.UTF_8);
        ByteBuffer authenticate = call(ApiKeys.SASL_AUTHENTICATE, SASL_AUTHENTICATE_VERSION,
                new SaslAuthenticateRequestData().setAuthBytes(token));
        check("log-in of " + user, new SaslAuthenticateResponseData(new ByteBufferAccessor(authenticate),
                SASL_AUTHENTICATE_VERSION).errorCode());
    }

    private static void check(String what, short error) throws IOException {
        if (error != 0) {
            throw new IOException(what + ": " + Errors.forCode(error));
        }
    }

    /** One record as the first batch of {@code pid} (producer epoch 0, sequence 0) to partitions 0 to {@code partitions - 1}, acks=1. */
    public Answer send(String topic, int partitions, long pid) throws IOException {
        return send(topic, 0, partitions, pid, (short) 0, 0, (short) 1);
    }

    /**
     * One Produce request with one record per partition, all from one producer.
     *
     * @param pid the producer ID; -1 for none
     * @param acks 1 or -1; with 0 the broker would not answer
     * @throws SocketTimeoutException when no answer came in time; the connection is of no more use
     */
    public Answer send(String topic, int firstPartition, int partitions, long pid, short epoch, int sequence, short acks)
            throws IOException {
        return send(topic, firstPartition, partitions, pid, epoch, sequence, acks, NOTHING);
    }

    /** @param value the record's, to each partition the same */
    Answer send(String topic, int firstPartition, int partitions, long pid, short epoch, int sequence, short acks, byte[] value)
            throws IOException {
        post(topic, firstPartition, partitions, pid, epoch, sequence, acks, value);
        return receive();
    }

    /** The first half of a {@link #send}: writes the request, and reads nothing. With acks=0 there is no other half. */
    public void post(String topic, int firstPartition, int partitions, long pid, short epoch, int sequence, short acks)
            throws IOException {
        post(topic, firstPartition, partitions, pid, epoch, sequence, acks, NOTHING);
    }

    private void post(String topic, int firstPartition, int partitions, long pid, short epoch, int sequence, short acks, byte[] value)
            throws IOException {
        TopicProduceData data = new TopicProduceData().setName(topic);
        for (int partition = firstPartition; partition < firstPartition + partitions; partition++) {
            SimpleRecord record = new SimpleRecord(System.currentTimeMillis(), null, value);
            data.partitionData().add(new PartitionProduceData().setIndex(partition).setRecords(pid < 0
                    ? MemoryRecords.withRecords(Compression.NONE, record)
                    : MemoryRecords.withIdempotentRecords(Compression.NONE, pid, epoch, sequence, record)));
        }
        ProduceRequestData request = new ProduceRequestData().setAcks(acks).setTimeoutMs(5_000);
        request.topicData().add(data);
        write(ApiKeys.PRODUCE, PRODUCE_VERSION, request);
        answered += acks == 0 ? 1 : 0;
    }

    /** The answer to the oldest Produce request that is still without one. */
    public Answer receive() throws IOException {
        ProduceResponseData response = new ProduceResponseData(
                new ByteBufferAccessor(read(ApiKeys.PRODUCE, PRODUCE_VERSION)), PRODUCE_VERSION);
        short error = 0;
        for (var answered : response.responses()) {
            for (var partition : answered.partitionResponses()) {
                error = error == 0 ? partition.errorCode() : error;
            }
        }
        return new Answer(Errors.forCode(error), response.throttleTimeMs());
    }

    /** Sends one request and returns its response's body. */
    ByteBuffer call(ApiKeys api, short version, ApiMessage body) throws IOException {
        write(api, version, body);
        return read(api, version);
    }

    private void write(ApiKeys api, short version, ApiMessage body) throws IOException {
        RequestHeader header = new RequestHeader(api, version, CLIENT_ID, ++correlation);
        ByteBuffer request = RequestUtils.serialize(header.data(), header.headerVersion(), body, version);
        byte[] frame = new byte[4 + request.remaining()];
        ByteBuffer.wrap(frame).putInt(request.remaining()).put(request);
        socket.getOutputStream().write(frame);
    }

    /** The next response's body: a broker answers in the order in which it was asked. */
    private ByteBuffer read(ApiKeys api, short version) throws IOException {
        int length = in.readInt();
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the broker closed the connection within a response");
        }
        ByteBuffer response = ByteBuffer.wrap(bytes);
        int answers = ResponseHeader.parse(response, api.responseHeaderVersion(version)).correlationId();
        if (answers != ++answered) {
            throw new IOException("response to request " + answers + ", expected " + answered);
        }
        return response;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException ignored) {
            // Closing is all that was wanted.
        }
    }
}
