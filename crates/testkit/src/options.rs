//! Configuration of a test server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::database::database;
use crate::dns::DnsServer;
use crate::relay::RelayServer;
use crate::server::TestServer;

/// A server before its start.
#[derive(Debug)]
pub struct ServerOptions {
    pub(crate) binary: PathBuf,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) embedded: bool,
    pub(crate) hold: bool,
    pub(crate) file: Option<String>,
}

impl ServerOptions {
    /// Uses the built binary on free ports, with a separate database and folder and no sign-up limit. Its pools are small,
    /// because each connection costs more processor time than the queries of a test.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let variables = [
            ("INBOXD_HTTP_ADDR", "127.0.0.1:0"),
            ("INBOXD_SMTP_ADDR", "127.0.0.1:0"),
            ("INBOXD_METRICS_ADDR", "off"),
            ("INBOXD_DATABASE_CONNECTIONS", "24"),
            ("INBOXD_UNAUTHENTICATED_RATE", "0"),
        ];
        Self {
            binary: binary.into(),
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            embedded: false,
            hold: false,
            file: None,
        }
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Sets environment variables.
    #[must_use]
    pub fn set_all(self, variables: Vec<(&'static str, String)>) -> Self {
        variables.into_iter().fold(self, |options, (name, value)| options.set(name, value))
    }

    /// Starts the server with a configuration file.
    #[must_use]
    pub fn config(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Starts the server with `--hold`.
    #[must_use]
    pub fn hold(mut self) -> Self {
        self.hold = true;
        self
    }

    /// Delivers through a relay.
    #[must_use]
    pub fn relay(self, relay: &RelayServer) -> Self {
        self.set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", relay.url())
    }

    /// Uses this DNS server.
    #[must_use]
    pub fn dns(self, dns: &DnsServer) -> Self {
        self.set("INBOXD_DNS_ADDR", dns.address().to_string())
    }

    /// Uses an embedded PostgreSQL, which survives a crash, in place of a test database.
    #[must_use]
    pub fn embedded_database(mut self) -> Self {
        self.embedded = true;
        self
    }

    /// Starts the server and waits until it is ready. Without a DNS server from the test it uses an empty one, so that
    /// no test depends on the DNS of the machine.
    pub async fn start(mut self) -> TestServer {
        let mut dns = None;
        if !self.variables.contains_key("INBOXD_DNS_ADDR") {
            let empty = DnsServer::start().await;
            self = self.dns(&empty);
            dns = Some(empty);
        }
        let database = if self.embedded { None } else { Some(database().await) };
        TestServer::start(self, database, dns).await
    }
}
