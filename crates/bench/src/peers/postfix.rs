//! Postfix with a Maildir, and its client smtp-source.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tokio::task::LocalSet;

use crate::load::mails::MESSAGE_BYTES;
use crate::load::sessions::Load;
use crate::outcome::{Outcome, count};
use crate::peers::output_of;

/// Mailbox of all messages.
const MAILBOX: &str = "bench";
const DOMAIN: &str = "postfix.example";
/// Limit for Postfix to write accepted messages to the mailbox.
const DELIVERY_TIMEOUT: Duration = Duration::from_mins(2);

/// Own Postfix on a free port.
pub(crate) struct Postfix {
    running: inboxd_testkit::Postfix,
    address: SocketAddr,
    accepted: usize,
}

impl Postfix {
    /// Starts Postfix.
    pub(crate) async fn start() -> Outcome<Self> {
        Self::start_at_free_address(|address| async move {
            inboxd_testkit::Postfix::start(address, DOMAIN, &[MAILBOX]).await
        })
        .await
    }

    /// Starts a Postfix that forwards all mail to a server.
    pub(crate) async fn forwarding(to: SocketAddr) -> Outcome<Self> {
        const FORWARDS: [(&str, &str); 1] = [(MAILBOX, "somebody@elsewhere.example")];
        let start = |address| async move {
            inboxd_testkit::Postfix::start_forwarding(address, DOMAIN, &to.to_string(), &FORWARDS).await
        };
        Self::start_at_free_address(start).await
    }

    /// Starts Postfix at a free address. The task of its own contains a panic of the start.
    async fn start_at_free_address<F>(start: impl FnOnce(SocketAddr) -> F) -> Outcome<Self>
    where
        F: Future<Output = inboxd_testkit::Postfix> + 'static,
    {
        check()?;
        let address = free_address()?;
        let running = LocalSet::new()
            .run_until(async { tokio::task::spawn_local(start(address)).await })
            .await
            .map_err(|_| "it does not come up")?;
        Ok(Self { running, address, accepted: 0 })
    }

    /// Returns the SMTP address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the id of its first process.
    pub(crate) fn process_id(&self) -> Outcome<u32> {
        Ok(self.running.process_id().ok_or("it does not run")?)
    }

    /// Returns the accepted recipient.
    pub(crate) fn recipient() -> String {
        format!("{MAILBOX}@{DOMAIN}")
    }

    /// Returns the messages per second from smtp-source: accepted, and in the mailbox.
    pub(crate) fn rates(&mut self, mails: usize, load: Load) -> Outcome<[f64; 2]> {
        let began = Instant::now();
        let accepted = smtp_source(self.address, &Self::recipient(), mails, load)?;
        self.settle(mails)?;
        Ok([accepted, count(mails) / began.elapsed().as_secs_f64()])
    }

    /// Waits until these messages are in the mailbox, so Postfix is idle during other measurements.
    pub(crate) fn settle(&mut self, mails: usize) -> Outcome<()> {
        self.accepted += mails;
        let began = Instant::now();
        while self.running.mail_count(MAILBOX) < self.accepted {
            if began.elapsed() > DELIVERY_TIMEOUT {
                return Err("it does not deliver what it accepted".into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

/// Checks that Postfix can run here.
fn check() -> Outcome<()> {
    for program in ["/usr/sbin/postfix", "/usr/sbin/smtp-source"] {
        if !Path::new(program).exists() {
            return Err(format!("{program} is missing: install postfix").into());
        }
    }
    if !rustix::process::geteuid().is_root() {
        return Err("it is started by root only".into());
    }
    Ok(())
}

/// Returns the messages per second that a server accepts from smtp-source.
pub(crate) fn smtp_source(to: SocketAddr, recipient: &str, mails: usize, load: Load) -> Outcome<f64> {
    let mut command = Command::new("/usr/sbin/smtp-source");
    command.args(["-s", &load.sessions.to_string(), "-m", &mails.to_string(), "-l", &MESSAGE_BYTES.to_string()]);
    command.args(["-f", "sender@bench1.example", "-M", "client.bench.example", "-t", recipient]);
    if !load.reconnects {
        command.arg("-d");
    }
    let began = Instant::now();
    output_of(command.arg(to.to_string()))?;
    Ok(count(mails) / began.elapsed().as_secs_f64())
}

/// Returns a free address.
pub(crate) fn free_address() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
