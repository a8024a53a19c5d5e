//! Delay from the 250 of a message to its event, at a webhook receiver and a WebSocket.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::mpsc::{self, Receiver as Heard};
use std::thread;
use std::time::{Duration, Instant};

use inboxd_testkit::{Reaction, WebhookReceiver};
use serde_json::{Value, json};

use crate::load::mails::{self, Pool, SignedMail};
use crate::load::sessions::{self, Load};
use crate::load::smtp::Session;
use crate::load::socket::Socket;
use crate::options::Options;
use crate::outcome::{Outcome, count, percentile};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of one measurement of an idle server, and the interval between them.
const IDLE_MESSAGES: (usize, Duration) = (100, Duration::from_millis(25));
/// Messages for the measurement of the maximum rate, and of half of it.
const BUSY_MESSAGES: usize = 1_000;
/// Concurrent SMTP sessions.
const SESSIONS: usize = 8;
/// Limit for the arrival of an event.
const EVENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Received event: its message and time.
type ReceivedEvent = (String, Instant);

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(BUSY_MESSAGES).await?;
    let variables = [
        ("INBOXD_DNS_ADDR", pool.dns.address().to_string()),
        ("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8".to_owned()),
    ];
    let mut server = Server::start(options, &variables).await?;
    let (tell, hooked) = mpsc::channel();
    let receiver = WebhookReceiver::start_with(move |request| {
        // The measurement may have ended.
        let _ = tell.send((message_id(&request.event()), Instant::now()));
        Reaction::Status(200)
    })
    .await;
    server.api()?.post("/v0/webhooks", &json!({"url": receiver.url(), "event_types": ["message.received"]}))?;
    let heard = listen(Socket::subscribe(Ipv4Addr::LOCALHOST, server.http_address(), server.key())?);
    let row = |name: &str, most| ReportRow::new(name, "ms", "", Requirement::Under(most));
    let mut rows = [
        row("idle, webhook, half of all mails", 2.0),
        row("idle, webhook, 99 of a hundred", 8.0),
        row("idle, WebSocket, half of all mails", 2.0),
        row("idle, WebSocket, 99 of a hundred", 8.0),
        row("half the top rate, webhook, half of all mails", 5.0),
        row("half the top rate, webhook, 99 of a hundred", 50.0),
        row("half the top rate, WebSocket, half of all mails", 5.0),
        row("half the top rate, WebSocket, 99 of a hundred", 50.0),
    ];
    let ends = [&hooked, &heard];
    for _ in 0..options.rounds {
        let idle = idle(&mut server, &pool, ends)?;
        let busy = busy(&mut server, &pool, ends)?;
        let figures = idle.iter().chain(&busy).flat_map(|times| [percentile(times, 50), percentile(times, 99)]);
        rows.iter_mut().zip(figures).for_each(|(row, figure)| row.add(figure, None));
    }
    report::print("from the 250 until the event arrives", &rows);
    server.stop().await
}

fn idle(server: &mut Server, pool: &Pool, ends: [&Heard<ReceivedEvent>; 2]) -> Outcome<[Vec<Duration>; 2]> {
    let inboxes = server.new_inboxes(1)?;
    let inbox_id = inboxes.first().ok_or("no inbox")?;
    let (mails, pause) = IDLE_MESSAGES;
    let sent = paced(server, inbox_id, pool.mails.get(..mails).ok_or("too few mails were made")?, pause)?;
    after(&sent, ends)
}

/// Measures at half of the maximum rate of eight sessions, each with an inbox of its own.
fn busy(server: &mut Server, pool: &Pool, ends: [&Heard<ReceivedEvent>; 2]) -> Outcome<[Vec<Duration>; 2]> {
    let recipients = server.new_inboxes(SESSIONS)?;
    let load = Load { sessions: SESSIONS, reconnects: false, lasts: None };
    let top = sessions::send(server.smtp, &recipients, &pool.mails, load)?.rate;
    for end in ends {
        for _ in 0..pool.mails.len() {
            end.recv_timeout(EVENT_TIMEOUT)?;
        }
    }
    let recipients = server.new_inboxes(SESSIONS)?;
    let pause = Duration::from_secs_f64(count(SESSIONS) / (top / 2.0));
    let part = pool.mails.len().div_ceil(SESSIONS);
    let shared = &*server;
    let sent = thread::scope(|scope| {
        let parts = pool.mails.chunks(part).zip(&recipients);
        let running: Vec<_> =
            parts.map(|(part, inbox_id)| scope.spawn(move || paced(shared, inbox_id, part, pause))).collect();
        let mut sent = HashMap::new();
        for session in running {
            sent.extend(session.join().map_err(|_| "a session panicked")??);
        }
        Outcome::Ok(sent)
    })?;
    after(&sent, ends)
}

/// Sends messages at a fixed interval and returns the time of each acceptance.
fn paced(server: &Server, inbox_id: &str, mails: &[SignedMail], pace: Duration) -> Outcome<HashMap<String, Instant>> {
    let mut session = Session::open(server.smtp)?;
    let mut sent = HashMap::new();
    let mut next = Instant::now();
    for mail in mails {
        thread::sleep(next.saturating_duration_since(Instant::now()));
        next += pace;
        session.send(&mail.sender, inbox_id, &mail.content)?;
        sent.insert(mail.message_id.clone(), Instant::now());
    }
    session.quit()?;
    Ok(sent)
}

/// Returns the delay of each event at both receivers.
fn after(sent: &HashMap<String, Instant>, ends: [&Heard<ReceivedEvent>; 2]) -> Outcome<[Vec<Duration>; 2]> {
    let [hooked, heard] = ends;
    Ok([at_end(sent, hooked)?, at_end(sent, heard)?])
}

fn at_end(sent: &HashMap<String, Instant>, end: &Heard<ReceivedEvent>) -> Outcome<Vec<Duration>> {
    let mut times = Vec::with_capacity(sent.len());
    for _ in 0..sent.len() {
        let (message_id, at) = end.recv_timeout(EVENT_TIMEOUT)?;
        let accepted = sent.get(&message_id).ok_or_else(|| format!("{message_id:?} was not sent"))?;
        times.push(at.saturating_duration_since(*accepted));
    }
    Ok(times)
}

/// Returns the delays of events on an idle server at a WebSocket.
pub(super) fn event_delays(server: &Server, inbox_id: &str, pool: &Pool) -> Outcome<Vec<Duration>> {
    let heard = listen(Socket::subscribe(Ipv4Addr::LOCALHOST, server.http_address(), server.key())?);
    let (mails, pause) = IDLE_MESSAGES;
    let sent = paced(server, inbox_id, pool.mails.get(..mails).ok_or("too few mails were made")?, pause)?;
    at_end(&sent, &heard)
}

fn listen(mut socket: Socket) -> Heard<ReceivedEvent> {
    let (tell, heard) = mpsc::channel();
    thread::spawn(move || {
        // The loop ends with the server.
        while let Ok(event) = socket.next() {
            if tell.send((message_id(&event), Instant::now())).is_err() {
                return;
            }
        }
    });
    heard
}

fn message_id(event: &Value) -> String {
    event["message"]["message_id"].as_str().unwrap_or_default().to_owned()
}
