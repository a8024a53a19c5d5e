//! Organizations with many sockets and a webhook, whose inboxes receive a message each second.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use inboxd_testkit::WebhookReceiver;
use serde_json::json;

use crate::load::http::Http;
use crate::load::socket::Socket;
use crate::outcome::{Outcome, count};
use crate::server::Server;

/// Organizations, each with a client address of its own.
const ORGANIZATIONS: u8 = 8;
/// Stack of a thread that reads one socket.
const STACK_BYTES: usize = 128 * 1024;
/// Time for the last events to arrive.
const LAST_EVENTS: Duration = Duration::from_secs(2);

/// Subscribed sockets, each read by a thread that ends with the server.
pub(super) struct Watchers {
    inbox_ids: Vec<String>,
    sockets_each: usize,
    arrived: Arc<AtomicUsize>,
}

impl Watchers {
    /// Opens so many sockets in all.
    pub(super) fn start(server: &Server, sockets: usize, receiver: &WebhookReceiver) -> Outcome<Self> {
        let sockets_each = sockets / usize::from(ORGANIZATIONS);
        let arrived = Arc::new(AtomicUsize::new(0));
        let mut inbox_ids = Vec::new();
        for number in 0..ORGANIZATIONS {
            let key = server.another_key(&format!("watcher{number}"))?;
            let mut api = Http::connect(server.http_address(), Some(&key))?;
            let inboxes = api.get("/v0/inboxes")?;
            inbox_ids.push(inboxes["inboxes"][0]["inbox_id"].as_str().ok_or("no inbox")?.to_owned());
            server.lift_limits()?;
            api.post("/v0/webhooks", &json!({"url": receiver.url(), "event_types": ["message.received"]}))?;
            for _ in 0..sockets_each {
                let mut socket = Socket::subscribe(Ipv4Addr::new(127, 0, 0, 2 + number), server.http_address(), &key)?;
                let arrived = Arc::clone(&arrived);
                thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
                    while socket.next().is_ok() {
                        arrived.fetch_add(1, Ordering::Relaxed);
                    }
                })?;
            }
        }
        Ok(Self { inbox_ids, sockets_each, arrived })
    }

    /// Returns the inbox of each organization.
    pub(super) fn inbox_ids(&self) -> &[String] {
        &self.inbox_ids
    }

    /// Returns the share of the events of so many messages that the sockets received, in percent.
    pub(super) fn received_percent(&self, messages: usize) -> f64 {
        thread::sleep(LAST_EVENTS);
        let due = messages * self.sockets_each;
        count(self.arrived.load(Ordering::Relaxed)) / count(due.max(1)) * 100.0
    }
}
