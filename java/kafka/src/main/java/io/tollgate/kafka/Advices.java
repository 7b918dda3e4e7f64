package io.tollgate.kafka;

import net.bytebuddy.asm.Advice;

/**
 * The code that is put into Kafka's classes. Each piece hands over to {@link BrokerHook} or {@link QuotaHook} and swallows
 * whatever gets out of it.
 */
final class Advices {
    private Advices() {
    }

    /** At the head of handleProduceRequest, which ends at once when this gives true. */
    static final class Produce {
        private Produce() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static boolean enter(@Advice.This Object apis, @Advice.Argument(0) Object request) {
            return BrokerHook.refuses(apis, request);
        }
    }

    /** At the heads of handleAddPartitionsToTxnRequest and handleAddOffsetsToTxnRequest, which end at once when this gives true. */
    static final class Added {
        private Added() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static boolean enter(@Advice.This Object apis, @Advice.Argument(0) Object request) {
            return BrokerHook.refusesToAdd(apis, request);
        }
    }

    /** The same for handleEndTxnRequest. */
    static final class Ended {
        private Ended() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static boolean enter(@Advice.This Object apis, @Advice.Argument(0) Object request) {
            return BrokerHook.answersAbort(apis, request);
        }
    }

    /** At the end of the constructor. */
    static final class Created {
        private Created() {
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object apis) {
            BrokerHook.created(apis);
        }
    }

    /** At the end of close(). */
    static final class Closed {
        private Closed() {
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This Object apis) {
            BrokerHook.closed(apis);
        }
    }

    /** At the end of a method that builds the list of quotas that Kafka knows. */
    static final class QuotaNames {
        private QuotaNames() {
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Return Object names) {
            QuotaHook.define(names);
        }
    }

    /** At the end of a method that says whether a name is one of a quota. */
    static final class QuotaNamed {
        private QuotaNamed() {
        }

        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Argument(0) String name, @Advice.Return(readOnly = false) Boolean known) {
            if (QuotaHook.isOurs(name)) {
                known = Boolean.TRUE;
            }
        }
    }

    /** At the head of the controller's check of a value. Until Kafka 4.3 it lets NaN and the infinities through. */
    static final class QuotaChecked {
        private QuotaChecked() {
        }

        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(1) String key, @Advice.Argument(value = 2, readOnly = false) double value) {
            if (QuotaHook.isOurs(key) && !Double.isFinite(value)) {
                // Not finite for those that check that, and below 0 for the others: each refuses it in its own words.
                value = Double.NEGATIVE_INFINITY;
            }
        }
    }

    /** At the head of handleUserClientQuotaChange, which ends at once when this gives true. */
    static final class QuotaChanged {
        private QuotaChanged() {
        }

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
        static boolean enter(@Advice.Argument(0) Object entity, @Advice.Argument(1) String key, @Advice.Argument(2) Object value) {
            return QuotaHook.takes(entity, key, value);
        }
    }
}
