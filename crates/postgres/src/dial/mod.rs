//! Connections to the server, encrypted as the URL asks, with detection of vanished hosts.

mod options;
mod stream;
mod tls;
mod variables;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use futures_util::future::join_all;
use rand::seq::SliceRandom;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts, SslMode, TargetSessionAttrs};

use self::options::TlsOptions;
use self::stream::ByteStream;

const DEFAULT_PORT: u16 = 5432;
/// Limits if the URL names none.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(10);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;
/// Idle time that the driver assumes if the URL names none.
const DRIVER_KEEPALIVE_IDLE: Duration = Duration::from_hours(2);

/// A database as its URL names it.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseAddress {
    /// Everything but encryption, which the driver leaves to [`DatabaseAddress::connect`].
    pub(crate) config: Config,
    tls: TlsOptions,
    /// Number of the only host to use; `None` for all.
    only: Option<usize>,
    /// Server that last accepted a session for writes. Clones share it.
    primary: Arc<Mutex<Option<ServerAddress>>>,
}

/// Address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerAddress {
    /// A socket address, and the name that the certificate must have.
    Tcp(SocketAddr, String),
    Unix(PathBuf),
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address, host) if *host == address.ip().to_string() => write!(formatter, "{address}"),
            Self::Tcp(address, host) => write!(formatter, "{host} ({address})"),
            Self::Unix(path) => write!(formatter, "{}", path.display()),
        }
    }
}

/// Time limits of a socket.
pub(crate) struct SocketLimits {
    pub(crate) connect: Duration,
    /// Time until unacknowledged data breaks the connection.
    pub(crate) unacknowledged: Duration,
    /// Idle time before the first keepalive probe, probe interval and number of probes.
    pub(crate) idle: Duration,
    pub(crate) interval: Duration,
    pub(crate) retries: u32,
}

impl SocketLimits {
    /// Returns the limits of a URL (`connect_timeout`, `tcp_user_timeout`, `keepalives_idle` and so on), with defaults
    /// for the others.
    pub(crate) fn of(config: &Config) -> Self {
        let idle = config.get_keepalives_idle();
        Self {
            connect: config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT),
            unacknowledged: config.get_tcp_user_timeout().copied().unwrap_or(UNACKNOWLEDGED_TIMEOUT),
            idle: if idle == DRIVER_KEEPALIVE_IDLE { KEEPALIVE_IDLE } else { idle },
            interval: config.get_keepalives_interval().unwrap_or(KEEPALIVE_INTERVAL),
            retries: config.get_keepalives_retries().unwrap_or(KEEPALIVE_RETRIES),
        }
    }
}

impl DatabaseAddress {
    /// Reads a `postgres://` URL.
    ///
    /// # Errors
    /// A text that names the problem.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let (rest, tls) = TlsOptions::take(url)?;
        let mut config: Config = rest.parse().map_err(|error: tokio_postgres::Error| with_cause(&error))?;
        config.ssl_mode(SslMode::Disable);
        Ok(Self { config, tls, only: None, primary: Arc::default() })
    }

    /// Returns the addresses of all hosts, in the order of attempts: that of the URL, after the known primary.
    ///
    /// # Errors
    /// If no address is found, or the URL may send mail to one of them in the clear. A host that is needed only at a
    /// failover is thus refused at the start.
    pub(crate) async fn servers(&self) -> io::Result<Vec<ServerAddress>> {
        let mut servers = addresses(&self.config, self.only).await?;
        for server in &servers {
            if let ServerAddress::Tcp(address, _) = server {
                self.tls.encryption(address.ip().is_loopback()).map_err(io::Error::other)?;
            }
        }
        let primary = self.primary.lock().unwrap_or_else(PoisonError::into_inner).clone();
        servers.sort_by_key(|server| Some(server) != primary.as_ref());
        Ok(servers)
    }

    /// Returns whether several hosts are named, and the first one is used even if it is a standby.
    pub(crate) fn may_use_standby(&self) -> bool {
        let hosts = self.config.get_hosts().len().max(self.config.get_hostaddrs().len());
        hosts > 1 && self.config.get_target_session_attrs() != TargetSessionAttrs::ReadWrite
    }

    /// Returns this database at each of its hosts alone.
    pub(crate) fn each_host(&self) -> Vec<Self> {
        let addresses = self.config.get_hostaddrs().len();
        let hosts = if addresses == 0 { self.config.get_hosts().len() } else { addresses };
        (0..hosts).map(|host| Self { only: Some(host), primary: Arc::default(), ..self.clone() }).collect()
    }

    /// Returns whether sessions must accept writes, which excludes every standby.
    pub(crate) fn excludes_standbys(&self) -> bool {
        self.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite
    }

    /// Returns name and port of the first host.
    pub(crate) fn host_label(&self) -> String {
        let number = self.only.unwrap_or(0);
        let host = match (self.config.get_hosts().get(number), self.config.get_hostaddrs().get(number)) {
            (Some(Host::Tcp(name)), _) => name.clone(),
            (Some(Host::Unix(folder)), _) => folder.display().to_string(),
            (None, address) => address.map(IpAddr::to_string).unwrap_or_default(),
        };
        format!("{host}:{}", port_of(&self.config, number))
    }

    /// Puts a server before the others if sessions must accept writes: only one does, and a host that is down would
    /// delay each new connection.
    pub(crate) fn prefer(&self, server: &ServerAddress) {
        if self.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite {
            *self.primary.lock().unwrap_or_else(PoisonError::into_inner) = Some(server.clone());
        }
    }

    /// Connects to a server.
    ///
    /// # Errors
    /// If the host cannot be reached, or encryption is refused on either side.
    pub(crate) async fn connect(&self, server: &ServerAddress) -> io::Result<Box<dyn ByteStream>> {
        let ServerAddress::Tcp(address, host) = server else { return dial(server, &self.config).await };
        let encryption = self.tls.encryption(address.ip().is_loopback()).map_err(io::Error::other)?;
        tls::encrypt(dial(server, &self.config).await?, host, encryption, &self.tls).await
    }
}

