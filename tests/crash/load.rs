//! Concurrent load: inbound mail, outgoing mail to external and local recipients, scheduled drafts and a webhook.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use inboxd_testkit::{
    HttpClient, HttpRequest, MailBuilder, Persona, RelayServer, ServerOptions, SmtpClient, TestServer, WebhookReceiver,
    eventually,
};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{in_seconds, set_plan};

/// Delay of a client before the next mail: long enough for the server to process mails while they are sent, so that no
/// backlog grows during the test.
const PAUSE: Duration = Duration::from_millis(20);
/// Delay of a client before a retry.
const RETRY: Duration = Duration::from_millis(50);
/// Delay of the relay for each mail, long enough for interruptions.
const PACE: Duration = Duration::from_millis(15);
/// Number of scheduled drafts.
const DRAFTS: u64 = 24;

/// Event types of the webhook.
pub(crate) const EVENTS: [&str; 3] = ["message.received", "message.sent", "message.delivered"];

/// A server with a relay, an agent with two inboxes, and continuous work.
pub(crate) struct Load {
    pub(crate) server: TestServer,
    pub(crate) relay: RelayServer,
    pub(crate) agent: Persona,
    /// Local inbox of the agent that receives a copy of every sent message.
    pub(crate) inside: String,
    /// Endpoint of the webhook.
    pub(crate) receiver: WebhookReceiver,
    /// Times of the kills of the server.
    pub(crate) kills: Vec<Instant>,
    place: watch::Sender<ServerAddresses>,
    progress: Arc<Progress>,
    receiving: JoinSet<Vec<String>>,
    sending: JoinSet<Vec<String>>,
}

/// Progress of the clients, and whether they may stop.
#[derive(Default)]
struct Progress {
    received: AtomicUsize,
    sent: AtomicUsize,
    is_over: AtomicBool,
}

/// Current addresses of the server.
#[derive(Clone)]
struct ServerAddresses {
    http: HttpClient,
    smtp: String,
}

/// Confirmed work of the clients.
pub(crate) struct ConfirmedWork {
    /// Subjects of mails with a 250 reply.
    pub(crate) received: Vec<String>,
    /// Subjects of sends with a 200 response.
    pub(crate) sent: Vec<String>,
    /// Subjects of scheduled drafts.
    pub(crate) drafts: Vec<String>,
}

impl Load {
    /// Starts a server and its load.
    pub(crate) async fn begin(options: ServerOptions) -> Self {
        let relay = RelayServer::start().await;
        let receiver = WebhookReceiver::start().await;
        // Its clients send to the same addresses as long as the load lasts, as loops do.
        let options = options.relay(&relay).set("INBOXD_LOOP_BUDGET_PER_HOUR", "0");
        let server = options.set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
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
        relay.set_delay(PACE);
        let place = watch::Sender::new(ServerAddresses::of(&server, &agent));
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

    /// Waits for progress and then for a random moment, so that the kill interrupts random work.
    pub(crate) async fn until_busy(&self) {
        let Progress { received, sent, .. } = self.progress.as_ref();
        let so_far = || (received.load(Ordering::SeqCst), sent.load(Ordering::SeqCst));
        let begun = so_far();
        let moves = async || {
            let now = so_far();
            (now.0 > begun.0 + 10 && now.1 > begun.1 + 5).then_some(())
        };
        eventually("mail is received and sent", moves).await;
        let chance = RandomState::new().hash_one("when");
        tokio::time::sleep(Duration::from_millis(chance % 500)).await;
    }

    /// Kills the server and restarts it.
    pub(crate) async fn kill(&mut self) {
        self.kills.push(Instant::now());
        self.server.kill().await;
        self.server.restart().await;
        self.agent = self.agent.at(&self.server);
        self.place.send_replace(ServerAddresses::of(&self.server, &self.agent));
    }

    /// Stops the load. Pending work is retried until it is accepted.
    pub(crate) async fn end(&mut self) -> ConfirmedWork {
        self.progress.is_over.store(true, Ordering::SeqCst);
        let receiving = std::mem::take(&mut self.receiving).join_all();
        let sending = std::mem::take(&mut self.sending).join_all();
        let (received, sent) = tokio::join!(receiving, sending);
        ConfirmedWork { received: received.concat(), sent: sent.concat(), drafts: (0..DRAFTS).map(draft).collect() }
    }
}

impl ServerAddresses {
    fn of(server: &TestServer, agent: &Persona) -> Self {
        Self { http: server.http().with_key(&agent.key), smtp: server.smtp_address().to_owned() }
    }
}

fn draft(number: u64) -> String {
    format!("draft-{number}")
}

/// Delivers mails and retries each until its 250 reply, like an SMTP client with a queue.
async fn receive(
    place: watch::Receiver<ServerAddresses>,
    progress: Arc<Progress>,
    inbox: String,
    lane: usize,
) -> Vec<String> {
    let (mut taken, mut client) = (Vec::new(), None);
    while !progress.is_over.load(Ordering::SeqCst) {
        let subject = format!("in-{lane}-{}", taken.len());
        let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox, &subject, "Hello.");
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

/// Tries to deliver a mail; no reply is a permanent refusal.
async fn try_deliver(
    place: &watch::Receiver<ServerAddresses>,
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

/// Sends each message once and returns the subjects of the accepted ones.
async fn send(
    place: watch::Receiver<ServerAddresses>,
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
        match http.try_call(HttpRequest::new("POST", &path).json(&body)).await {
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
