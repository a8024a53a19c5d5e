//! What the same things take at ten times the data.

use crate::fill::{self, COMMON, RARE, TWO};
use crate::load::http::encoded;
use crate::load::mails::{self, Pool};
use crate::load::sessions::{self, Load};
use crate::outcome::Outcome;
use crate::peers::wrk;
use crate::report::{self, Demand, Row};
use crate::server::Server;

/// The size of the one inbox, and of the other.
const SIZES: [usize; 2] = [10_000, 100_000];
/// Mails that are received in a measurement.
const MAILS: usize = 1_000;
/// Seconds that reading is measured for, and by how many clients.
const READING: (u32, usize) = (2, 8);

/// Measures it: the larger inbox is ours, the smaller the peer's.
pub(crate) async fn run(rounds: usize) -> Outcome<()> {
    let pool = mails::pool(MAILS * rounds).await?;
    let dns = &pool.dns;
    dns.txt("bench.example", "v=spf1 ip4:127.0.0.1 -all");
    let mut server = Server::start(&[("INBOXD_DNS_ADDR", dns.address().to_string())]).await?;
    fill::prepare(&server)?;
    let [small, large] = SIZES;
    let inboxes = [fill::fill(&mut server, small)?, fill::fill(&mut server, large)?];
    let row = |name: &str, unit| Row::new(name, unit, format!("inbox of {small}"), Demand::Nothing);
    let mut received = row("receiving, 8 sessions into the one inbox", "mails/s");
    let mut read = [
        (row("GET one message, 8 clients", "req/s"), format!("/{}", encoded("<5000.fill@bench.example>"))),
        (row("GET list of 50, 8 clients", "req/s"), "?limit=50".to_owned()),
    ];
    let mut searched = [
        (row("search for a rare word, one client", "ms"), RARE),
        (row("search for a common word, one client", "ms"), COMMON),
        (row("search for two rare letters, one client", "ms"), TWO),
    ];
    let mut api = server.api()?;
    for round in 0..rounds {
        let [less, more] = inboxes.each_ref().map(|inbox_id| receive(&server, inbox_id, &pool, round));
        received.add(more?, less?);
        for (row, rest) in &mut read {
            let [less, more] = inboxes.each_ref().map(|inbox_id| ask(&server, inbox_id, rest));
            row.add(more?, less?);
        }
        for (row, needle) in &mut searched {
            let mut search =
                |inbox_id| api.median_ms(&format!("/v0/inboxes/{inbox_id}/messages/search?q={needle}&limit=50"));
            let [less, more] = inboxes.each_ref().map(&mut search);
            row.add(more?, less?);
        }
    }
    let mut rows = vec![received];
    rows.extend(read.into_iter().map(|(row, _)| row));
    rows.extend(searched.into_iter().map(|(row, _)| row));
    report::print(&format!("growth: an inbox of {large} beside one of {small}"), &rows);
    server.stop().await
}

fn receive(server: &Server, inbox_id: &str, pool: &Pool, round: usize) -> Outcome<f64> {
    let mails = pool.mails.get(round * MAILS..(round + 1) * MAILS).ok_or("too few mails were made")?;
    let load = Load { sessions: 8, reconnects: false, lasts: None };
    Ok(sessions::send(server.smtp, &[inbox_id.to_owned()], mails, load)?.rate)
}

/// Requests a second for something below the messages of an inbox.
fn ask(server: &Server, inbox_id: &str, rest: &str) -> Outcome<f64> {
    let (seconds, clients) = READING;
    let path = format!("/v0/inboxes/{inbox_id}/messages{rest}");
    wrk::rate(server.http_address(), server.key(), &[path], clients, seconds)
}
