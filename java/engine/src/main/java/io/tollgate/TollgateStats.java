package io.tollgate;

/**
 * What the engine counted for one principal, or in {@link TollgateTotals} for all together.
 *
 * @param known calls answered Known
 * @param admitted PIDs admitted (new, charged)
 * @param throttled calls answered Throttled
 * @param reRecorded PIDs that were known from an old layer and were recorded again in the newest, and PIDs that {@link
 *     Tollgate#remember} took in; never charged
 * @param ghostHits new PIDs that the last expired layer still held: forgotten too soon. If it climbs, raise the window
 *     or the layer count
 * @param livePids PIDs now remembered; an estimate beyond 64
 * @param layers filter layers now held; none while up to 64 PIDs are kept exactly
 * @param bytes memory held, in bytes
 * @param fill recorded PIDs over capacity of the newest layer
 * @param falsePositiveRate estimated share of never-seen PIDs that would be called Known; in totals, the highest of any
 *     principal
 * @param ratePerHour new PIDs admitted per hour, over the last window
 * @param tokens new PIDs that may still come at once; NaN without a quota, and in totals
 * @param quotaPerHour the quota, in new PIDs per hour; NaN without one, and in totals
 */
public record TollgateStats(long known, long admitted, long throttled, long reRecorded, long ghostHits, long livePids,
        long layers, long bytes, double fill, double falsePositiveRate, double ratePerHour, double tokens,
        double quotaPerHour) {
}
