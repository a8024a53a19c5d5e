//! Connections to the server, encrypted as the URL asks, with detection of vanished hosts.

mod options;
mod tls;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use rand::seq::SliceRandom;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts, SslMode};

use self::options::TlsOptions;

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
}

/// Address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerAddress {
    /// A socket address, and the name that the certificate must have.
    Tcp(SocketAddr, String),
    Unix(PathBuf),
}

/// A bidirectional stream of bytes.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

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
        Ok(Self { config, tls })
    }

    /// Returns the addresses of all hosts, in the order of attempts.
    pub(crate) async fn servers(&self) -> io::Result<Vec<ServerAddress>> {
        addresses(&self.config).await
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

async fn addresses(config: &Config) -> io::Result<Vec<ServerAddress>> {
    let ports = config.get_ports();
    let port = |host: usize| ports.get(host).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
    let mut found = Vec::new();
    let mut refusal = None;
    if config.get_hostaddrs().is_empty() {
        for (number, host) in config.get_hosts().iter().enumerate() {
            match host {
                Host::Tcp(name) => match lookup_host((name.as_str(), port(number))).await {
                    Ok(addresses) => {
                        found.extend(addresses.map(|address| ServerAddress::Tcp(address, name.clone())));
                    }
                    Err(error) => refusal = Some(error),
                },
                Host::Unix(folder) => {
                    found.push(ServerAddress::Unix(folder.join(format!(".s.PGSQL.{}", port(number)))));
                }
            }
        }
    } else {
        let name = |number: usize, ip: &IpAddr| match config.get_hosts().get(number) {
            Some(Host::Tcp(name)) => name.clone(),
            _ => ip.to_string(),
        };
        let hosts = config.get_hostaddrs().iter().enumerate();
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

#[expect(clippy::disallowed_methods, reason = "the order of hosts decides nothing that a test or a rule depends on")]
fn shuffle(addresses: &mut [ServerAddress]) {
    addresses.shuffle(&mut rand::rng());
}

/// Connects a socket.
async fn dial(address: &ServerAddress, config: &Config) -> io::Result<Box<dyn ByteStream>> {
    let limits = SocketLimits::of(config);
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    match address {
        ServerAddress::Unix(path) => {
            Ok(Box::new(timeout(limits.connect, UnixStream::connect(path)).await.map_err(late)??))
        }
        ServerAddress::Tcp(address, _) => {
            let stream = timeout(limits.connect, TcpStream::connect(address)).await.map_err(late)??;
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

    use super::*;

    async fn found(url: &str) -> Vec<ServerAddress> {
        DatabaseAddress::parse(url).unwrap().servers().await.unwrap()
    }

    #[tokio::test]
    async fn url_with_several_hosts_yields_all_addresses() {
        let socket = ServerAddress::Unix("/run/pg/.s.PGSQL.5432".into());
        assert_eq!(found("postgres://u@/d?host=/run/pg").await, [socket]);
        let tcp = |text: &str, name: &str| ServerAddress::Tcp(text.parse().unwrap(), name.to_owned());
        let both = [tcp("127.0.0.1:1", "127.0.0.1"), tcp("127.0.0.2:2", "127.0.0.2")];
        assert_eq!(found("postgres://u@127.0.0.1:1,127.0.0.2:2/d").await, both);
        assert_eq!(found("postgres://u@db/d?hostaddr=127.0.0.3").await, [tcp("127.0.0.3:5432", "db")]);
    }

    #[test]
    fn limits_of_the_url_replace_ours() {
        let limits = |url: &str| SocketLimits::of(&url.parse().unwrap());
        assert_eq!(limits("postgres://u@h/d").idle, KEEPALIVE_IDLE);
        let named = limits("postgres://u@h/d?keepalives_idle=7&tcp_user_timeout=3&connect_timeout=2");
        assert_eq!((named.idle.as_secs(), named.unacknowledged.as_secs(), named.connect.as_secs()), (7, 3, 2));
    }
}
