package io.tollgate.kafka;

import net.bytebuddy.asm.Advice;

/**
 * The code that is put into {@code kafka.server.KafkaApis}. Each piece hands over to {@link BrokerHook} and swallows
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
}
