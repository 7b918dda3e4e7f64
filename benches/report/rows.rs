//! What is reported: one row of the table is one entry of a list here.

use crate::results::Source::{self, Criterion, Jmh, Nothing, Ours};

/// What a row must meet.
#[derive(Clone, Copy)]
pub enum Target {
    /// Ours at most so many times the peer's.
    TimesPeer(f64),
    /// Ours at most that.
    AtMost(f64),
    /// Ours at least that.
    AtLeast(f64),
}

/// One comparison.
pub struct Row {
    pub name: &'static str,
    pub unit: &'static str,
    pub ours: Source,
    pub peer: &'static str,
    pub peers: Source,
    pub target: Option<Target>,
}

/// Nanoseconds, ours at most `times` the peer's.
const fn against(name: &'static str, ours: Source, peer: &'static str, peers: Source, times: f64) -> Row {
    Row { name, unit: "ns", ours, peer, peers, target: Some(Target::TimesPeer(times)) }
}

/// Nanoseconds, for information.
const fn beside(name: &'static str, ours: Source, peer: &'static str, peers: Source) -> Row {
    Row { name, unit: "ns", ours, peer, peers, target: None }
}

/// Another unit with a limit of its own; the peer is for information.
const fn within(
    name: &'static str,
    unit: &'static str,
    ours: Source,
    target: Target,
    peer: &'static str,
    peers: Source,
) -> Row {
    Row { name, unit, ours, peer, peers, target: Some(target) }
}

/// Another unit, for information.
const fn also(
    name: &'static str,
    unit: &'static str,
    ours: Source,
    peer: &'static str,
    peers: Source,
) -> Row {
    Row { name, unit, ours, peer, peers, target: None }
}

const FASTBLOOM: &str = "fastbloom contains";
const CHASE: &str = "a dependent cache miss";
const COMMONS: &str = "commons LayeredBloomFilter";

/// The design's targets.
#[rustfmt::skip]
pub const TARGETS: &[Row] = &[
    against("Known, newest of 4 x 1,000", Criterion("newest/tollgate/1000"), FASTBLOOM, Criterion("newest/fastbloom/1000"), 1.0),
    against("Known, newest of 4 x 250,000", Criterion("newest/tollgate/250000"), FASTBLOOM, Criterion("newest/fastbloom/250000"), 1.0),
    against("Known, newest of 4 x 4,000,000", Criterion("newest/tollgate/4000000"), FASTBLOOM, Criterion("newest/fastbloom/4000000"), 1.0),
    against("Known, newest of 4 x 4,000,000, in cache misses", Criterion("newest/tollgate/4000000"), CHASE, Criterion("newest/pointer_chase/4000000"), 1.5),
    against("Known from Java, newest of 4 x 1,000", Jmh("KnownNewest.tollgateTrack", Some(1_000)), COMMONS, Jmh("KnownNewest.commonsHasher", Some(1_000)), 1.0 / 6.0),
    against("Known from Java, newest of 4 x 250,000", Jmh("KnownNewest.tollgateTrack", Some(250_000)), COMMONS, Jmh("KnownNewest.commonsHasher", Some(250_000)), 1.0 / 500.0),
    within("Known, two threads over one, 4 x 1,000", "x", Ours("contention", "known_1000_tollgate_ratio"), Target::AtLeast(1.8), FASTBLOOM, Ours("contention", "known_1000_fastbloom_ratio")),
    within("Known, two threads over one, 4 x 250,000", "x", Ours("contention", "known_250000_tollgate_ratio"), Target::AtLeast(1.8), FASTBLOOM, Ours("contention", "known_250000_fastbloom_ratio")),
    within("track across rotation, p99.99", "µs", Ours("latency", "tollgate_p99.99_us"), Target::AtMost(50.0), FASTBLOOM, Ours("latency", "fastbloom_p99.99_us")),
    within("memory per recorded id and layer, 4 x 1,000", "bytes", Ours("memory", "per_record_1000_counted"), Target::AtMost(2.8), "allocator", Ours("memory", "per_record_1000_allocated")),
    within("memory per recorded id and layer, 4 x 250,000", "bytes", Ours("memory", "per_record_250000_counted"), Target::AtMost(2.8), "allocator", Ours("memory", "per_record_250000_allocated")),
    within("memory per recorded id and layer, 4 x 4,000,000", "bytes", Ours("memory", "per_record_4000000_counted"), Target::AtMost(2.8), "allocator", Ours("memory", "per_record_4000000_allocated")),
    within("memory of a principal with 64 ids", "bytes", Ours("memory", "small_counted"), Target::AtMost(1536.0), "allocator", Ours("memory", "small_allocated")),
    against("sliding rate of the statistics, one event", Criterion("sliding_record/tollgate"), "Kafka's Sensor with a Rate", Jmh("RateRecord.kafkaSensor", None), 1.0 / 5.0),
    against("windowed rate, grid, one event", Criterion("windowed_record/grid"), "Kafka's Sensor with a Rate", Jmh("RateRecord.kafkaSensor", None), 1.0 / 5.0),
    against("windowed rate, overlap, one event", Criterion("windowed_record/overlap"), "Kafka's Sensor with a Rate", Jmh("RateRecord.kafkaSensor", None), 1.0 / 5.0),
    against("windowed rate, sliding, one event", Criterion("windowed_record/sliding"), "Kafka's Sensor with a Rate", Jmh("RateRecord.kafkaSensor", None), 1.0 / 5.0),
    against("token bucket, one charge", Criterion("bucket_charge/tollgate"), "governor check", Criterion("bucket_charge/governor"), 1.0),
    against("Known, 10,000 long-lived ids under 100 per hour", Criterion("long_lived/quota_100/10000"), "no quota", Criterion("long_lived/no_quota/10000"), 1.5),
];

