//! Sending: from the API call to the 250 of the receiving server, through a durable queue.

use std::thread;
use std::time::Instant;

use inboxd_testkit::DnsServer;
use serde_json::json;

use crate::load::sessions::Load;
use crate::options::Options;
use crate::outcome::{Outcome, count};
use crate::peers::postfix::{Postfix, smtp_source};
use crate::peers::result_or_skip;
use crate::peers::sink::Sink;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of one measurement.
const MAILS: usize = 1_000;
/// Concurrent clients.
const CLIENTS: usize = 8;
/// Domain of the organization with DKIM signatures.
const DOMAIN: &str = "signed.example";

/// Servers of the comparison. Each sends to a sink of its own.
struct Comparison {
    server: Server,
    sink: Sink,
    postfix: Option<(Postfix, Sink)>,
}

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let (dns, sink) = (DnsServer::start().await, Sink::start()?);
    let server = Server::start(
        options,
        &[
            ("INBOXD_DNS_ADDR", dns.address().to_string()),
            ("INBOXD_DELIVERY", "relay".to_owned()),
            ("INBOXD_RELAY_URL", format!("smtp://{}", sink.address)),
        ],
    )
    .await?;
    let signed = signed_inbox(&server, &dns)?;
    let postfix = result_or_skip("Postfix", forwarding_postfix().await);
    let side = Comparison { server, sink, postfix };
    let peer = "Postfix to smtp-sink, unsigned";
    let mut unsigned = ReportRow::new("unsigned", "mails/s", peer, Requirement::Times(3.0));
    let mut by_key = ReportRow::new("RSA-2048 signed", "mails/s", peer, Requirement::Times(1.7));
    for _ in 0..options.rounds {
        let theirs = side.theirs()?;
        unsigned.add(side.ours(&side.server.inbox_id)?, theirs);
        let theirs = side.theirs()?;
        by_key.add(side.ours(&signed)?, theirs);
    }
    report::print("sending, from the call until the receiving server's 250", &[unsigned, by_key]);
    side.server.stop().await
}

async fn forwarding_postfix() -> Outcome<(Postfix, Sink)> {
    let sink = Sink::start()?;
    Ok((Postfix::forwarding(sink.address).await?, sink))
}

/// Creates an inbox on a domain with a published key.
fn signed_inbox(server: &Server, dns: &DnsServer) -> Outcome<String> {
    let mut api = server.api()?;
    let made = api.post("/v0/domains", &json!({"domain": DOMAIN}))?;
    dns.publish_all(&made);
    let domain_id = made["domain_id"].as_str().ok_or("no domain was made")?;
    let verified = api.post(&format!("/v0/domains/{domain_id}/verify"), &json!({}))?;
    if verified["status"] != "VERIFIED" {
        return Err(format!("the domain is not verified: {verified:#}").into());
    }
    let inbox = api.post("/v0/inboxes", &json!({"username": "signer", "domain": DOMAIN}))?;
    Ok(inbox["inbox_id"].as_str().ok_or("no inbox was made")?.to_owned())
}

impl Comparison {
    fn theirs(&self) -> Outcome<Option<f64>> {
        let Some((postfix, sink)) = &self.postfix else { return Ok(None) };
        let taken = sink.taken();
        let began = Instant::now();
        let load = Load { sessions: CLIENTS, reconnects: false, lasts: None };
        smtp_source(postfix.address(), &Postfix::recipient(), MAILS, load)?;
        sink.until(taken + MAILS)?;
        Ok(Some(count(MAILS) / began.elapsed().as_secs_f64()))
    }

    fn ours(&self, inbox_id: &str) -> Outcome<f64> {
        rate(&self.server, &self.sink, inbox_id)
    }
}

/// Returns the messages per second, from the first call to the last acceptance by the sink.
pub(super) fn rate(server: &Server, sink: &Sink, inbox_id: &str) -> Outcome<f64> {
    let taken = sink.taken();
    let began = Instant::now();
    thread::scope(|scope| {
        let calling: Vec<_> = (0..CLIENTS).map(|client| scope.spawn(move || call(server, inbox_id, client))).collect();
        calling.into_iter().try_for_each(|client| client.join().map_err(|_| "a client panicked")?)
    })?;
    sink.until(taken + MAILS)?;
    Ok(count(MAILS) / began.elapsed().as_secs_f64())
}

fn call(server: &Server, inbox_id: &str, client: usize) -> Outcome<()> {
    let mut api = server.api()?;
    let text = "The quick brown fox jumps over the lazy dog, and the dog lets it be.\n".repeat(50);
    for number in 0..MAILS / CLIENTS {
        let to = format!("somebody{client}.{number}@elsewhere.example");
        let mail = json!({"to": [to], "subject": format!("mail {number}"), "text": text});
        api.post(&format!("/v0/inboxes/{inbox_id}/messages/send"), &mail)?;
    }
    Ok(())
}
