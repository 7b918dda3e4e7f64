package io.tollgate.it;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;

/**
 * The SASL/PLAIN users of one broker; empty means a plaintext listener where everyone is ANONYMOUS. The
 * password of a user is its name with {@code -secret} behind it: these brokers listen on 127.0.0.1 only and
 * live for minutes.
 */
public final class Users {
    /** The broker's own user, used between brokers and by the harness's admin client. */
    static final String ADMIN = "admin";

    private final Set<String> names = new LinkedHashSet<>();

    Users(Collection<String> names) {
        if (!names.isEmpty()) {
            this.names.add(ADMIN);
            this.names.addAll(names);
        }
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    static String password(String user) {
        return user + "-secret";
    }

    String brokerJaas() {
        StringBuilder jaas = new StringBuilder(clientJaas(ADMIN));
        jaas.setLength(jaas.length() - 1);
        for (String name : names) {
            jaas.append(' ').append(quoted("user_" + name)).append('=').append(quoted(password(name)));
        }
        return jaas.append(';').toString();
    }

    private static String clientJaas(String user) {
        return "org.apache.kafka.common.security.plain.PlainLoginModule required username=" + quoted(user)
                + " password=" + quoted(password(user)) + ";";
    }

    /** As a string of a JAAS file, in which any name can stand. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    /** Client settings to log in as {@code user}; nothing when this broker has no users. */
    Properties clientSettings(String user) {
        Properties properties = new Properties();
        if (!isEmpty()) {
            if (!names.contains(user)) {
                throw new IllegalArgumentException("this broker has no user '" + user + "', only " + names);
            }
            properties.put("security.protocol", "SASL_PLAINTEXT");
            properties.put("sasl.mechanism", "PLAIN");
            properties.put("sasl.jaas.config", clientJaas(user));
        }
        return properties;
    }

    /**
     * An admin client.
     *
     * @param settings of a client of {@link #ADMIN}
     * @param patienceMs for each call, over all its tries
     */
    static Admin admin(Properties settings, int patienceMs) {
        settings.put("default.api.timeout.ms", Integer.toString(patienceMs));
        settings.put("request.timeout.ms", "10000");
        return Admin.create(settings);
    }
}
