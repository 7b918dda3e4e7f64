package org.apache.pulsar.broker.authentication;

/** Stands in for the interface in pulsar-broker-common (see io.tollgate.pulsar.PulsarAverageTest): linked, never called. */
public interface AuthenticationDataSource {
}
