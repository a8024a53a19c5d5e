//! Attack by one unverified organization and one client address, with silent sessions from other addresses.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use crate::load::http::Http;
use crate::load::{connect_from, smtp::Session};
use crate::outcome::Outcome;
use crate::server::Server;

/// Address of the attacker. The measured tenant has another one.
const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 66, 0, 1);
/// Networks of silent SMTP sessions. From a single one, the limit of each address would close them.
const SILENT_NETWORKS: usize = 9;
/// Messages of the thread whose labels the attacker changes.
const THREAD_MESSAGES: usize = 4_000;
/// Bytes of a body that are sent at once, before the rest follows one byte at a time.
const HELD_BYTES: usize = 6 * 1024 * 1024;
/// Declared size of such a body.
const ANNOUNCED_BYTES: usize = 50 * 1024 * 1024;
/// Limit for the response to a request.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Delay after a refusal, and between two bytes of a slow body.
const PAUSE: Duration = Duration::from_millis(200);

/// Part of the attack, which runs once and returns the reply.
type AttackPart = fn(&Attack) -> Outcome<String>;

/// Prepared attack.
pub(super) struct Attack {
    http: SocketAddr,
    smtp: SocketAddr,
    key: String,
    inbox_id: String,
    thread_id: String,
    file_url: String,
    is_over: AtomicBool,
    sessions: AtomicUsize,
    sign_ups: AtomicUsize,
    replies: Mutex<BTreeMap<String, usize>>,
}

/// A running attack.
pub(super) struct RunningAttack {
    attack: Arc<Attack>,
    threads: Vec<JoinHandle<()>>,
}

impl RunningAttack {
    /// Stops the attack and returns the number of each reply.
    pub(super) fn stop(self) -> String {
        self.attack.is_over.store(true, Ordering::SeqCst);
        for thread in self.threads {
            // A panicked thread has ended as well.
            let _ = thread.join();
        }
        let replies = self.attack.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.iter().map(|(reply, count)| format!("{reply} ×{count}")).collect::<Vec<_>>().join(", ")
    }
}

impl Attack {
    /// Signs up and fills a thread with messages.
    pub(super) fn prepare(server: &Server, file_url: String) -> Outcome<Self> {
        let http = server.http_address();
        let body = json!({"human_email": "mallory@elsewhere.example", "username": "mallory"});
        let signed_up = Http::connect(http, None)?.post("/v0/agent/sign-up", &body)?;
        let text = |name: &str| signed_up[name].as_str().map(str::to_owned).ok_or("no sign-up");
        let (key, inbox_id) = (text("api_key")?, text("inbox_id")?);
        let mut session = Session::open(server.smtp)?;
        for number in 0..THREAD_MESSAGES {
            let message = format!(
                "From: mallory@elsewhere.example\r\nTo: {inbox_id}\r\nSubject: long\r\nMessage-ID: <{number}@long.example>\r\n\
                 In-Reply-To: <0@long.example>\r\n\r\nMessage {number}.\r\n.\r\n"
            );
            session.send("mallory@elsewhere.example", &inbox_id, message.as_bytes())?;
        }
        session.quit()?;
        let threads = Http::connect(http, Some(&key))?.get(&format!("/v0/inboxes/{inbox_id}/threads?limit=1"))?;
        let thread_id = threads["threads"][0]["thread_id"].as_str().ok_or("no thread")?.to_owned();
        Ok(Self {
            http,
            smtp: server.smtp,
            key,
            inbox_id,
            thread_id,
            file_url,
            is_over: AtomicBool::new(false),
            sessions: AtomicUsize::new(0),
            sign_ups: AtomicUsize::new(0),
            replies: Mutex::default(),
        })
    }

    /// Starts all parts of the attack.
    pub(super) fn start(self) -> RunningAttack {
        let parts: [(&str, usize, AttackPart); 7] = [
            ("silent SMTP session", 1_100, Self::hold_session),
            ("slow SMTP content", 110, Self::send_slow_content),
            ("slow HTTP body", 64, Self::send_slow_body),
            ("draft", 8, Self::create_draft),
            ("attachment URL", 60, Self::send_attachment_url),
            ("thread labels", 64, Self::change_labels),
            ("sign-up", 4, Self::sign_up),
        ];
        let attack = Arc::new(self);
        let mut threads = Vec::new();
        for (name, count, part) in parts {
            for _ in 0..count {
                let attack = Arc::clone(&attack);
                let repeat = move || {
                    while !attack.is_over.load(Ordering::SeqCst) {
                        let reply = part(&attack).unwrap_or_else(|_| "closed".to_owned());
                        attack.record(&format!("{name}: {reply}"));
                        if !reply.starts_with('2') {
                            sleep(PAUSE);
                        }
                    }
                };
                // The other threads suffice if one cannot be started.
                threads.extend(thread::Builder::new().stack_size(256 * 1024).spawn(repeat));
            }
        }
        RunningAttack { attack, threads }
    }

    fn record(&self, reply: &str) {
        *self.replies.lock().unwrap_or_else(PoisonError::into_inner).entry(reply.to_owned()).or_default() += 1;
    }

