//! A long run at half of the top rate under a mixed load: mail, lists, reads, searches, sends, webhooks and sockets.
//!
//! It shows whether memory grows, whether anything fails, and the latencies that a whole hour has. It runs only if it is
//! named, because the default is an hour.

mod load;
mod watchers;

use std::time::Duration;

use inboxd_testkit::{Reaction, RelayServer, WebhookReceiver};
use serde_json::json;

use crate::load::mails;
use crate::memory;
use crate::options::Options;
use crate::outcome::{Outcome, count, percentile};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;
use load::MixedLoad;
use watchers::Watchers;

/// Distinct messages; each inbox receives each of them once.
const MAILS: usize = 4_000;
/// Duration of the measurement of the top rate under the same load.
const TOP: Duration = Duration::from_secs(30);
/// Minutes after which memory must stay level.
const WARM_UP_MINUTES: usize = 10;
/// Largest deviation from the mean after them.
const MAX_DEVIATION: f64 = 0.05;

/// Memory at the end of a minute, in megabytes.
struct MemorySample {
    server: f64,
    postgres: f64,
}

/// Runs the group on one server.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    let relay = RelayServer::start().await;
    let variables = [
        ("INBOXD_DNS_ADDR", pool.dns.address().to_string()),
        ("INBOXD_DELIVERY", "relay".to_owned()),
        ("INBOXD_RELAY_URL", relay.url()),
        ("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8".to_owned()),
    ];
    let server = Server::start(options, &variables).await?;
    let receiver = WebhookReceiver::start_with(|_| Reaction::Status(200)).await;
    let subscription = json!({"url": receiver.url(), "event_types": ["message.sent", "message.delivered"]});
    server.api()?.post("/v0/webhooks", &subscription)?;
    let watchers = Watchers::start(&server, options.watchers, &receiver)?;
    let load = MixedLoad::new(&server, &pool.mails, watchers.inbox_ids());
    let top = load.run(None, TOP, || Ok(()))?;
    let half = top / 2.0;
    println!("  top rate under the mixed load: {top:.0} mails/s; {} minutes at {half:.0} mails/s", options.minutes);
    load.forget_times();
    let mut samples = Vec::new();
    let minutes = Duration::from_secs(60 * options.minutes);
    let rate = load.run(Some(half), minutes, || {
        let sample = sample(&server)?;
        println!("  minute {}: {:.1} MB, PostgreSQL {:.1} MB", samples.len() + 1, sample.server, sample.postgres);
        samples.push(sample);
        Ok(())
    })?;
    let mut rows = vec![
        ReportRow::new("accepted", "mails/s", "", Requirement::Nothing),
        ReportRow::new("failed operations and errors in the log", "", "", Requirement::Under(1.0)),
        ReportRow::new("memory after ten minutes, largest deviation, server", "%", "", level()),
        ReportRow::new("the same, its PostgreSQL", "%", "", Requirement::Nothing),
        ReportRow::new("memory at the end, server", "MB", "", Requirement::Nothing),
        ReportRow::new("the same, its PostgreSQL", "MB", "", Requirement::Nothing),
        ReportRow::new("events at the sockets, of those due", "%", "", Requirement::Nothing),
        ReportRow::new("webhook deliveries", "", "", Requirement::Nothing),
    ];
    let errors = load.errors();
    let logged = server.logged_errors()?;
    errors.iter().chain(&logged).take(20).for_each(|error| println!("  {error}"));
    let last = samples.last().ok_or("no minute has passed")?;
    let figures = [
        rate,
        count(errors.len() + logged.len()),
        deviation(samples.iter().map(|sample| sample.server)),
        deviation(samples.iter().map(|sample| sample.postgres)),
        last.server,
        last.postgres,
        watchers.received_percent(load.watched()),
        count(receiver.requests().len()),
    ];
    rows.iter_mut().zip(figures).for_each(|(row, figure)| row.add(figure, None));
    for (operation, times) in load.times() {
        for part in [50, 99] {
            let name = format!("{operation}, {part} of a hundred ({} times)", times.len());
            let mut row = ReportRow::new(name, "ms", "", Requirement::Nothing);
            row.add(percentile(&times, part), None);
            rows.push(row);
        }
    }
    report::print("an hour of mixed load", &rows);
    server.stop().await
}

fn level() -> Requirement {
    Requirement::Under(MAX_DEVIATION * 100.0)
}

fn sample(server: &Server) -> Outcome<MemorySample> {
    let postgres = memory::of_postgres(server.postgres_id()?)?;
    Ok(MemorySample { server: memory::resident(server.process_id())?, postgres })
}

/// Returns the largest deviation from the mean after the warm-up, in percent. A short run has no warm-up.
fn deviation(samples: impl Iterator<Item = f64>) -> f64 {
    let samples: Vec<f64> = samples.collect();
    let level = samples.get(WARM_UP_MINUTES..).filter(|rest| !rest.is_empty()).unwrap_or(&samples);
    let mean = level.iter().sum::<f64>() / count(level.len().max(1));
    level.iter().map(|sample| (sample - mean).abs() / mean * 100.0).fold(0.0, f64::max)
}
