//! Everything that may be cut short, all at once: mail comes in, mail is sent to a server outside and to an inbox here, and
//! scheduled drafts come due, and a webhook is told of all of it.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use inboxd_testkit::{Http, Mail, Persona, Receiver, Relay, Request, Server, ServerOptions, SmtpClient, eventually};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{in_seconds, set_plan};

/// How long a client waits before the next mail.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a client waits before it tries again.
const RETRY: Duration = Duration::from_millis(50);
/// How long the relay takes over a mail: long enough to be cut short now and then.
const PACE: Duration = Duration::from_millis(15);
/// How many drafts come due.
const DRAFTS: u64 = 24;

/// What the webhook is told of.
pub(super) const EVENTS: [&str; 3] = ["message.received", "message.sent", "message.delivered"];

/// A server with a relay, an agent with two inboxes, and work that does not end.
pub(super) struct Load {
    pub(super) server: Server,
    pub(super) relay: Relay,
    pub(super) agent: Persona,
    /// An inbox of the agent's that gets a copy of every mail that is sent.
    pub(super) inside: String,
    /// What the webhook leads to.
    pub(super) receiver: Receiver,
    /// When the server was killed.
    pub(super) kills: Vec<Instant>,
    place: watch::Sender<Place>,
    progress: Arc<Progress>,
    receiving: JoinSet<Vec<String>>,
    sending: JoinSet<Vec<String>>,
}

/// How far the clients are, and whether they may stop.
#[derive(Default)]
struct Progress {
    received: AtomicUsize,
    sent: AtomicUsize,
    is_over: AtomicBool,
}

/// Where the server is now.
#[derive(Clone)]
struct Place {
    http: Http,
    smtp: String,
}

/// What the clients were told.
pub(super) struct Told {
    /// The subjects of the mails that were answered 250.
    pub(super) received: Vec<String>,
    /// The subjects of the sends that were answered 200.
    pub(super) sent: Vec<String>,
    /// The subjects of the scheduled drafts.
    pub(super) drafts: Vec<String>,
}

impl Load {
    /// Starts a server and makes it busy.
    pub(super) async fn begin(options: ServerOptions) -> Self {
        let relay = Relay::start().await;
        let receiver = Receiver::start().await;
        let server = options.relay(&relay).set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
        let agent = server.sign_up("owner@example.org", "scout").await;
        agent.verify_with(&relay.code_for("owner@example.org").await).await;
        set_plan(&server, &agent, "enterprise").await;
        let inside = agent.post("/v0/inboxes", json!({"username": "inside"})).await.ok()["inbox_id"].to_string();
        let inside = inside.trim_matches('"').to_owned();
        let hook = json!({"url": receiver.url(), "event_types": EVENTS});
        agent.post("/v0/webhooks", hook).await.ok();
        for number in 0..DRAFTS {
            let send_at = in_seconds(1 + number / 4);
            let body = json!({"to": "bob@outside.example", "subject": draft(number), "text": "x", "send_at": send_at});
            agent.post(&agent.inbox("/drafts"), body).await.ok();
        }
        relay.take_time(PACE);
        let place = watch::Sender::new(Place::of(&server, &agent));
        let progress = Arc::new(Progress::default());
        let (mut receiving, mut sending) = (JoinSet::new(), JoinSet::new());
        for lane in 0..3 {
            receiving.spawn(receive(place.subscribe(), Arc::clone(&progress), agent.inbox_id.clone(), lane));
        }
        for lane in 0..2 {
            let recipients = [format!("lane-{lane}@outside.example"), inside.clone()];
            sending.spawn(send(place.subscribe(), Arc::clone(&progress), agent.inbox("/messages/send"), recipients));
        }
        Self { server, relay, agent, inside, receiver, kills: Vec::new(), place, progress, receiving, sending }
    }

