//! Replacement of three processes one after another behind a balancer, as in an upgrade.
//!
//! `INBOXD_UPGRADE_FROM` names the program of an earlier build for the processes that are replaced; without it they are the
//! same build.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use inboxd_testkit::{
    HttpClient, HttpRequest, MailBuilder, ReverseProxy, ServerOptions, SmtpClient, TestServer, empty_database,
};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{options, read_pages};

const FILE: &str = include_str!("../../packaging/proxies/haproxy.cfg");
const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// Pause of a client between two requests or mails.
const PAUSE: Duration = Duration::from_millis(20);

/// Addresses of a process.
#[derive(Clone, Copy)]
struct Place {
    http: SocketAddr,
    smtp: SocketAddr,
}

impl Place {
    fn free() -> Self {
        Self { http: ReverseProxy::free_address(), smtp: ReverseProxy::free_address() }
    }

    fn options(self, options: ServerOptions, database: &str) -> ServerOptions {
        options
            .set("INBOXD_DATABASE_URL", database)
            .set("INBOXD_SECRET_KEY", SECRET)
            .set("INBOXD_HTTP_ADDR", format!("{}?proxy=required", self.http))
            .set("INBOXD_SMTP_ADDR", format!("{}?proxy=required", self.smtp))
            .set("INBOXD_TRUSTED_PROXIES", "127.0.0.1")
            .set("INBOXD_KEY_RATE", "100000")
    }
}

/// Options of the processes that are replaced.
fn earlier() -> ServerOptions {
    match std::env::var("INBOXD_UPGRADE_FROM") {
        Ok(program) => {
            // A program of another build has the defaults of the tests too.
            let options = ServerOptions::new(program);
            options.set("INBOXD_METRICS_ADDR", "off")
        }
        Err(_) => options(),
    }
}

/// `HAProxy` before three processes, by the file of `packaging/proxies` without TLS for clients.
struct Balancer {
    api: SocketAddr,
    smtp: SocketAddr,
    control: std::path::PathBuf,
    _proxy: ReverseProxy,
    _folder: tempfile::TempDir,
}

impl Balancer {
    async fn start(places: &[Place; 3]) -> Self {
        let (api, smtp) = (ReverseProxy::free_address(), ReverseProxy::free_address());
        let folder = tempfile::tempdir().unwrap();
        let control = folder.path().join("control");
        let servers = |address: fn(&Place) -> SocketAddr| {
            let lines = places.iter().enumerate().map(|(number, place)| {
                format!("server inboxd{number} {} send-proxy-v2 check inter 200ms", address(place))
            });
            lines.collect::<Vec<_>>().join("\n    ")
        };
        let changes = [
            ("global\n", format!("global\n    stats socket {} level admin\n", control.display())),
            ("bind :443 ssl crt /etc/haproxy/mail.example.org.pem alpn http/1.1", format!("bind {api}")),
            ("server inboxd 127.0.0.1:8080 send-proxy-v2 check", servers(|place| place.http)),
            ("bind :25\n", format!("bind {smtp}\n")),
            ("server inboxd 127.0.0.1:2525 send-proxy-v2 check", servers(|place| place.smtp)),
        ];
        let file = changes.iter().fold(FILE.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "the file has no {from:?}");
            text.replace(from, to)
        });
        let proxy = ReverseProxy::start(&[api, smtp], |folder: &Path| {
            std::fs::write(folder.join("haproxy.cfg"), file).unwrap();
            let mut command = Command::new("/usr/sbin/haproxy");
            command.arg("-db").arg("-f").arg(folder.join("haproxy.cfg"));
            command
        })
        .await;
        Self { api, smtp, control, _proxy: proxy, _folder: folder }
    }

    /// Sets the state of a process: `drain` gives it no new connections, `ready` gives it some.
    async fn set_state(&self, number: usize, state: &str) {
        for backend in ["inboxd_api", "inboxd_smtp"] {
            self.command(&format!("set server {backend}/inboxd{number} state {state}")).await;
        }
    }

    async fn command(&self, line: &str) -> String {
        let mut stream = UnixStream::connect(&self.control).await.unwrap();
        stream.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    /// Waits until the checks find a process.
    async fn wait_for(&self, number: usize) {
        inboxd_testkit::eventually("the balancer finds the process", async || {
            let states = self.command("show stat").await;
            let lines: Vec<&str> = states.lines().filter(|line| line.contains(&format!(",inboxd{number},"))).collect();
            (lines.len() == 2 && lines.iter().all(|line| line.contains(",UP,"))).then_some(())
        })
        .await;
    }
}

