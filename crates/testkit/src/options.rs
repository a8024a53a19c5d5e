//! What a server is started with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::database::database;
use crate::dns::Dns;
use crate::relay::Relay;
use crate::server::Server;

/// A server that is about to start.
#[derive(Debug)]
pub struct ServerOptions {
    pub(crate) binary: PathBuf,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) embedded: bool,
    pub(crate) hold: bool,
}

impl ServerOptions {
    /// The built binary on free ports, with a database and a folder of its own and without a limit on sign-ups.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let variables = [
            ("INBOXD_HTTP_ADDR", "127.0.0.1:0"),
            ("INBOXD_SMTP_ADDR", "127.0.0.1:0"),
            ("INBOXD_UNAUTHENTICATED_RATE", "0"),
        ];
        Self {
            binary: binary.into(),
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            embedded: false,
            hold: false,
        }
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Starts it with `--hold`.
    #[must_use]
    pub fn hold(mut self) -> Self {
        self.hold = true;
        self
    }

    /// Hands mail to a relay.
    #[must_use]
    pub fn relay(self, relay: &Relay) -> Self {
        self.set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", relay.url())
    }

    /// Asks this DNS server.
    #[must_use]
    pub fn dns(self, dns: &Dns) -> Self {
        self.set("INBOXD_DNS_ADDR", dns.address().to_string())
    }

    /// Starts its own PostgreSQL, which survives a crash, in place of a test database, which need not.
    #[must_use]
    pub fn embedded_database(mut self) -> Self {
        self.embedded = true;
        self
    }

    /// Starts it and waits until it is ready. Unless the test names a DNS server, it asks one that knows no name: tests
    /// know nothing of the machine's.
    pub async fn start(mut self) -> Server {
        let mut dns = None;
        if !self.variables.contains_key("INBOXD_DNS_ADDR") {
            let empty = Dns::start().await;
            self = self.dns(&empty);
            dns = Some(empty);
        }
        let database = if self.embedded { None } else { Some(database().await) };
        Server::start(self, database, dns).await
    }
}