/// More of the same, without targets.
#[rustfmt::skip]
pub const FURTHER: &[Row] = &[
    beside("Known, newest of 4 x 1,000", Criterion("newest/tollgate/1000"), "fastbloom with XXH3", Criterion("newest/fastbloom_xxh3/1000")),
    beside("Known, newest of 4 x 250,000", Criterion("newest/tollgate/250000"), "fastbloom with XXH3", Criterion("newest/fastbloom_xxh3/250000")),
    beside("Known, newest of 4 x 4,000,000", Criterion("newest/tollgate/4000000"), "fastbloom with XXH3", Criterion("newest/fastbloom_xxh3/4000000")),
    beside("Known, newest of 4 x 1,000", Criterion("newest/tollgate/1000"), CHASE, Criterion("newest/pointer_chase/1000")),
    beside("Known, newest of 4 x 250,000", Criterion("newest/tollgate/250000"), CHASE, Criterion("newest/pointer_chase/250000")),
    beside("contains, oldest of 4 x 1,000", Criterion("oldest/tollgate/1000"), FASTBLOOM, Criterion("oldest/fastbloom/1000")),
    beside("contains, oldest of 4 x 250,000", Criterion("oldest/tollgate/250000"), FASTBLOOM, Criterion("oldest/fastbloom/250000")),
    beside("contains, oldest of 4 x 4,000,000", Criterion("oldest/tollgate/4000000"), FASTBLOOM, Criterion("oldest/fastbloom/4000000")),
    beside("Throttled, 4 x 250,000", Criterion("throttled/tollgate/250000"), "fastbloom contains, absent", Criterion("throttled/fastbloom/250000")),
    beside("Admitted, 250,000 a period, rotations included", Criterion("admitted/tollgate/250000"), "fastbloom insert", Criterion("admitted/fastbloom/250000")),
    beside("Known, 10,000 principals of 4 ids", Criterion("principals/tollgate/10000"), "papaya HashMap of pairs", Criterion("principals/papaya/10000")),
    beside("Known, one principal of 16 ids", Criterion("small/tollgate/16"), "", Nothing),
    beside("Known, one principal of 64 ids", Criterion("small/tollgate/64"), "", Nothing),
    beside("token bucket for amounts, one charge", Criterion("bucket_charge/tollgate_amounts"), "governor check", Criterion("bucket_charge/governor")),
    beside("token bucket, one refusal", Criterion("bucket_refuse/tollgate"), "governor check", Criterion("bucket_refuse/governor")),
    also("Admitted, two threads over one", "x", Ours("contention", "admitted_tollgate_ratio"), "", Nothing),
    also("track across rotation, p50", "µs", Ours("latency", "tollgate_p50_us"), FASTBLOOM, Ours("latency", "fastbloom_p50_us")),
    also("track across rotation, p50", "µs", Ours("latency", "tollgate_p50_us"), "the timer alone", Ours("latency", "timer_p50_us")),
    also("track across rotation, p99", "µs", Ours("latency", "tollgate_p99_us"), FASTBLOOM, Ours("latency", "fastbloom_p99_us")),
    also("track across rotation, p99.9", "µs", Ours("latency", "tollgate_p99.9_us"), FASTBLOOM, Ours("latency", "fastbloom_p99.9_us")),
    also("track across rotation, p99.99", "µs", Ours("latency", "tollgate_p99.99_us"), "the timer alone", Ours("latency", "timer_p99.99_us")),
    also("track across rotation, slowest of all", "µs", Ours("latency", "tollgate_max_us"), "the timer alone", Ours("latency", "timer_max_us")),
    also("track, slowest near a rotation, median of all", "µs", Ours("latency", "tollgate_rotation_us"), "", Nothing),
    also("memory per live id, 4 x 250,000, expired layer included", "bytes", Ours("memory", "per_live_id_250000"), "", Nothing),
    beside("Known from Java, newest of 4 x 4,000,000", Jmh("KnownNewest.tollgateTrack", Some(4_000_000)), "Guava BloomFilter", Jmh("KnownNewest.guava", Some(4_000_000))),
    beside("Known from Java, newest of 4 x 250,000", Jmh("KnownNewest.tollgateTrack", Some(250_000)), "Guava BloomFilter", Jmh("KnownNewest.guava", Some(250_000))),
    beside("Known from Java, newest of 4 x 1,000", Jmh("KnownNewest.tollgateTrack", Some(1_000)), "Guava BloomFilter", Jmh("KnownNewest.guava", Some(1_000))),
    beside("Known from Java, newest of 4 x 250,000", Jmh("KnownNewest.tollgateTrack", Some(250_000)), "ConcurrentHashMap key set", Jmh("KnownNewest.concurrentSet", Some(250_000))),
    beside("Known from Java, newest of 4 x 1,000", Jmh("KnownNewest.tollgateTrack", Some(1_000)), "ConcurrentHashMap key set", Jmh("KnownNewest.concurrentSet", Some(1_000))),
    beside("Known from Java, newest of 4 x 250,000", Jmh("KnownNewest.tollgateTrack", Some(250_000)), "Caffeine cache", Jmh("KnownNewest.caffeine", Some(250_000))),
    beside("Known from Java, newest of 4 x 1,000", Jmh("KnownNewest.tollgateTrack", Some(1_000)), "Caffeine cache", Jmh("KnownNewest.caffeine", Some(1_000))),
    beside("Known from Java, newest of 4 x 250,000", Jmh("KnownNewest.tollgateTrack", Some(250_000)), "commons, hashed in advance", Jmh("KnownNewest.commonsIndexExtractor", Some(250_000))),
    beside("Known from Java, newest of 4 x 250,000", Jmh("KnownNewest.tollgateTrack", Some(250_000)), "commons, layer by layer", Jmh("KnownNewest.commonsPerLayer", Some(250_000))),
    beside("Known from Java, newest of 4 x 1,000", Jmh("KnownNewest.tollgateTrack", Some(1_000)), "commons, layer by layer", Jmh("KnownNewest.commonsPerLayer", Some(1_000))),
    beside("contains from Java, oldest of 4 x 250,000", Jmh("KnownOldest.tollgateContains", Some(250_000)), COMMONS, Jmh("KnownOldest.commonsHasher", Some(250_000))),
    beside("Known from Java, two threads, each, 4 x 250,000", Jmh("KnownNewest.tollgateTrackTwoThreads", Some(250_000)), "one thread", Jmh("KnownNewest.tollgateTrack", Some(250_000))),
    beside("Throttled from Java, 4 x 250,000", Jmh("Throttled.tollgateTrack", Some(250_000)), "", Nothing),
    beside("Admitted from Java, 250,000 into one layer", Jmh("Admitted.tollgateTrack", None), "", Nothing),
];

const HOST: &str = "compare fastbloom, whose lookups write nothing, in the same rounds: the host lends its second processor out at times, and both stand at 1.9 to 2.0 when it does not";

/// Why a target is missed, by the row's name; shown only when it is.
#[rustfmt::skip]
pub const WHY: &[(&str, &str)] = &[
    ("Known, two threads over one, 4 x 1,000", HOST),
    ("Known, two threads over one, 4 x 250,000", HOST),
    ("memory per recorded id and layer, 4 x 1,000", "the principal's own record and the heads of its layers count too, a tenth of so small a filter"),
];
