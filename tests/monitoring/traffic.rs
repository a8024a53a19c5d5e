//! Traffic that has every metric, and its counts.

use inboxd_testkit::{Persona, RelayServer, TestServer, WebhookReceiver, eventually};
use serde_json::json;

use super::prometheus::check_with_promtool;
use super::samples::{mentioned, metric_names, sum};
use super::{observed, repository, scrape, scrape_open_metrics};
use crate::mcp::client::{result, stateless};
use crate::support::mail_to;

/// A server with mail in and out, a webhook, a reader of events, MCP and refusals.
pub(super) struct BusyServer {
    pub(super) server: TestServer,
    _relay: RelayServer,
    _receiver: WebhookReceiver,
}

impl BusyServer {
    pub(super) async fn start() -> Self {
        let relay = RelayServer::start().await;
        relay.set_reply("gone@outside.example", "550 5.1.1 no such user");
        let server = observed()
            .relay(&relay)
            .set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32")
            .set("INBOXD_KEY_RATE", "2")
            // Nothing listens there; the lag of a standby that never responded grows.
            .set("INBOXD_DATABASE_READ_URL", "postgres://inboxd@127.0.0.1:1/inboxd")
            .start()
            .await;
        let agent = server.sign_up("owner@example.org", "scout").await;
        agent.verify_with(&relay.code_for("owner@example.org").await).await;
        let receiver = WebhookReceiver::start().await;
        agent.post("/v0/webhooks", json!({"url": receiver.url(), "event_types": ["message.received"]})).await.ok();
        let (mut socket, _) = agent.open_subscribed_socket(json!({})).await;
        let mail = mail_to(&agent, "hello").header("Message-ID", "<hello@outside.example>").raw();
        for (to, code) in [(agent.inbox_id.as_str(), 250), (&agent.inbox_id, 250), ("nobody@inboxd.localhost", 550)] {
            let reply = server.deliver("alice@outside.example", &[to], &mail).await;
            assert_eq!(reply.code, code, "{reply:?}");
        }
        socket.next_event().await;
        receiver.wait_for_requests(1).await;
        for to in ["bob@outside.example", "gone@outside.example"] {
            agent.send(json!({"to": to, "subject": "out", "text": "hello"})).await;
        }
        relay.mail_about("out").await;
        result(&agent, stateless("tools/call", json!({"name": "list_inboxes", "arguments": {}}))).await;
        let token = inboxd_testkit::HttpRequest::new("POST", "/oauth/token").form(&[("grant_type", "none")]);
        assert!(agent.call(token).await.status >= 400);
        exceed_rate(&agent).await;
        Self { server, _relay: relay, _receiver: receiver }
    }

    /// Returns the metrics once they show the bounce and the queues.
    pub(super) async fn scrape(&self) -> String {
        eventually("the bounce and the queues are shown", async || {
            let text = scrape(&self.server).await;
            let bounced = sum(&text, "inboxd_suppressions_added_total", &[]) >= 1.0;
            let is_sampled = sum(&text, "inboxd_queue_items", &["queue=\"unindexed_messages\""]) >= 1.0;
            let is_hooked = sum(&text, "inboxd_webhook_lag_seconds_count", &[]) >= 1.0;
            (bounced && is_sampled && is_hooked).then_some(text)
        })
        .await
    }
}

/// Sends requests until the rate of the key is exceeded.
async fn exceed_rate(agent: &Persona) {
    for _ in 0..1000 {
        if agent.get("/v0/auth/me").await.status == 429 {
            return;
        }
    }
    panic!("the rate is not limited");
}

/// One server for three checks: the queues are sampled every 15 seconds.
#[tokio::test]
async fn traffic_is_counted_and_documented_without_problem() {
    let text = BusyServer::start().await.scrape().await;
    require_counts(&text);
    require_documentation(&text);
    check_with_promtool(&text);
}

