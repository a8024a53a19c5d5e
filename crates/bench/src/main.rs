//! Benchmarks of the whole server, side by side with what it stands on.
//!
//! Each round measures PostgreSQL alone and then the server on the same PostgreSQL, with everything durable; the ratios
//! of the rounds say more than any figure, for the machine's speed drifts and both drift with it.

mod baseline;
mod reading;
mod receiving;
mod server;
mod smtp;

use std::error::Error;

use server::Server;

/// How often everything is measured.
const ROUNDS: usize = 5;
/// Mails of one measurement.
const MAILS: usize = 2_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    read_mails();
    if std::env::args().nth(1).as_deref() == Some("reading") {
        return Ok(());
    }
    let server = Server::start().await?;
    println!(
        "{:>28} {:>10} {:>9} {:>9} {:>9}   (min – max of {ROUNDS} rounds)",
        "", "median/s", "p50 ms", "p99 ms", "ratio"
    );
    let mut rows: Vec<Row> = [1, 8, 32].map(Row::new).into();
    let mut commits = Vec::new();
    for _ in 0..ROUNDS {
        let base = baseline::commits_a_second(server.database_url(), 8, MAILS).await?;
        commits.push(base);
        for row in &mut rows {
            row.rounds.push((receiving::measure(&server, row.sessions, MAILS)?, base));
        }
    }
    commits.sort_by(f64::total_cmp);
    println!("{:>28} {:>10.0}", "PostgreSQL commits, 8 clients", commits[ROUNDS / 2]);
    rows.iter().for_each(Row::print);
    server.stop().await
}

/// How fast mail is read, beside a parser that extracts nothing.
fn read_mails() {
    println!("{:>32} {:>8} {:>9}   (min – max of {ROUNDS} rounds)", "reading, one processor", "MB/s", "ratio");
    for case in reading::cases() {
        let rounds: Vec<(f64, f64)> = (0..ROUNDS).map(|_| case.measure()).collect();
        let (rate, _) = spread(rounds.iter().map(|(ours, _)| *ours));
        let (ratio, (least, most)) = spread(rounds.iter().map(|(ours, peer)| ours / peer));
        println!("{:>32} {rate:>8.0} {ratio:>9.3}   ({least:.3} – {most:.3})", case.name);
    }
}

/// What was measured with one number of sessions.
struct Row {
    sessions: usize,
    rounds: Vec<(receiving::Measured, f64)>,
}

impl Row {
    fn new(sessions: usize) -> Self {
        Self { sessions, rounds: Vec::new() }
    }

    fn print(&self) {
        let (rate, _) = spread(self.rounds.iter().map(|(measured, _)| measured.mails_a_second));
        let (p50, _) = spread(self.rounds.iter().map(|(measured, _)| measured.p50_ms));
        let (p99, _) = spread(self.rounds.iter().map(|(measured, _)| measured.p99_ms));
        let (ratio, (least, most)) = spread(self.rounds.iter().map(|(measured, base)| measured.mails_a_second / base));
        let name = format!("SMTP, {} session(s)", self.sessions);
        println!("{name:>28} {rate:>10.0} {p50:>9.2} {p99:>9.2} {ratio:>9.3}   ({least:.3} – {most:.3})");
    }
}

/// The median, and the least and the most.
fn spread(figures: impl Iterator<Item = f64>) -> (f64, (f64, f64)) {
    let mut sorted: Vec<f64> = figures.collect();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
    (at(sorted.len() / 2), (at(0), at(sorted.len().saturating_sub(1))))
}
