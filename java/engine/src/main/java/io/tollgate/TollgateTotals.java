package io.tollgate;

/**
 * What the engine counted in all.
 *
 * @param stats the sums over all principals, gone ones included in the counts
 * @param principals principals now live
 * @param overflowInterns names that came beyond {@code maxPrincipals} and share one gate
 * @param evictedLayers layers that went early to stay under {@code maxMemoryBytes}
 * @param memoryBytes memory that the engine now accounts for, in bytes
 */
public record TollgateTotals(TollgateStats stats, long principals, long overflowInterns, long evictedLayers,
        long memoryBytes) {
}
