package org.apache.bookkeeper.mledger;

/** Stands in for the interface in managed-ledger (see io.tollgate.pulsar.PulsarAverageTest): the type of a field, null here. */
public interface Position {
}
