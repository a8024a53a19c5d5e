//! Check of the listener ports: free, or bound by this service.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use inboxd_core::rules::domains::name::is_local;
use inboxd_core::rules::proxy_protocol::LOCAL_HEADER;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Finding, tls};
use crate::config::{Config, Listener, Role, reachable};

/// Timeout of a reply from the process that holds a port.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum bytes of the reply.
const MAX_REPLY_BYTES: u64 = 16 * 1024;
/// Port of mail servers (RFC 5321, section 4.5.4.2).
const SMTP_PORT: u16 = 25;

/// A listener of this service, probed from this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListenerTarget {
    pub(crate) address: SocketAddr,
    /// Whether the listener speaks TLS from the first byte.
    pub(crate) is_tls: bool,
    /// Whether the request needs a PROXY protocol header.
    pub(crate) requires_proxy: bool,
    /// Whether the server speaks first, as in SMTP (RFC 5321, section 3.1).
    pub(crate) greets: bool,
}

impl ListenerTarget {
    /// Returns the target of a listener of the API or of redirects.
    pub(crate) fn http(listener: &Listener) -> Self {
        let Listener { address, requires_tls, requires_proxy } = *listener;
        Self { address, is_tls: requires_tls, requires_proxy, greets: false }
    }

    /// Returns the target of a plain HTTP listener for this machine.
    pub(crate) fn plain_http(address: SocketAddr) -> Self {
        Self { address, is_tls: false, requires_proxy: false, greets: false }
    }

    /// Returns the target of a listener for mail.
    pub(crate) fn smtp(listener: &Listener) -> Self {
        let Listener { address, requires_proxy, .. } = *listener;
        Self { address, is_tls: false, requires_proxy, greets: true }
    }

    /// Returns whether the listener replies to trusted proxies only, and this machine is none.
    pub(crate) fn refuses_this_machine(&self, config: &Config) -> bool {
        self.requires_proxy && !config.trusted_proxies.contains(reachable(self.address).ip())
    }
}

/// Port of a role.
struct Port {
    check: &'static str,
    variable: &'static str,
    target: ListenerTarget,
    /// Request to the process that holds the port, and the text in the reply that identifies this service.
    request: &'static str,
    expected: String,
}

/// Checks the ports of the configured roles.
pub(crate) async fn examine(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    for port in ports(config) {
        findings.push(probe_port(config, &port).await);
    }
    if config.roles.contains(&Role::Smtp) {
        findings.extend(from_outside(config));
    }
    findings
}

/// Returns whether this service replies at one of its ports.
pub(crate) async fn is_serving(config: &Config) -> bool {
    for port in ports(config) {
        if send_request(&port.target, port.request).await.is_ok_and(|reply| reply.contains(&port.expected)) {
            return true;
        }
    }
    false
}

/// Returns the ports of the configured roles.
fn ports(config: &Config) -> Vec<Port> {
    let mut ports = Vec::new();
    if config.roles.contains(&Role::Http) {
        ports.extend(config.http.iter().map(http));
        ports.extend(config.tls.redirect.iter().map(|listener| redirect(config, listener)));
    }
    if config.roles.contains(&Role::Smtp) {
        ports.extend(config.smtp.iter().map(|listener| smtp(config, listener)));
    }
    ports
}

fn http(listener: &Listener) -> Port {
    Port {
        check: "HTTP port",
        variable: "INBOXD_HTTP_ADDR",
        target: ListenerTarget::http(listener),
        request: "GET /v0/auth/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        expected: "missing_authorization".to_owned(),
    }
}

fn redirect(config: &Config, listener: &Listener) -> Port {
    Port {
        check: "HTTP port",
        variable: "INBOXD_HTTP_REDIRECT_ADDR",
        target: ListenerTarget::http(listener),
        request: "GET /v0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        expected: format!("location: {}", config.base_url()),
    }
}

fn smtp(config: &Config, listener: &Listener) -> Port {
    Port {
        check: "SMTP port",
        variable: "INBOXD_SMTP_ADDR",
        target: ListenerTarget::smtp(listener),
        request: "QUIT\r\n",
        expected: greeting(&config.domain),
    }
}

/// Returns the SMTP greeting of this service.
pub(crate) fn greeting(domain: &str) -> String {
    format!("220 {domain} ESMTP inboxd")
}