    /// Sends single bytes until the server closes the connection or the attack ends.
    fn trickle(&self, stream: &mut TcpStream) -> Outcome<String> {
        stream.set_read_timeout(Some(PAUSE))?;
        let mut reply = [0; 128];
        while !self.is_over.load(Ordering::SeqCst) {
            stream.write_all(b"x")?;
            match stream.read(&mut reply) {
                Ok(0) => return Ok("closed".to_owned()),
                Ok(length) => return Ok(code_of(&reply[..length])),
                Err(_) => {}
            }
        }
        Ok("held".to_owned())
    }

    fn hold_session(&self) -> Outcome<String> {
        let network = self.sessions.fetch_add(1, Ordering::SeqCst) % SILENT_NETWORKS;
        let from = Ipv4Addr::new(127, 67, u8::try_from(network)?, 1);
        let mut stream = connect(from, self.smtp)?;
        let mut reply = [0; 256];
        while !self.is_over.load(Ordering::SeqCst) {
            match stream.read(&mut reply) {
                Ok(0) => return Ok("closed".to_owned()),
                Ok(length) if !reply.starts_with(b"220") => return Ok(code_of(&reply[..length])),
                _ => {}
            }
        }
        Ok("held".to_owned())
    }

    fn send_slow_content(&self) -> Outcome<String> {
        let mut stream = connect(ATTACKER, self.smtp)?;
        let recipient = &self.inbox_id;
        let commands = [
            "EHLO mallory.example",
            "MAIL FROM:<mallory@elsewhere.example>",
            &format!("RCPT TO:<{recipient}>"),
            "DATA",
        ];
        let mut reply = [0; 1024];
        // The first reply is the greeting. Each command has one reply.
        for command in [""].into_iter().chain(commands) {
            if !command.is_empty() {
                write!(stream, "{command}\r\n")?;
            }
            let length = stream.read(&mut reply)?;
            if ![b"220", b"250", b"354"].into_iter().any(|code| reply.starts_with(code)) {
                return Ok(code_of(&reply[..length]));
            }
        }
        stream.write_all(b"Subject: slow\r\n\r\n")?;
        let line = [vec![b'x'; 998], b"\r\n".to_vec()].concat();
        stream.write_all(&line.repeat(HELD_BYTES / line.len()))?;
        self.trickle(&mut stream)
    }

    fn send_slow_body(&self) -> Outcome<String> {
        let mut stream = connect(ATTACKER, self.http)?;
        write!(
            stream,
            "POST /v0/inboxes/{}/messages/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {ANNOUNCED_BYTES}\r\n\r\n{{\"text\": \"",
            self.inbox_id, self.key
        )?;
        stream.write_all(&vec![b'x'; HELD_BYTES])?;
        self.trickle(&mut stream)
    }

    fn create_draft(&self) -> Outcome<String> {
        let body = json!({"to": ["mallory@elsewhere.example"], "subject": "draft", "text": "x".repeat(1024 * 1024)});
        self.request("POST", &format!("/v0/inboxes/{}/drafts", self.inbox_id), &body)
    }

    fn send_attachment_url(&self) -> Outcome<String> {
        let file = json!({"url": self.file_url, "filename": "file.bin"});
        let body = json!({"to": ["mallory@elsewhere.example"], "subject": "file", "text": "x", "attachments": [file]});
        self.request("POST", &format!("/v0/inboxes/{}/messages/send", self.inbox_id), &body)
    }

    fn change_labels(&self) -> Outcome<String> {
        let path = format!("/v0/inboxes/{}/threads/{}", self.inbox_id, self.thread_id);
        let added = self.request("PATCH", &path, &json!({"add_labels": ["attack"]}))?;
        self.record(&format!("thread labels: {added}"));
        self.request("PATCH", &path, &json!({"remove_labels": ["attack"]}))
    }

    fn sign_up(&self) -> Outcome<String> {
        let number = self.sign_ups.fetch_add(1, Ordering::SeqCst);
        let body = json!({"human_email": format!("victim+{number}@elsewhere.example"), "username": format!("mallory{number}")});
        self.request("POST", "/v0/agent/sign-up", &body)
    }

    /// Sends a request on a connection of its own and returns the status.
    fn request(&self, method: &str, path: &str, body: &Value) -> Outcome<String> {
        let mut stream = connect(ATTACKER, self.http)?;
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        )?;
        let mut response = [0; 128];
        let length = stream.read(&mut response)?;
        Ok(code_of(response.get(..length).unwrap_or_default()))
    }
}

fn connect(from: Ipv4Addr, to: SocketAddr) -> Outcome<TcpStream> {
    let stream = connect_from(from, to)?;
    stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
    stream.set_write_timeout(Some(RESPONSE_TIMEOUT))?;
    Ok(stream)
}

/// Returns the status code of an SMTP reply or HTTP response.
fn code_of(reply: &[u8]) -> String {
    let text = String::from_utf8_lossy(reply);
    let code = text.strip_prefix("HTTP/1.1 ").unwrap_or(&text);
    code.get(..3).unwrap_or("closed").to_owned()
}
