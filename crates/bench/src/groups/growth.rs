//! Growth of costs at ten times the data, with two servers and a filled inbox each.

use crate::fill::{self, COMMON_WORD, RARE_WORD, TWO_LETTERS};
use crate::groups::{events, latency, sending};
use crate::load::http::encoded;
use crate::load::mails::{self, Pool, SignedMail};
use crate::load::sessions::{self, Load};
use crate::options::Options;
use crate::outcome::{Outcome, percentile};
use crate::peers::sink::Sink;
use crate::peers::wrk;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of the two inboxes.
const SIZES: [usize; 2] = [10_000, 100_000];
/// Messages that are received in one measurement, and the SMTP load.
const MAILS: usize = 1_000;
const LOAD: Load = Load { sessions: 8, reconnects: false, lasts: None };
/// API load.
const READERS: wrk::Load = wrk::Load { connections: 8, seconds: 2 };

/// Server with a filled inbox, and the tools of its measurement.
struct GrowthSetup {
    server: Server,
    sink: Sink,
    /// The filled inbox.
    inbox_id: String,
    pool: Pool,
    /// Messages of this round, which the inbox has not received yet.
    round: usize,
}

/// Function that measures one figure.
type Measure = fn(&mut GrowthSetup) -> Outcome<f64>;

const FIGURES: [(&str, &str, Measure); 10] = [
    ("receiving, 8 sessions into the filled inbox", "mails/s", |place| {
        let mails = place.fresh()?;
        Ok(sessions::send(place.server.smtp, std::slice::from_ref(&place.inbox_id), mails, LOAD)?.rate)
    }),
    ("receiving, 8 sessions, a new inbox each", "mails/s", |place| {
        let recipients = place.server.new_inboxes(LOAD.sessions)?;
        Ok(sessions::send(place.server.smtp, &recipients, place.fresh()?, LOAD)?.rate)
    }),
    ("idle server, MAIL to 250, half of all mails", "ms", |place| {
        let recipient = place.new_inbox()?;
        let mails = place.pool.mails.get(..100).ok_or("too few mails were made")?;
        Ok(percentile(&latency::one_by_one(place.server.smtp, &recipient, mails)?.mail, 50))
    }),
    ("idle server, 250 to WebSocket, half of all mails", "ms", |place| {
        let recipient = place.new_inbox()?;
        Ok(percentile(&events::event_delays(&place.server, &recipient, &place.pool)?, 50))
    }),
    ("sending, 8 clients", "mails/s", |place| sending::rate(&place.server, &place.sink, &place.server.inbox_id)),
    ("GET one message, 8 clients", "req/s", |place| place.read(&format!("/{}", encoded("<5000.fill@bench.example>")))),
    ("GET list of 50, 8 clients", "req/s", |place| place.read("?limit=50")),
    ("search for a rare word, one client", "ms", |place| place.search(RARE_WORD)),
    ("search for a common word, one client", "ms", |place| place.search(COMMON_WORD)),
    ("search for two rare letters, one client", "ms", |place| place.search(TWO_LETTERS)),
];

/// Measures the group. The larger inbox counts as ours, the smaller as the peer's.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let [small, large] = SIZES;
    let mut less = GrowthSetup::start(options, small).await?;
    let mut more = GrowthSetup::start(options, large).await?;
    let mut rows =
        FIGURES.map(|(name, unit, _)| ReportRow::new(name, unit, format!("at {small}"), Requirement::Nothing));
    for round in 0..options.rounds {
        (less.round, more.round) = (round, round);
        for ((.., measure), row) in FIGURES.iter().zip(&mut rows) {
            let theirs = measure(&mut less)?;
            row.add(measure(&mut more)?, theirs);
        }
    }
    report::print(&format!("growth: a server with {large} messages beside one with {small}"), &rows);
    less.server.stop().await?;
    more.server.stop().await
}

impl GrowthSetup {
    async fn start(options: &Options, messages: usize) -> Outcome<Self> {
        let pool = mails::pool(MAILS * options.rounds).await?;
        pool.dns.txt("bench.example", "v=spf1 ip4:127.0.0.1 -all");
        let sink = Sink::start()?;
        let mut server = Server::start(
            options,
            &[
                ("INBOXD_DNS_ADDR", pool.dns.address().to_string()),
                ("INBOXD_DELIVERY", "relay".to_owned()),
                ("INBOXD_RELAY_URL", format!("smtp://{}", sink.address)),
            ],
        )
        .await?;
        fill::prepare(&server)?;
        let inbox_id = fill::fill(&mut server, messages)?;
        Ok(Self { server, sink, inbox_id, pool, round: 0 })
    }

    fn fresh(&self) -> Outcome<&[SignedMail]> {
        Ok(self.pool.mails.get(self.round * MAILS..(self.round + 1) * MAILS).ok_or("too few mails were made")?)
    }

    fn new_inbox(&mut self) -> Outcome<String> {
        Ok(self.server.new_inboxes(1)?.pop().ok_or("no inbox was made")?)
    }

    /// Returns the requests per second for a path below the messages of the filled inbox.
    fn read(&self, rest: &str) -> Outcome<f64> {
        let path = format!("/v0/inboxes/{}/messages{rest}", self.inbox_id);
        wrk::rate(self.server.http_address(), self.server.key(), &[path], READERS)
    }

    fn search(&self, needle: &str) -> Outcome<f64> {
        self.server.api()?.median_ms(&format!("/v0/inboxes/{}/messages/search?q={needle}&limit=50", self.inbox_id))
    }
}