async fn probe_port(config: &Config, port: &Port) -> Finding {
    let Port { check, variable, target, .. } = port;
    let address = &target.address;
    let mend = format!("set {variable} to another address or port");
    match TcpListener::bind(address).map_err(|error| error.kind()) {
        Ok(_) if address.port() == 0 => {
            Finding::warn(*check, "the port is a free one, different at each start", format!("set {variable}"))
        }
        Ok(_) => Finding::ok(*check, format!("{address} is free")),
        Err(ErrorKind::AddrInUse) if target.refuses_this_machine(config) => Finding::warn(
            *check,
            format!("{address} is in use, and answers proxies only"),
            format!("add {} to INBOXD_TRUSTED_PROXIES if this check should ask it", reachable(*address).ip()),
        ),
        Err(ErrorKind::AddrInUse) => match send_request(target, port.request).await {
            Ok(reply) if reply.contains(&port.expected) => Finding::ok(*check, format!("inboxd answers on {address}")),
            _ => Finding::fail(*check, format!("{address} is in use by another program"), format!("end it, or {mend}")),
        },
        Err(ErrorKind::PermissionDenied) => Finding::fail(
            *check,
            format!("this user may not listen on {address}"),
            format!("give the program the capability CAP_NET_BIND_SERVICE, or {mend}"),
        ),
        Err(ErrorKind::AddrNotAvailable) => {
            Finding::fail(*check, format!("this machine does not have the address {}", address.ip()), mend)
        }
        Err(kind) => Finding::fail(*check, format!("cannot listen on {address}: {kind}"), mend),
    }
}

/// Sends a request to a listener and returns the limited reply.
///
/// # Errors
/// If the listener cannot be reached, or does not reply in time.
pub(crate) async fn send_request(target: &ListenerTarget, request: &str) -> io::Result<String> {
    let address = reachable(target.address);
    let exchange = async {
        let mut stream = TcpStream::connect(address).await?;
        if target.requires_proxy {
            stream.write_all(LOCAL_HEADER.as_bytes()).await?;
        }
        if !target.is_tls {
            return converse(stream, target.greets, request).await;
        }
        let name = ServerName::IpAddress(address.ip().into());
        let connector = tls::connector().map_err(io::Error::other)?;
        converse(connector.connect(name, stream).await?, target.greets, request).await
    };
    timeout(REPLY_TIMEOUT, exchange).await.map_err(|_| io::Error::from(ErrorKind::TimedOut))?
}

/// Warns if other machines cannot deliver mail to any listener.
fn from_outside(config: &Config) -> Option<Finding> {
    if is_local(&config.domain) {
        return None;
    }
    let mut addresses = config.smtp.iter().map(|listener| listener.address);
    // One reachable listener is sufficient.
    if addresses.clone().any(|address| !address.ip().is_loopback() && address.port() == SMTP_PORT) {
        return None;
    }
    let address = addresses.next()?;
    if address.ip().is_loopback() {
        return Some(Finding::warn(
            "SMTP port",
            format!("{address} is reachable from this machine only"),
            "set INBOXD_SMTP_ADDR to 0.0.0.0:25 or [::]:25, or forward port 25 to it",
        ));
    }
    Some(Finding::warn(
        "SMTP port",
        format!("other servers send mail to port {SMTP_PORT}, not to {}", address.port()),
        format!("forward port {SMTP_PORT} to {address}, or set INBOXD_SMTP_ADDR to port {SMTP_PORT}"),
    ))
}

/// Reads the greeting of an SMTP server, ends the session and returns all replies; `None` without a connection.
pub(crate) async fn smtp_greeting(address: SocketAddr) -> Option<String> {
    let target = ListenerTarget { address, is_tls: false, requires_proxy: false, greets: true };
    send_request(&target, "QUIT\r\n").await.ok()
}

async fn converse(mut stream: impl AsyncRead + AsyncWrite + Unpin, greets: bool, request: &str) -> io::Result<String> {
    let mut reply = Vec::new();
    // A client that speaks before the greeting is refused, and noted, by some servers.
    while greets && !reply.contains(&b'\n') && stream.read_buf(&mut reply).await? > 0 {}
    stream.write_all(request.as_bytes()).await?;
    // A connection that is reset may have replied before.
    let _ = stream.take(MAX_REPLY_BYTES).read_to_end(&mut reply).await;
    Ok(String::from_utf8_lossy(&reply).into_owned())
}
