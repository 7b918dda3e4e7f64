package org.apache.bookkeeper.mledger;

/**
 * Stands in for the interface in managed-ledger (see io.tollgate.pulsar.PulsarAverageTest). A consumer that keeps no pending
 * acknowledgements counts the entries and calls none of their methods.
 */
public interface Entry {
}
