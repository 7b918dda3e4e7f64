package io.tollgate.it;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;

/** Quotas in the metadata of a broker's cluster, set and read through the Admin API. */
final class LiveQuotas {
    static final String KEY = "producer_ids_rate";
    static final Map<String, String> DEFAULT_USER = Collections.singletonMap(ClientQuotaEntity.USER, null);

    private final BrokerProcess broker;

    LiveQuotas(BrokerProcess broker) {
        this.broker = broker;
    }

    static Map<String, String> user(String name) {
        return Map.of(ClientQuotaEntity.USER, name);
    }

    void set(Map<String, String> entity, double perHour) throws Exception {
        alter(entity, KEY, perHour);
    }

    void remove(Map<String, String> entity) throws Exception {
        alter(entity, KEY, null);
    }

    /** @throws ApiException what the controller said */
    void alter(Map<String, String> entity, String key, Double value) throws Exception {
        try (Admin admin = broker.admin()) {
            admin.alterClientQuotas(List.of(new ClientQuotaAlteration(new ClientQuotaEntity(entity),
                    List.of(new ClientQuotaAlteration.Op(key, value))))).all().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ApiException refusal ? refusal : e;
        }
    }

    /** All that is stored under our key, by entity. */
    Map<Map<String, String>, Double> stored() throws Exception {
        Map<Map<String, String>, Double> ours = new HashMap<>();
        try (Admin admin = broker.admin()) {
            admin.describeClientQuotas(ClientQuotaFilter.all()).entities().get(30, TimeUnit.SECONDS).forEach((entity, quotas) -> {
                if (quotas.containsKey(KEY)) {
                    ours.put(entity.entries(), quotas.get(KEY));
                }
            });
        }
        return ours;
    }

    /** The agent's lines about quotas, without their dates. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (String line : Guarded.lines(broker)) {
            if (line.contains(KEY) || line.contains("users without a quota")) {
                lines.add(line.substring(line.indexOf("Tollgate")).replace(" (io.tollgate.kafka)", ""));
            }
        }
        return lines;
    }

    /** Waits until a reading is as expected; when it never is, says what it was. An attribute that isn't there yet is waited for. */
    static void await(Object expected, Callable<?> reading) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        Object last = null;
        while (System.nanoTime() < deadline) {
            try {
                last = reading.call();
            } catch (javax.management.JMException e) {
                last = e;
            }
            if (expected.equals(last)) {
                return;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("expected " + expected + ", but was " + last + " for a minute");
    }
}
