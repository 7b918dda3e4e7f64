/**
 * The class that KIP-936 names, over Tollgate's engine, so that a broker written against the KIP can use it unchanged. Needs
 * kafka-clients on the class path for {@code KafkaPrincipal}.
 */
package io.tollgate.kip936;
