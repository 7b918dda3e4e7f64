package io.tollgate.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.PreferredLeaderNotAvailableException;
import org.apache.kafka.common.errors.RetriableException;

/**
 * One KRaft cluster of real brokers: nodes 1 to n, each broker and controller in a process of its own
 * ({@link BrokerProcess}). Topics have n replicas, and n - 1 of them must be in sync for a write.
 */
public final class BrokerCluster implements AutoCloseable {
    /** For a state of the cluster to come about; no bound on how long it may take in a test's eyes. */
    private static final long PATIENCE_S = 180;

    private final List<BrokerProcess> nodes = new ArrayList<>();

    private BrokerCluster() {}

    /**
     * Builds the nodes and starts them, all at once: alone, none has a quorum.
     *
     * @param size 2 or more
     * @param node a builder for the node of that ID, with all that is not the cluster's own
     */
    public static BrokerCluster start(int size, Function<Integer, BrokerBuilder> node)
            throws IOException, InterruptedException {
        List<Integer> ports = new ArrayList<>();
        for (int id = 1; id <= size; id++) {
            ports.add(Ports.free());
        }
        String voters = IntStream.rangeClosed(1, size).mapToObj(id -> id + "@127.0.0.1:" + ports.get(id - 1))
                .collect(Collectors.joining(","));
        String clusterId = Uuid.randomUuid().toString();
        String all = Integer.toString(size);
        String most = Integer.toString(size - 1);
        BrokerCluster cluster = new BrokerCluster();
        try {
            for (int id = 1; id <= size; id++) {
                cluster.nodes.add(node.apply(id).clusterId(clusterId).controllerPort(ports.get(id - 1))
                        .property("node.id", Integer.toString(id)).property("controller.quorum.voters", voters)
                        .property("default.replication.factor", all).property("min.insync.replicas", most)
                        .property("offsets.topic.replication.factor", all)
                        .property("transaction.state.log.replication.factor", all)
                        .property("transaction.state.log.min.isr", most)
                        .property("share.coordinator.state.topic.replication.factor", all)
                        .property("share.coordinator.state.topic.min.isr", most).build());
            }
            together(cluster.nodes);
        } catch (Throwable e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** Starts nodes that need each other to serve. */
    static void together(Collection<BrokerProcess> nodes) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        try {
            List<Callable<Void>> starts = new ArrayList<>();
            nodes.forEach(node -> starts.add(() -> {
                node.start();
                return null;
            }));
            for (Future<Void> start : threads.invokeAll(starts)) {
                start.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    public int size() {
        return nodes.size();
    }

    /** @param id 1 to {@link #size()} */
    public BrokerProcess node(int id) {
        return nodes.get(id - 1);
    }

    /** Client settings for {@code user}, with all nodes to begin with. */
    public Properties clientSettings(String user) {
        Properties properties = nodes.get(0).clientSettings(user);
        properties.put("bootstrap.servers", nodes.stream().map(BrokerProcess::bootstrap).collect(Collectors.joining(",")));
        return properties;
    }

    /** An admin client that gets by while one node is down. */
    public Admin admin() {
        return Users.admin(clientSettings(Users.ADMIN), 60_000);
    }

    /** The replicas of a partition, {@code leader} first and the others in turn. */
    public List<Integer> replicas(int leader) {
        return IntStream.range(0, size()).mapToObj(i -> (leader - 1 + i) % size() + 1).toList();
    }

    /** Makes a topic with so many partitions led by each node: the first ones by node 1, the next ones by node 2. */
    public void createTopic(String topic, int partitionsEach) throws InterruptedException {
        Map<Integer, List<Integer>> replicas = new HashMap<>();
        for (int partition = 0; partition < partitionsEach * size(); partition++) {
            replicas.put(partition, replicas(partition / partitionsEach + 1));
        }
        try (Admin admin = admin()) {
            Topics.create(admin, topic, replicas, size() - 1);
        }
    }

    /** Waits until every replica of the topic is in sync. */
    public void awaitInSync(Admin admin, String topic) throws Exception {
        await(topic + " to be in sync", () -> partitions(admin, topic).stream().allMatch(partition -> partition.isr().size() == size()));
    }

    /** Gives each partition to its preferred leader, and waits until it leads. */
    public void leadAsPreferred(Admin admin, String topic) throws Exception {
        Set<TopicPartition> all = partitions(admin, topic).stream().map(partition -> new TopicPartition(topic, partition.partition()))
                .collect(Collectors.toSet());
        await(topic + " to be led as preferred", () -> {
            for (Optional<Throwable> answer : admin.electLeaders(ElectionType.PREFERRED, all).partitions()
                    .get(PATIENCE_S, TimeUnit.SECONDS).values()) {
                // A replica that is not in sync yet can't be elected: asked for again.
                if (answer.isPresent() && !(answer.get() instanceof ElectionNotNeededException)
                        && !(answer.get() instanceof RetriableException)
                        && !(answer.get() instanceof PreferredLeaderNotAvailableException)) {
                    throw new IllegalStateException(answer.get());
                }
            }
            return partitions(admin, topic).stream().allMatch(partition -> partition.leader() != null
                    && partition.leader().id() == partition.replicas().get(0).id());
        });
        // The metadata is ahead of the leader itself.
        Topics.awaitLeaders(admin, topic, all.size());
    }

    /** Makes the next replica of each partition its preferred leader, and waits until it leads. */
    public void moveLeaders(Admin admin, String topic) throws Exception {
        Map<TopicPartition, Optional<NewPartitionReassignment>> order = new HashMap<>();
        for (TopicPartitionInfo partition : partitions(admin, topic)) {
            List<Integer> now = partition.replicas().stream().map(Node::id).toList();
            order.put(new TopicPartition(topic, partition.partition()),
                    Optional.of(new NewPartitionReassignment(replicas(now.get(1)))));
        }
        admin.alterPartitionReassignments(order).all().get(PATIENCE_S, TimeUnit.SECONDS);
        await("the new order of " + topic + "'s replicas", () -> partitions(admin, topic).stream().allMatch(partition ->
                partition.replicas().stream().map(Node::id).toList().equals(order.get(new TopicPartition(topic, partition.partition()))
                        .orElseThrow().targetReplicas())));
        leadAsPreferred(admin, topic);
    }

    List<TopicPartitionInfo> partitions(Admin admin, String topic)
            throws InterruptedException, ExecutionException, TimeoutException {
        return admin.describeTopics(List.of(topic)).allTopicNames().get(PATIENCE_S, TimeUnit.SECONDS).get(topic).partitions();
    }

    private static void await(String what, Callable<Boolean> reached) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!reached.call()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited " + PATIENCE_S + " s in vain for " + what);
            }
            Thread.sleep(200);
        }
    }

    @Override
    public void close() {
        nodes.forEach(BrokerProcess::close);
    }
}
