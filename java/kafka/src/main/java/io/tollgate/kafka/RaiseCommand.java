package io.tollgate.kafka;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** The command that gives a user a higher quota, ready to be pasted into a shell on the broker's machine. */
final class RaiseCommand {
    /** What a shell takes as it is. */
    private static final String PLAIN = "[A-Za-z0-9_./:@%+-]+";

    private final String bootstrap;

    /** @param properties the broker's own, which say where it listens */
    RaiseCommand(Map<String, ?> properties) {
        bootstrap = bootstrap(properties);
    }

    /**
     * @param perHour the user's quota now; the command doubles it
     * @return one line
     */
    String of(String user, double perHour) {
        return "kafka-configs.sh --bootstrap-server " + bootstrap + " --alter --add-config " + LiveQuotas.KEY + "="
                + plain(2 * perHour) + " --entity-type users --entity-name" + (user.startsWith("-") ? "=" : " ") + quoted(user);
    }

    /** A number as people write it: without an exponent, and without a fraction when it has none. */
    static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    /**
     * One word of a shell. A name with a control character needs {@code $'...'}, which bash, zsh and ksh know, to stand
     * in one line.
     */
    static String quoted(String word) {
        if (word.matches(PLAIN)) {
            return word;
        }
        if (AgentLog.oneLine(word).equals(word)) {
            return "'" + word.replace("'", "'\\''") + "'";
        }
        return "$'" + AgentLog.oneLine(word.replace("\\", "\\\\")).replace("'", "\\'") + "'";
    }

    /** The first address at which clients find this broker. */
    private static String bootstrap(Map<String, ?> properties) {
        Object advertised = properties.get("advertised.listeners");
        Object listeners = advertised != null ? advertised : properties.get("listeners");
        Object controllers = properties.get("controller.listener.names");
        List<String> notForClients = split(controllers);
        for (String listener : split(listeners)) {
            int name = listener.indexOf("://");
            if (name > 0 && !notForClients.contains(listener.substring(0, name))) {
                String address = listener.substring(name + 3);
                return address.startsWith(":") ? "localhost" + address : address.replace("0.0.0.0:", "localhost:");
            }
        }
        return "localhost:9092";
    }

    private static List<String> split(Object list) {
        return list == null ? List.of() : List.of(list.toString().strip().split("\\s*,\\s*"));
    }
}
