//! Postfix, which receives mail into a Maildir, and the client that comes with it.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tokio::task::LocalSet;

use crate::load::mails::SIZE;
use crate::load::sessions::Load;
use crate::outcome::{Outcome, count};
use crate::peers::said;

/// The mailbox that mail is sent to.
const MAILBOX: &str = "bench";
const DOMAIN: &str = "postfix.example";
/// How long Postfix may take to lay down what it has accepted.
const PATIENCE: Duration = Duration::from_mins(2);

/// A Postfix of our own, on a port of its own.
pub(crate) struct Postfix {
    running: inboxd_testkit::Postfix,
    address: SocketAddr,
    accepted: usize,
}

impl Postfix {
    /// Starts one.
    pub(crate) async fn start() -> Outcome<Self> {
        Self::begun(|address| async move { inboxd_testkit::Postfix::start(address, DOMAIN, &[MAILBOX]).await }).await
    }

    /// Starts one that hands on all mail to a server.
    pub(crate) async fn forwarding(to: SocketAddr) -> Outcome<Self> {
        const FORWARDS: [(&str, &str); 1] = [(MAILBOX, "somebody@elsewhere.example")];
        let start = |address| async move {
            inboxd_testkit::Postfix::forwarding(address, DOMAIN, &to.to_string(), &FORWARDS).await
        };
        Self::begun(start).await
    }

    /// Starts one at a free address, in a task of its own: where Postfix does not come up, that panics.
    async fn begun<F>(start: impl FnOnce(SocketAddr) -> F) -> Outcome<Self>
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

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its first process.
    pub(crate) fn process_id(&self) -> Outcome<u32> {
        Ok(self.running.process_id().ok_or("it does not run")?)
    }

    /// Whom it takes mail for.
    pub(crate) fn recipient() -> String {
        format!("{MAILBOX}@{DOMAIN}")
    }

    /// Mails a second from smtp-source: accepted, and in the mailbox.
    pub(crate) fn rates(&mut self, mails: usize, load: Load) -> Outcome<[f64; 2]> {
        let began = Instant::now();
        let accepted = smtp_source(self.address, &Self::recipient(), mails, load)?;
        self.settle(mails)?;
        Ok([accepted, count(mails) / began.elapsed().as_secs_f64()])
    }

    /// Waits until it has laid down these mails too, so that it is quiet while others are measured.
    pub(crate) fn settle(&mut self, mails: usize) -> Outcome<()> {
        self.accepted += mails;
        let began = Instant::now();
        while self.running.count_of(MAILBOX) < self.accepted {
            if began.elapsed() > PATIENCE {
                return Err("it does not deliver what it accepted".into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

/// Whether it can be run here.
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

/// Mails a second that a server accepts from smtp-source.
pub(crate) fn smtp_source(to: SocketAddr, recipient: &str, mails: usize, load: Load) -> Outcome<f64> {
    let mut command = Command::new("/usr/sbin/smtp-source");
    command.args(["-s", &load.sessions.to_string(), "-m", &mails.to_string(), "-l", &SIZE.to_string()]);
    command.args(["-f", "sender@bench1.example", "-M", "client.bench.example", "-t", recipient]);
    if !load.reconnects {
        command.arg("-d");
    }
    let began = Instant::now();
    said(command.arg(to.to_string()))?;
    Ok(count(mails) / began.elapsed().as_secs_f64())
}

/// An address at which nobody listens.
pub(crate) fn free_address() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
