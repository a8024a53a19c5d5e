//! Many writers against many readers who come and go: each reader ends with exactly what is in the table, in one order.

use inboxd_testkit::{Http, Mail, Persona, Request, Server, SmtpClient, encoded, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{behind, events, id, started, subject};
use crate::support::{set_plan, uuid};

/// Connections that deliver mail, callers that send some, and how many mails each of them has.
const CONNECTIONS: usize = 8;
const CALLERS: usize = 4;
const MAILS: usize = 25;
/// What the last mail is about.
const END: &str = "the end";

/// Numbers that differ from reader to reader and are the same in every run (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Delivers mails, every third one to two inboxes at once.
async fn deliver(address: String, inboxes: [String; 2], connection: usize) {
    let mut client = SmtpClient::connect(&address).await;
    client.ehlo().await;
    for number in 0..MAILS {
        let to: Vec<&str> = inboxes.iter().take(1 + usize::from(number % 3 == 0)).map(String::as_str).collect();
        let mail = Mail::new("alice@outside.example", to[0], &format!("{connection} {number}"), "hello").raw();
        client.deliver("alice@outside.example", &to, &mail).await.is(250, "2");
    }
    client.quit().await;
}

/// Sends mails, each of which is sent and then delivered.
async fn send(agent: Persona, caller: usize) {
    for number in 0..MAILS {
        agent.send(json!({"to": "bob@outside.example", "subject": format!("{caller} {number}"), "text": "x"})).await;
    }
}

/// Reads page after page, behind the last event that was read.
async fn by_pages(http: Http, mut last: String, mut chance: Chance) -> Vec<String> {
    let mut read = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = token.take().map(|token| format!("&page_token={token}")).unwrap_or_default();
        let page = http.get(&format!("{}&limit=7&wait=5{page}", behind(&last))).await.ok();
        let found = events(&page);
        read.extend(found.iter().map(id));
        if found.iter().any(|event| subject(event) == END) {
            return read;
        }
        // Now by the token of the page, now by the last event of it.
        let next = page["next_page_token"].as_str().filter(|_| chance.below(2) == 0);
        token = next.map(encoded);
        if token.is_none() {
            last = read.last().cloned().unwrap_or(last);
        }
    }
}

/// Reads over one socket after the other: each breaks after some events.
async fn by_sockets(http: Http, mut last: String, mut chance: Chance) -> Vec<String> {
    let mut read = Vec::new();
    loop {
        let (mut socket, _) = http.subscribed(json!({"after_event_id": last})).await;
        for _ in 0..=chance.below(40) {
            let event = socket.event().await;
            read.push(id(&event));
            if subject(&event) == END {
                return read;
            }
        }
        last = read.last().cloned().unwrap_or(last);
    }
}

/// Reads one stream after the other.
async fn by_streams(http: Http, first: String, mut chance: Chance) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    loop {
        let last = read.last().unwrap_or(&first);
        let request = Request::new("GET", &behind(&first)).header("Last-Event-ID", last);
        let mut stream = http.stream(request).await.unwrap();
        for _ in 0..=chance.below(60) {
            let event: Value = stream.event().await;
            read.push(id(&event));
            if subject(&event) == END {
                return read;
            }
        }
    }
}

/// The ids of the events behind the first one, in the order in which they have their places.
async fn table(server: &Server, agent: &Persona, first: &str) -> Vec<String> {
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
async fn every_reader_ends_with_every_event_once_and_in_one_order() {
    let (server, agent, first) = started().await;
    set_plan(&server, &agent, "enterprise").await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let inboxes = [agent.inbox_id.clone(), "desk@inboxd.localhost".to_owned()];

    let mut readers = JoinSet::new();
    let http: &Http = &agent;
    for seed in 1..=3 {
        readers.spawn(by_pages(http.clone(), first.clone(), Chance(seed)));
        readers.spawn(by_sockets(http.clone(), first.clone(), Chance(seed * 77)));
        readers.spawn(by_streams(http.clone(), first.clone(), Chance(seed * 7_777)));
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
    super::mail(&server, &agent.inbox_id, END).await;
    let table = async { table(&server, &agent, &first).await };
    let read = readers.join_all().await;
    let table = table.await;
    assert_eq!(table.len(), expected + 1);
    let stored = "SELECT 'evt_' || replace(event_id::text, '-', '') AS text FROM events ORDER BY event_id";
    let mut stored = server.database().session().await.texts(stored).await;
    stored.retain(|event| *event != first);
    let mut sorted = table.clone();
    sorted.sort();
    assert_eq!(sorted, stored, "every event has one place");
    for (number, read) in read.iter().enumerate() {
        assert!(*read == table, "reader {number} has read {} events of {}", read.len(), table.len());
    }
    assert_ne!(table, stored, "the race is one: events were committed out of their order");
}
