//! Concurrent writers and reconnecting readers: each reader ends with the exact content of the table in one order.

use inboxd_testkit::{HttpClient, HttpRequest, MailBuilder, Persona, SmtpClient, TestServer, encoded, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{event_id, event_subject, page_events, path_after, start_feed};
use crate::support::{set_plan, uuid};

/// Number of SMTP connections and of sending callers, and the number of mails of each.
const CONNECTIONS: usize = 8;
const CALLERS: usize = 4;
const MAILS: usize = 25;
/// Subject of the last mail.
const END: &str = "the end";

/// Pseudo-random numbers, different for each reader and equal in each run (xorshift).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Delivers mails, every third one to two inboxes.
async fn deliver(address: String, inboxes: [String; 2], connection: usize) {
    let mut client = SmtpClient::connect(&address).await;
    client.ehlo().await;
    for number in 0..MAILS {
        let to: Vec<&str> = inboxes.iter().take(1 + usize::from(number % 3 == 0)).map(String::as_str).collect();
        let mail = MailBuilder::new("alice@outside.example", to[0], &format!("{connection} {number}"), "hello").raw();
        client.deliver("alice@outside.example", &to, &mail).await.require_code(250, "2");
    }
    client.quit().await;
}

/// Sends messages; each yields two events, sent and delivered.
async fn send(agent: Persona, caller: usize) {
    for number in 0..MAILS {
        agent.send(json!({"to": "bob@outside.example", "subject": format!("{caller} {number}"), "text": "x"})).await;
    }
}

/// Reads page after page from the last event.
async fn read_by_pages(http: HttpClient, mut last: String, mut chance: Xorshift) -> Vec<String> {
    let mut read = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = token.take().map(|token| format!("&page_token={token}")).unwrap_or_default();
        let page = http.get(&format!("{}&limit=7&wait=5{page}", path_after(&last))).await.ok();
        let found = page_events(&page);
        read.extend(found.iter().map(event_id));
        if found.iter().any(|event| event_subject(event) == END) {
            return read;
        }
        // Continues by page token or by event id in random order.
        let next = page["next_page_token"].as_str().filter(|_| chance.below(2) == 0);
        token = next.map(encoded);
        if token.is_none() {
            last = read.last().cloned().unwrap_or(last);
        }
    }
}

/// Reads through several sockets; each breaks after some events.
async fn read_by_sockets(http: HttpClient, mut last: String, mut chance: Xorshift) -> Vec<String> {
    let mut read = Vec::new();
    loop {
        let (mut socket, _) = http.open_subscribed_socket(json!({"after_event_id": last})).await;
        for _ in 0..=chance.below(40) {
            let event = socket.next_event().await;
            read.push(event_id(&event));
            if event_subject(&event) == END {
                return read;
            }
        }
        last = read.last().cloned().unwrap_or(last);
    }
}

/// Reads through several streams.
async fn read_by_streams(http: HttpClient, first: String, mut chance: Xorshift) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    loop {
        let last = read.last().unwrap_or(&first);
        let request = HttpRequest::new("GET", &path_after(&first)).header("Last-Event-ID", last);
        let mut stream = http.open_stream(request).await.unwrap();
        for _ in 0..=chance.below(60) {
            let event: Value = stream.next_event().await;
            read.push(event_id(&event));
            if event_subject(&event) == END {
                return read;
            }
        }
    }
}

/// Returns the ids of the events after the first one in order of position.
async fn stored_events(server: &TestServer, agent: &Persona, first: &str) -> Vec<String> {
    let (organization_id, first) = (agent.organization_id.clone(), first.to_owned());
    let text = format!(
        "SELECT 'evt_' || replace(event_id::text, '-', '') AS text FROM feed
        WHERE organization_id = '{}' AND event_id <> '{}' ORDER BY sequenced_at, position",
        uuid(&json!(organization_id)),
        uuid(&json!(first))
    );
    server.database().session().await.texts(&text).await
}

#[tokio::test]
async fn readers_receive_every_event_once_in_one_order() {
    let (server, agent, first) = start_feed().await;
    set_plan(&server, &agent, "enterprise").await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let inboxes = [agent.inbox_id.clone(), "desk@inboxd.localhost".to_owned()];

    let mut readers = JoinSet::new();
    let http: &HttpClient = &agent;
    for seed in 1..=2 {
        readers.spawn(read_by_pages(http.clone(), first.clone(), Xorshift(seed)));
        readers.spawn(read_by_sockets(http.clone(), first.clone(), Xorshift(seed * 77)));
        readers.spawn(read_by_streams(http.clone(), first.clone(), Xorshift(seed * 7_777)));
    }
    let mut writers = JoinSet::new();
    for connection in 0..CONNECTIONS {
        writers.spawn(deliver(server.smtp_address().to_owned(), inboxes.clone(), connection));
    }
    for caller in 0..CALLERS {
        writers.spawn(send(agent.clone(), caller));
    }
    writers.join_all().await;

    let to_both = (0..MAILS).filter(|number| number % 3 == 0).count();
    let expected = CONNECTIONS * (MAILS + to_both) + 2 * CALLERS * MAILS;
    eventually("all that was sent is delivered", async || {
        let delivered = agent.get("/v0/events?event_types=message.delivered&limit=200").await.ok();
        (delivered["count"] == CALLERS * MAILS).then_some(())
    })
    .await;
    super::deliver_mail(&server, &agent.inbox_id, END).await;
    let table = async { stored_events(&server, &agent, &first).await };
    let read = readers.join_all().await;
    let table = table.await;
    assert_eq!(table.len(), expected + 1);
    let stored = "SELECT 'evt_' || replace(event_id::text, '-', '') AS text FROM events ORDER BY event_id";
    let mut stored = server.database().session().await.texts(stored).await;
    stored.retain(|event| *event != first);
    let mut sorted = table.clone();
    sorted.sort();
    assert_eq!(sorted, stored, "every event has one position");
    for (number, read) in read.iter().enumerate() {
        assert!(*read == table, "reader {number} has read {} events of {}", read.len(), table.len());
    }
    assert_ne!(table, stored, "the race occurred: events were committed out of order");
}
