//! The page: what happened in one paragraph, the plots, the table, and how it was measured.

use super::data::{Client, Demo};
use super::plot::{self, Plot};
use crate::page::{self, Page};
use crate::text::{escape, milliseconds, thousands};

/// The whole page.
///
/// # Errors
/// When there is nothing to plot.
pub fn render(demo: &Demo) -> Result<String, String> {
    let legend = "<p class=\"legend\"><span class=\"key stock\"></span>stock broker \
                  <span class=\"key guarded\"></span>broker with the Tollgate agent</p>\n";
    let mut figures = String::new();
    for plot in Plot::ALL {
        figures += &page::figure(&plot::single(demo, plot)?, "");
    }
    Ok(Page::new("One load, two Kafka brokers")
        .lede(&lede(demo))
        .add(&(legend.to_owned() + &figures))
        .section("Results", &table(demo))
        .section("How it was measured", &method(demo))
        .render())
}

fn lede(demo: &Demo) -> String {
    let (results, series) = (&demo.results, &demo.series);
    let stock = match series.stock.ended_at_s {
        Some(at) => format!(
            "The stock broker ended after {at:.0} seconds ({}); it held {} producer IDs by then, and its well-behaved client saw {} errors.",
            escape(&results.stock.outcome),
            thousands(results.stock.producer_ids),
            thousands(results.stock_well_behaved.errors)
        ),
        None => format!("The stock broker held {} producer IDs when the load ended.", thousands(results.stock.producer_ids)),
    };
    let longer = series.guarded.raw_s - series.stock.raw_s;
    let longer = if longer >= 1.0 { format!(" for {longer:.0} seconds longer") } else { String::new() };
    let client = &results.guarded.well_behaved;
    format!(
        "{stock} The broker with Tollgate was {} after the same load{longer}: {} producer IDs, {:.0} MB of heap. Its well-behaved client sent {} messages; \
         {} were acknowledged and {} failed.",
        escape(&results.guarded.outcome),
        thousands(results.guarded.producer_ids),
        results.guarded.heap_after_gc_mb,
        thousands(client.sent),
        if client.acknowledged == client.sent { "all".to_owned() } else { thousands(client.acknowledged) },
        if client.errors == 0 { "none".to_owned() } else { thousands(client.errors) },
    )
}

fn table(demo: &Demo) -> String {
    let (results, series) = (&demo.results, &demo.series);
    let outcome = |outcome: &str, at: Option<f64>| match at {
        Some(at) => format!("{outcome} after {at:.0} s"),
        None => outcome.to_owned(),
    };
    let mb = |value: f64| format!("{value:.1} MB");
    let mut rows = Vec::new();
    let mut row =
        |what: &str, stock: String, guarded: String| rows.push(vec![what.to_owned(), stock, guarded]);
    row(
        "Broker",
        outcome(&results.stock.outcome, series.stock.ended_at_s),
        outcome(&results.guarded.outcome, series.guarded.ended_at_s),
    );
    row(
        "Producer IDs held, over all partitions",
        thousands(results.stock.producer_ids),
        thousands(results.guarded.producer_ids),
    );
    row(
        "Heap after garbage collection, before the load",
        mb(series.stock.heap_at_start_mb),
        mb(series.guarded.heap_at_start_mb),
    );
    row(
        "Heap after garbage collection, at the end",
        mb(results.stock.heap_after_gc_mb),
        mb(results.guarded.heap_after_gc_mb),
    );
    row("Rogue: producers made, of them delivered", producers(&series.stock), producers(&series.guarded));
    row("Rogue: raw requests sent, of them accepted", raw(&series.stock), raw(&series.guarded));
    row(
        "Rogue: raw flood lasted",
        format!("{:.0} s", series.stock.raw_s),
        format!("{:.0} s", series.guarded.raw_s),
    );
    row("Requests throttled", "\u{2013}".to_owned(), thousands(results.guarded.throttled));
    let clients: [&Client; 2] = [&results.stock_well_behaved, &results.guarded.well_behaved];
    let mut client =
        |what: &str, value: &dyn Fn(&Client) -> String| row(what, value(clients[0]), value(clients[1]));
    client("Well-behaved: messages sent", &|c| thousands(c.sent));
    client("Well-behaved: acknowledged", &|c| thousands(c.acknowledged));
    client("Well-behaved: errors", &|c| thousands(c.errors));
    client("Well-behaved: time to acknowledgement, median", &|c| milliseconds(c.p50_ms));
    client("Well-behaved: time to acknowledgement, 99th percentile", &|c| milliseconds(c.p99_ms));
    format!("<div class=\"brokers\">{}</div>\n", page::table(&["", "stock", "with Tollgate"], 1, &rows))
}

fn producers(run: &super::data::Run) -> String {
    format!("{}, {}", thousands(run.rogue_producers.made), thousands(run.rogue_producers.delivered))
}

fn raw(run: &super::data::Run) -> String {
    format!("{}, {}", thousands(run.raw.sent), thousands(run.raw.accepted))
}

fn method(demo: &Demo) -> String {
    let load = &demo.series.load;
    let quick = if load.quick {
        "<li>This was the short form of the demo: the load ends before the stock broker fails.</li>\n"
    } else {
        ""
    };
    format!(
        "<ul>
<li>Two Kafka {version} brokers from their published jars, one after the other, each with clients in a JVM of their own on this machine ({processors} processors, Java {java}) \
with {heap} MB of heap and Kafka\u{2019}s own collector settings. The second one runs with the agent and \
<code>producer.id.quota.default.rate={quota}</code>: {quota} new producer IDs per user and hour.</li>
<li>The well-behaved user has {producers} idempotent producers that live throughout and send {rate} messages a second in all. A message\u{2019}s time runs \
from when it was due to its acknowledgement; the first {warm} s do not count, as both JVMs warm up. The plot shows the last five seconds at each point. A \
message that is neither acknowledged nor refused when the client is closed counts as an error.</li>
<li>The rogue user makes {made_rate} real <code>KafkaProducer</code>s a second for {made_s} s, one per message, and gives each one second. Then one raw \
connection puts a producer ID never seen before into each Produce request to {partitions} partitions, up to {raw_rate} requests a second, until the stock broker \
is gone or the time is over. The guarded broker mutes that connection; the rogue waits a second, drops it and makes a new one, so it gets fewer \
requests out, and that is the quota at work.</li>
<li>Producer IDs are the broker\u{2019}s own count (JMX <code>ProducerIdCount</code>): one for each partition that a producer wrote to, so a raw request \
makes {partitions}.</li>
<li>Heap is what was left in use by the newest garbage collection before each reading; the table\u{2019}s values are after a full collection, for a broker \
that ended its last reading. The log cleaner\u{2019}s buffer, 128 MB by default, is set to 2 MB on both, so that the heap is there for what is measured.</li>
{quick}</ul>
",
        version = escape(&demo.results.kafka_version),
        processors = demo.series.processors,
        java = escape(&demo.series.java_version),
        heap = load.heap_mb,
        quota = load.quota_per_hour,
        producers = load.well_behaved_producers,
        rate = load.well_behaved_rate,
        warm = load.warm_up_s,
        made_rate = load.producers_rate,
        made_s = load.producers_s,
        partitions = load.rogue_partitions,
        raw_rate = thousands(load.raw_rate as u64),
    )
}