/// Returns an error of the driver with the text of its cause, which is that of the server.
pub(crate) fn with_cause(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

/// Returns the port of a host by its number.
fn port_of(config: &Config, host: usize) -> u16 {
    let ports = config.get_ports();
    ports.get(host).or(ports.first()).copied().unwrap_or(DEFAULT_PORT)
}

/// Returns the addresses of all hosts, or of one by its number.
async fn addresses(config: &Config, only: Option<usize>) -> io::Result<Vec<ServerAddress>> {
    let is_used = move |host: usize| only.is_none_or(|only| only == host);
    let port = |host: usize| port_of(config, host);
    let mut found = Vec::new();
    let mut refusal = None;
    if config.get_hostaddrs().is_empty() {
        let limit = SocketLimits::of(config).connect;
        let hosts = config.get_hosts().iter().enumerate().filter(|(number, _)| is_used(*number));
        let lookups: Vec<_> = hosts.map(|(number, host)| resolve(host, port(number), limit)).collect();
        for resolved in join_all(lookups).await {
            match resolved {
                Ok(addresses) => found.extend(addresses),
                Err(error) => refusal = Some(error),
            }
        }
    } else {
        let name = |number: usize, ip: &IpAddr| match config.get_hosts().get(number) {
            Some(Host::Tcp(name)) => name.clone(),
            _ => ip.to_string(),
        };
        let hosts = config.get_hostaddrs().iter().enumerate().filter(|(number, _)| is_used(*number));
        found
            .extend(hosts.map(|(number, ip)| ServerAddress::Tcp(SocketAddr::new(*ip, port(number)), name(number, ip))));
    }
    if config.get_load_balance_hosts() == LoadBalanceHosts::Random {
        shuffle(&mut found);
    }
    match refusal {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// Returns all addresses of a host.
async fn resolve(host: &Host, port: u16, limit: Duration) -> io::Result<Vec<ServerAddress>> {
    match host {
        Host::Unix(folder) => Ok(vec![ServerAddress::Unix(folder.join(format!(".s.PGSQL.{port}")))]),
        Host::Tcp(name) => {
            let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
            let found = within(limit, lookup_host((name.as_str(), port))).await.map_err(named)?;
            Ok(found.map(|address| ServerAddress::Tcp(address, name.clone())).collect())
        }
    }
}

async fn within<T>(limit: Duration, operation: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(limit, operation).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[expect(clippy::disallowed_methods, reason = "the order of hosts decides nothing that a test or a rule depends on")]
fn shuffle(addresses: &mut [ServerAddress]) {
    addresses.shuffle(&mut rand::rng());
}

/// Connects a socket.
async fn dial(address: &ServerAddress, config: &Config) -> io::Result<Box<dyn ByteStream>> {
    let limits = SocketLimits::of(config);
    match address {
        ServerAddress::Unix(path) => Ok(Box::new(within(limits.connect, UnixStream::connect(path)).await?)),
        ServerAddress::Tcp(address, _) => {
            let stream = within(limits.connect, TcpStream::connect(address)).await?;
            stream.set_nodelay(true)?;
            let socket = SockRef::from(&stream);
            #[cfg(target_os = "linux")]
            socket.set_tcp_user_timeout(Some(limits.unacknowledged))?;
            if config.get_keepalives() {
                let keepalive = TcpKeepalive::new().with_time(limits.idle).with_interval(limits.interval);
                socket.set_tcp_keepalive(&keepalive.with_retries(limits.retries))?;
            }
            Ok(Box::new(stream))
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::options::{Encryption, Verification};
    use super::*;

    async fn found(url: &str) -> Vec<ServerAddress> {
        DatabaseAddress::parse(url).unwrap().servers().await.unwrap()
    }

    #[tokio::test]
    async fn url_with_several_hosts_yields_all_addresses() {
        let socket = ServerAddress::Unix("/run/pg/.s.PGSQL.5432".into());
        assert_eq!(found("postgres://u@/d?host=/run/pg").await, [socket]);
        let sockets = [ServerAddress::Unix("/a/.s.PGSQL.1".into()), ServerAddress::Unix("/b,c/.s.PGSQL.2".into())];
        assert_eq!(found("postgres://u@/d?host=/a,%2Fb%2Cc&port=1,2").await, sockets);
        let tcp = |text: &str, name: &str| ServerAddress::Tcp(text.parse().unwrap(), name.to_owned());
        let both = [tcp("127.0.0.1:1", "127.0.0.1"), tcp("127.0.0.2:2", "127.0.0.2")];
        assert_eq!(found("postgres://u@127.0.0.1:1,127.0.0.2:2/d").await, both);
        assert_eq!(found("postgres://u@db/d?hostaddr=127.0.0.3").await, [tcp("127.0.0.3:5432", "db")]);
        let known = found("postgres://u@no%20host:1,127.0.0.2:2/d").await;
        assert_eq!(known, [tcp("127.0.0.2:2", "127.0.0.2")], "a host without an address is skipped");
    }

    #[tokio::test]
    async fn each_host_is_used_alone() {
        for (url, expected) in [
            ("postgres://u@127.0.0.1:1,127.0.0.2:2/d", ["127.0.0.1:1", "127.0.0.2:2"]),
            ("postgres://u@a,b/d?hostaddr=127.0.0.1,127.0.0.2", ["a:5432", "b:5432"]),
            ("postgres://u@/d?host=/a,/b&port=1,2", ["/a:1", "/b:2"]),
        ] {
            let hosts = DatabaseAddress::parse(url).unwrap().each_host();
            assert_eq!(hosts.iter().map(DatabaseAddress::host_label).collect::<Vec<_>>(), expected, "{url}");
            let all = found(url).await;
            assert_eq!(all.len(), 2, "{url}");
            for (host, server) in hosts.iter().zip(all) {
                assert_eq!(host.servers().await.unwrap(), [server], "{url}");
            }
        }
        assert!(
            DatabaseAddress::parse("postgres://u@h/d?target_session_attrs=read-write").unwrap().excludes_standbys()
        );
    }

    #[tokio::test]
    async fn known_primary_comes_first_if_sessions_must_accept_writes() {
        let url = "postgres://u@127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/d";
        for (attributes, expected) in [("read-write", [3, 1, 2]), ("any", [1, 2, 3])] {
            let address = DatabaseAddress::parse(&format!("{url}?target_session_attrs={attributes}")).unwrap();
            let third = address.servers().await.unwrap().pop().unwrap();
            address.prefer(&third);
            assert_eq!(address.may_use_standby(), attributes == "any");
            let servers = address.clone().servers().await.unwrap();
            assert_eq!(
                servers.iter().map(ToString::to_string).collect::<Vec<_>>(),
                expected.map(|port| format!("127.0.0.1:{port}"))
            );
        }
    }

    #[tokio::test]
    async fn url_is_refused_if_any_of_its_hosts_may_be_reached_in_the_clear() {
        for (mode, is_refused) in [("prefer", true), ("allow", true), ("disable", false), ("require", false)] {
            let url = format!("postgres://u@127.0.0.1,192.0.2.1/d?sslmode={mode}");
            let servers = DatabaseAddress::parse(&url).unwrap().servers().await;
            assert_eq!(servers.is_err(), is_refused, "{mode}: {servers:?}");
            let text = servers.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!is_refused || text.contains("sslmode=verify-full"), "{text}");
        }
        let default = DatabaseAddress::parse("postgres://u@127.0.0.1,192.0.2.1/d").unwrap();
        let encryption = [true, false].map(|is_this_machine| default.tls.encryption(is_this_machine).unwrap());
        assert_eq!(encryption, [Encryption::Never, Encryption::Always(Verification::AuthorityAndName)]);
    }

    #[test]
    fn limits_of_the_url_replace_ours() {
        let limits = |url: &str| SocketLimits::of(&url.parse().unwrap());
        assert_eq!(limits("postgres://u@h/d").idle, KEEPALIVE_IDLE);
        let named = limits("postgres://u@h/d?keepalives_idle=7&tcp_user_timeout=3&connect_timeout=2");
        assert_eq!((named.idle.as_secs(), named.unacknowledged.as_secs(), named.connect.as_secs()), (7, 3, 2));
    }
}
