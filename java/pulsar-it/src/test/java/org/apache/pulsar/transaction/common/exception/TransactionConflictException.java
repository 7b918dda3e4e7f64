package org.apache.pulsar.transaction.common.exception;

/** Stands in for the class in pulsar-transaction-common (see io.tollgate.pulsar.PulsarAverageTest): linked, never thrown. */
public class TransactionConflictException extends Exception {
    private static final long serialVersionUID = 1L;
}