/// Requires that traffic is counted by outcome and reason.
fn require_counts(text: &str) {
    let at_least = |name: &str, labels: &[&str], least: f64| {
        let found = sum(text, name, labels);
        assert!(found >= least, "{name} {labels:?} is {found}\n{text}");
    };
    at_least("inboxd_smtp_messages_total", &["outcome=\"accepted\"", "reason=\"stored\""], 1.0);
    at_least("inboxd_smtp_messages_total", &["outcome=\"accepted\"", "reason=\"duplicate\""], 1.0);
    at_least("inboxd_smtp_refusals_total", &["class=\"5xx\"", "reason=\"unknown_recipient\""], 1.0);
    at_least("inboxd_smtp_receive_duration_seconds_count", &[], 2.0);
    at_least("inboxd_smtp_content_bytes_total", &[], 100.0);
    at_least("inboxd_smtp_connections_accepted_total", &[], 3.0);
    at_least("inboxd_delivery_recipients_total", &["route=\"remote\"", "outcome=\"delivered\""], 2.0);
    at_least("inboxd_delivery_recipients_total", &["route=\"remote\"", "outcome=\"refused\""], 1.0);
    at_least("inboxd_webhook_attempts_total", &["outcome=\"2xx\""], 1.0);
    at_least("inboxd_feed_lag_seconds_count", &[], 1.0);
    at_least("inboxd_feed_subscribers", &[], 0.0);
    let route = "route=\"/v0/inboxes/{inbox_id}/messages/send\"";
    at_least("inboxd_http_requests_total", &["method=\"POST\"", route, "status=\"2xx\""], 2.0);
    at_least("inboxd_http_request_duration_seconds_count", &[route], 2.0);
    at_least("inboxd_http_limits_total", &["status=\"429\"", "reason=\"key_rate\""], 1.0);
    at_least("inboxd_mcp_calls_total", &["tool=\"list_inboxes\"", "code=\"ok\""], 1.0);
    at_least("inboxd_oauth_token_requests_total", &[], 1.0);
    at_least("inboxd_queue_items", &["queue=\"unindexed_messages\""], 1.0);
    at_least("inboxd_event_tables_ahead", &[], 7.0);
    at_least("inboxd_database_server_connections", &[], 1.0);
    at_least("inboxd_database_pool_connections", &["pool=\"http\""], 1.0);
    at_least("inboxd_database_pool_wait_seconds_count", &["pool=\"smtp\""], 1.0);
    at_least("inboxd_tls_certificate_expiry_timestamp_seconds", &["certificate=\"smtp\""], 1.0);
    at_least("process_open_fds", &[], 5.0);
    at_least("process_resident_memory_bytes", &[], 1_000_000.0);
    assert!(!text.contains("outside.example") && !text.contains("scout"), "a label has an address\n{text}");
}

/// Requires that the documentation lists exactly the served metrics.
fn require_documentation(text: &str) {
    let served = metric_names(text);
    let page = std::fs::read_to_string(repository("docs/metrics.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `inboxd_") || line.starts_with("| `process_"));
    let documented = rows.map(|row| row.split('`').nth(1).unwrap().to_owned()).collect();
    assert_eq!(served, documented);
    for file in ["packaging/grafana/inboxd.json", "packaging/prometheus/alerts.yml"] {
        let used = mentioned(&std::fs::read_to_string(repository(file)).unwrap());
        let missing: Vec<_> = used.difference(&served).collect();
        assert!(used.len() > 10 && missing.is_empty(), "{file} uses unknown metrics: {missing:?}");
    }
}

#[tokio::test]
async fn both_formats_have_the_same_samples() {
    let server = observed().start().await;
    let open = scrape_open_metrics(&server).await;
    assert!(open.ends_with("# EOF\n") && open.contains("# TYPE inboxd_smtp_messages counter\n"), "{open}");
    let text = scrape(&server).await;
    assert!(!text.contains("# EOF") && !text.contains("# UNIT"), "{text}");
    assert!(text.contains("# TYPE inboxd_smtp_messages_total counter\n"), "{text}");
    assert!(text.contains("# TYPE inboxd_build_info gauge\n"), "{text}");
    let (open, text) = (super::samples::series(&open), super::samples::series(&text));
    // A pool of an HTTP worker may open between the two.
    assert!(open.is_subset(&text), "{:?}", open.difference(&text));
}
