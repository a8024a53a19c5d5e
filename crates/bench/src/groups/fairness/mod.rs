//! Service for one tenant during an attack by another tenant and one client address.
//!
//! The attacker is an unverified organization with a single client address. It holds sockets, memory, connections and
//! rows at the same time. The measured tenant lists, receives and sends.

mod attack;
mod tenant;

use std::time::Duration;

use inboxd_testkit::{DnsServer, FileServer, RelayServer};

use crate::memory;
use crate::options::Options;
use crate::outcome::{Outcome, percentile};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;
use attack::Attack;
use tenant::Tenant;

/// Duration of the measurement without the attack.
const CALM: Duration = Duration::from_secs(5);
/// Duration of the measurement under attack.
const ATTACK: Duration = Duration::from_secs(30);
/// Size of the file behind the attachment URL: the largest accepted attachment.
const ATTACHMENT_BYTES: usize = 24 * 1024 * 1024;

/// Measures the group, each round on a fresh server.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let under = |most| Requirement::Under(most);
    let mut rows = [
        ("list of 50, p95, without the attack", "ms", Requirement::Nothing),
        ("list of 50, p95, under attack", "ms", Requirement::Nothing),
        ("difference of the two", "ms", under(100.0)),
        ("SMTP connection to 250, slowest, under attack", "ms", under(2_000.0)),
        ("call to the receiving server's 250, slowest, under attack", "ms", under(2_000.0)),
        ("peak memory of the server", "MB", under(700.0)),
    ]
    .map(|(name, unit, demand)| ReportRow::new(name, unit, "", demand));
    for _ in 0..options.rounds {
        let figures = round(options).await?;
        rows.iter_mut().zip(figures).for_each(|(row, figure)| row.add(figure, None));
    }
    report::print("one tenant while another attacks", &rows);
    Ok(())
}

async fn round(options: &Options) -> Outcome<[f64; 6]> {
    let (dns, relay) = (DnsServer::start().await, RelayServer::start().await);
    let file = FileServer::start("application/octet-stream", &vec![b'x'; ATTACHMENT_BYTES]).await;
    let variables = [
        ("INBOXD_DNS_ADDR", dns.address().to_string()),
        ("INBOXD_DELIVERY", "relay".to_owned()),
        ("INBOXD_RELAY_URL", relay.url()),
        ("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8".to_owned()),
        ("INBOXD_UNAUTHENTICATED_RATE", "30".to_owned()),
    ];
    let server = Server::start(options, &variables).await?;
    let tenant = Tenant::fill(&server)?;
    let attack = Attack::prepare(&server, file.url())?;
    let calm = tenant.measure(&relay, CALM)?;
    let running = attack.start();
    let attacked = tenant.measure(&relay, ATTACK);
    println!("  refusals and replies to the attacker: {}", running.stop());
    let attacked = attacked?;
    let peak = memory::peak(server.process_id())?;
    server.stop().await?;
    let lists = (percentile(&calm.lists, 95), percentile(&attacked.lists, 95));
    let slowest = |times| percentile(times, 100);
    Ok([lists.0, lists.1, lists.1 - lists.0, slowest(&attacked.received), slowest(&attacked.left), peak])
}
