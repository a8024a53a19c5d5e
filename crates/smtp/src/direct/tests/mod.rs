//! Direct delivery to stub servers on loopback, found through a DNS server.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod dane;
mod limits;
mod outcomes;
mod routing;
mod sts;
mod tls;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::model::{OutgoingId, StsPolicy};
use inboxd_core::ports::{Clock, OutgoingMail, Recall, StoreError, StsPolicyStore};
use inboxd_mail::EmailAddress;
use inboxd_testkit::DnsServer;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::time::Instant;
use uuid::Uuid;

use super::{DirectOptions, DirectTransport, StsPolicyFetch, StsPolicySources};
use crate::client::stub_server::{StubAction, StubServer, StubSetup, deliver};
use crate::dns::DnsResolver;

const RAW: &[u8] = b"Subject: hi\r\n\r\nhello\r\n";

fn address(text: &str) -> EmailAddress {
    EmailAddress::from_str(text).unwrap()
}

fn mail(recipients: &[&str]) -> OutgoingMail {
    OutgoingMail {
        is_code: false,
        outgoing_id: OutgoingId(Uuid::nil()),
        message: None,
        envelope_from: address("scout@here.example"),
        recipients: recipients.iter().map(|recipient| address(recipient)).collect(),
        raw: RAW.to_vec(),
        recall: Recall::default(),
    }
}

/// Loopback addresses that share one free port. Nothing listens there yet.
struct Hosts {
    listeners: Vec<Option<TcpListener>>,
    port: u16,
}

impl Hosts {
    async fn free(count: u8) -> Self {
        'port: loop {
            let first = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let port = first.local_addr().unwrap().port();
            let mut listeners = vec![Some(first)];
            for last in 2..=count {
                match TcpListener::bind((at(last), port)).await {
                    Ok(listener) => listeners.push(Some(listener)),
                    Err(_) => continue 'port,
                }
            }
            return Self { listeners, port };
        }
    }

    /// Starts a server at the address of this number, from 1.
    fn peer(
        &mut self,
        number: u8,
        setup: StubSetup,
        script: impl Fn(usize, &str) -> StubAction + Send + Sync + 'static,
    ) -> StubServer {
        let listener = self.listeners[usize::from(number) - 1].take().unwrap();
        StubServer::on(listener, setup, script)
    }

    fn usual(&mut self, number: u8) -> StubServer {
        self.peer(number, StubSetup::default(), |_, _| StubAction::Usual)
    }

    /// Closes the listener at the address of this number.
    fn gone(&mut self, number: u8) {
        self.listeners[usize::from(number) - 1] = None;
    }
}

fn at(number: u8) -> IpAddr {
    IpAddr::from([127, 0, 0, number])
}

/// Stub of the web: one text for every policy, or none.
#[derive(Default)]
struct Web {
    policy: Mutex<Option<String>>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl StsPolicyFetch for Web {
    async fn fetch(&self, url: &str) -> Result<String, String> {
        self.asked.lock().unwrap().push(url.to_owned());
        self.policy.lock().unwrap().clone().ok_or_else(|| "connection refused".to_owned())
    }
}

/// Policy store that outlives a transport.
#[derive(Default)]
pub(super) struct StoredPolicies {
    policies: Mutex<HashMap<String, StsPolicy>>,
    loads: Mutex<usize>,
    is_failing: Mutex<bool>,
}

impl StoredPolicies {
    pub(super) fn set_failing(&self, is_failing: bool) {
        *self.is_failing.lock().unwrap() = is_failing;
    }

    /// Returns the number of successful loads.
    pub(super) fn loads(&self) -> usize {
        *self.loads.lock().unwrap()
    }

    fn require_working(&self) -> Result<(), StoreError> {
        let is_failing = *self.is_failing.lock().unwrap();
        if is_failing { Err(StoreError::Unavailable("failure of the test".to_owned())) } else { Ok(()) }
    }
}

#[async_trait]
impl StsPolicyStore for StoredPolicies {
    async fn load_sts_policy(&self, domain: &str, _: OffsetDateTime) -> Result<Option<StsPolicy>, StoreError> {
        self.require_working()?;
        *self.loads.lock().unwrap() += 1;
        Ok(self.policies.lock().unwrap().get(domain).cloned())
    }

    async fn save_sts_policy(&self, domain: &str, policy: &StsPolicy) -> Result<(), StoreError> {
        self.require_working()?;
        self.policies.lock().unwrap().insert(domain.to_owned(), policy.clone());
        Ok(())
    }

    async fn evict_sts_policies(&self, _: OffsetDateTime, _: u64) -> Result<u64, StoreError> {
        unreachable!("deliveries evict nothing")
    }
}

/// Wall clock that follows the clock of tokio, which tests control.
struct TokioClock(Instant);

impl Clock for TokioClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::UNIX_EPOCH + self.0.elapsed()
    }
}

/// Environment of direct delivery in a test.
struct TestEnv {
    dns: DnsServer,
    hosts: Hosts,
    web: Arc<Web>,
    policies: Arc<StoredPolicies>,
    clock: Arc<TokioClock>,
}

async fn env(hosts: u8) -> TestEnv {
    TestEnv {
        dns: DnsServer::start().await,
        hosts: Hosts::free(hosts).await,
        web: Arc::default(),
        policies: Arc::default(),
        clock: Arc::new(TokioClock(Instant::now())),
    }
}

impl TestEnv {
    /// Adds a domain with hosts at these addresses, in the order of preference.
    fn domain(&self, domain: &str, hosts: &[u8]) {
        for (position, &number) in hosts.iter().enumerate() {
            let host = format!("mx{number}.{domain}");
            self.dns.mx(domain, 10 * u16::try_from(position + 1).unwrap(), &host);
            self.dns.host(&host, at(number));
        }
    }

    fn options(&self) -> DirectOptions {
        let mut options = DirectOptions::new("mail.here.example", Arc::new(|_| true));
        options.port = self.hosts.port;
        options.timeouts.connect = Duration::from_secs(2);
        options.timeouts.greeting = Duration::from_secs(2);
        options.timeouts.command = Duration::from_secs(2);
        options.timeouts.data_end = Duration::from_secs(2);
        options
    }

    fn resolver(&self) -> Arc<DnsResolver> {
        Arc::new(DnsResolver::at(self.dns.address()).unwrap())
    }

    fn direct(&self) -> DirectTransport {
        self.direct_with(self.options())
    }

    fn direct_with(&self, options: DirectOptions) -> DirectTransport {
        DirectTransport::new(options, self.resolver(), self.sources()).unwrap()
    }

    fn sources(&self) -> StsPolicySources {
        StsPolicySources {
            fetch: Arc::clone(&self.web) as Arc<dyn StsPolicyFetch>,
            store: Arc::clone(&self.policies) as Arc<dyn StsPolicyStore>,
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
        }
    }
}

/// Returns the number of complete messages that a server received.
fn contents(peer: &StubServer) -> usize {
    (0..peer.connections()).flat_map(|number| peer.received(number)).filter(|line| line.ends_with("\r\n.\r\n")).count()
}

fn own(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}