    /// Waits until work is done again, and then for a moment of chance: whatever is going on at that moment is cut short.
    pub(super) async fn until_busy(&self) {
        let Progress { received, sent, .. } = self.progress.as_ref();
        let so_far = || (received.load(Ordering::SeqCst), sent.load(Ordering::SeqCst));
        let begun = so_far();
        let moves = async || {
            let now = so_far();
            (now.0 > begun.0 + 10 && now.1 > begun.1 + 5).then_some(())
        };
        eventually("mail comes in and goes out", moves).await;
        let chance = RandomState::new().hash_one("when");
        tokio::time::sleep(Duration::from_millis(chance % 500)).await;
    }

    /// Kills the server and starts it again.
    pub(super) async fn kill(&mut self) {
        self.kills.push(Instant::now());
        self.server.kill_9().await;
        self.server.restart().await;
        self.agent = self.agent.at(&self.server);
        self.place.send_replace(Place::of(&self.server, &self.agent));
    }

    /// Ends the work. What is being tried then is tried until it is taken.
    pub(super) async fn end(&mut self) -> Told {
        self.progress.is_over.store(true, Ordering::SeqCst);
        let receiving = std::mem::take(&mut self.receiving).join_all();
        let sending = std::mem::take(&mut self.sending).join_all();
        let (received, sent) = tokio::join!(receiving, sending);
        Told { received: received.concat(), sent: sent.concat(), drafts: (0..DRAFTS).map(draft).collect() }
    }
}

impl Place {
    fn of(server: &Server, agent: &Persona) -> Self {
        Self { http: server.http().with_key(&agent.key), smtp: server.smtp_address().to_owned() }
    }
}

fn draft(number: u64) -> String {
    format!("draft-{number}")
}

/// Delivers mails, each until it is answered 250, as a server does that has one to deliver.
async fn receive(place: watch::Receiver<Place>, progress: Arc<Progress>, inbox: String, lane: usize) -> Vec<String> {
    let (mut taken, mut client) = (Vec::new(), None);
    while !progress.is_over.load(Ordering::SeqCst) {
        let subject = format!("in-{lane}-{}", taken.len());
        let mail = Mail::new("Alice <alice@outside.example>", &inbox, &subject, "Hello.");
        let mail = mail.id(&format!("<{subject}@outside.example>")).raw();
        while !try_deliver(&place, &mut client, &inbox, &mail).await {
            tokio::time::sleep(RETRY).await;
        }
        taken.push(subject);
        progress.received.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(PAUSE).await;
    }
    taken
}

/// Tries to deliver a mail. Nothing is ever refused for good.
async fn try_deliver(
    place: &watch::Receiver<Place>,
    session: &mut Option<SmtpClient>,
    inbox: &str,
    mail: &[u8],
) -> bool {
    if session.is_none() {
        let address = place.borrow().smtp.clone();
        *session = SmtpClient::try_connect(&address).await;
    }
    let Some(client) = session else { return false };
    let reply = client.deliver("alice@outside.example", &[inbox], mail).await;
    let is_taken = reply.code == 250;
    assert!(is_taken || reply.code == 0 || (400..500).contains(&reply.code), "{reply:?}");
    if !is_taken {
        *session = None;
    }
    is_taken
}

/// Sends mails, each once, whatever the answer. Answers the subjects of those that were accepted.
async fn send(
    place: watch::Receiver<Place>,
    progress: Arc<Progress>,
    path: String,
    recipients: [String; 2],
) -> Vec<String> {
    let mut accepted = Vec::new();
    for number in 0.. {
        if progress.is_over.load(Ordering::SeqCst) {
            break;
        }
        let subject = format!("out-{}-{number}", recipients[0]);
        let body = json!({"to": recipients, "subject": subject, "text": "hello"});
        let http = place.borrow().http.clone();
        match http.try_call(Request::new("POST", &path).json(&body)).await {
            Some(answer) if answer.status == 200 => {
                accepted.push(subject);
                progress.sent.fetch_add(1, Ordering::SeqCst);
            }
            Some(answer) => {
                assert!(answer.status >= 500, "{}: {}", answer.status, answer.text());
                tokio::time::sleep(RETRY).await;
            }
            None => tokio::time::sleep(RETRY).await,
        }
        tokio::time::sleep(PAUSE).await;
    }
    accepted
}