/// Sends requests until the end; every response must be a success. Returns the subjects of sent messages.
async fn request(api: HttpClient, inbox: String, lane: usize, is_over: Arc<AtomicBool>) -> Vec<String> {
    let mut sent = Vec::new();
    while !is_over.load(Ordering::SeqCst) {
        let subject = format!("out-{lane}-{}", sent.len());
        let body = json!({"to": "bob@outside.example", "subject": subject, "text": "hello"});
        let target = format!("/v0/inboxes/{inbox}/messages");
        for request in [
            HttpRequest::new("POST", &format!("{target}/send")).json(&body),
            HttpRequest::new("GET", &format!("{target}?limit=5")),
        ] {
            let answer = api.try_call(request).await;
            let status = answer.as_ref().map(|answer| answer.status);
            assert_eq!(status, Some(200), "{subject}: {:?}", answer.map(|answer| answer.text()));
        }
        sent.push(subject);
        sleep(PAUSE).await;
    }
    sent
}

/// Delivers mails until the end, as a mail server with a queue: 4xx and a lost connection are retried. Returns the subjects.
async fn deliver(address: String, inbox: String, lane: usize, is_over: Arc<AtomicBool>) -> Vec<String> {
    let (mut taken, mut session) = (Vec::new(), None);
    while !is_over.load(Ordering::SeqCst) {
        let subject = format!("in-{lane}-{}", taken.len());
        let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox, &subject, "Hello.");
        let mail = mail.id(&format!("<{subject}@outside.example>")).raw();
        loop {
            if session.is_none() {
                session = SmtpClient::try_connect(&address).await;
            }
            let Some(client) = &mut session else { continue };
            let reply = client.deliver("alice@outside.example", &[&inbox], &mail).await;
            if reply.code == 250 {
                break;
            }
            assert!(reply.code == 0 || (400..500).contains(&reply.code), "{reply:?}");
            session = None;
            sleep(PAUSE).await;
        }
        taken.push(subject);
        sleep(PAUSE).await;
    }
    taken
}

#[tokio::test]
async fn processes_replaced_one_by_one_refuse_and_lose_nothing() {
    let database = empty_database().await;
    let places = [(); 3].map(|()| Place::free());
    let mut servers: Vec<TestServer> = Vec::new();
    for place in places {
        servers.push(place.options(earlier(), &database.url()).start().await);
    }
    let agent = servers[0].sign_up("owner@example.org", "scout").await;
    let code = inboxd_testkit::eventually("the code in one of the logs", async || {
        let lines = servers.iter().flat_map(|server| server.log().lines());
        let mut texts = lines.filter(|line| line.contains("owner@example.org"));
        texts.find_map(|line| Some(line.split_once("verification code is ")?.1.get(..6)?.to_owned()))
    });
    agent.verify_with(&code.await).await;
    set_plan_of(&servers[0], &agent.organization_id, &database.url()).await;
    let balancer = Balancer::start(&places).await;
    for number in 0..3 {
        balancer.wait_for(number).await;
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let (mut sending, mut receiving) = (JoinSet::new(), JoinSet::new());
    for lane in 0..3 {
        let api = HttpClient::new(balancer.api.to_string()).with_key(&agent.key);
        sending.spawn(request(api, agent.inbox_id.clone(), lane, Arc::clone(&is_over)));
        receiving.spawn(deliver(balancer.smtp.to_string(), agent.inbox_id.clone(), lane, Arc::clone(&is_over)));
    }
    for (number, place) in places.into_iter().enumerate() {
        sleep(Duration::from_millis(500)).await;
        balancer.set_state(number, "drain").await;
        let ended = servers[number].terminate().await;
        assert!(ended.success(), "{ended}: {:#?}", servers[number].log().lines());
        servers[number] = place.options(options(), &database.url()).start().await;
        balancer.set_state(number, "ready").await;
        balancer.wait_for(number).await;
    }
    sleep(Duration::from_millis(500)).await;
    is_over.store(true, Ordering::SeqCst);
    let (mut sent, mut taken) = (sending.join_all().await.concat(), receiving.join_all().await.concat());
    assert!(sent.len() > 30 && taken.len() > 30, "{} sent, {} received", sent.len(), taken.len());
    let agent = agent.at(&servers[2]);
    for (label, wanted) in [("sent", &mut sent), ("received", &mut taken)] {
        let target = agent.inbox(&format!("/messages?labels={label}&limit=200"));
        let mut found = read_pages(&agent, &target, "messages", "subject").await;
        found.sort();
        wanted.sort();
        assert_eq!(&found, wanted, "{label}");
    }
}

/// Sets a plan without limits of sending.
async fn set_plan_of(server: &TestServer, organization_id: &str, url: &str) {
    let output = server.command(&["admin", "plan", organization_id, "enterprise"]).await;
    assert!(output.status.success(), "{url}: {output:?}");
}
