//! Check of the listener ports: free, or bound by this service.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::time::Duration;

use inboxd_core::rules::domains::name::is_local;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Finding;
use crate::config::{Config, Role};

/// Timeout of a reply from the process that holds a port.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum bytes of the reply.
const MAX_REPLY_BYTES: u64 = 16 * 1024;
/// Port of mail servers (RFC 5321, section 4.5.4.2).
const SMTP_PORT: u16 = 25;

/// Port of a role.
struct Port {
    check: &'static str,
    variable: &'static str,
    address: SocketAddr,
    /// Request to the process that holds the port, and the text in the reply that identifies this service.
    question: &'static str,
    known_by: String,
}

/// Checks the ports of the configured roles.
pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    if config.roles.contains(&Role::Http) {
        findings.push(held_or_free(&http(config)).await);
    }
    if config.roles.contains(&Role::Smtp) {
        for listener in &config.smtp {
            findings.push(held_or_free(&smtp(config, listener.address)).await);
        }
        findings.extend(from_outside(config));
    }
    findings
}

fn http(config: &Config) -> Port {
    Port {
        check: "HTTP port",
        variable: "INBOXD_HTTP_ADDR",
        address: config.http_addr,
        question: "GET /v0/auth/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        known_by: "missing_authorization".to_owned(),
    }
}

fn smtp(config: &Config, address: SocketAddr) -> Port {
    Port {
        check: "SMTP port",
        variable: "INBOXD_SMTP_ADDR",
        address,
        question: "QUIT\r\n",
        known_by: greeting(&config.domain),
    }
}

/// Returns the SMTP greeting of this service.
pub(super) fn greeting(domain: &str) -> String {
    format!("220 {domain} ESMTP inboxd")
}

async fn held_or_free(port: &Port) -> Finding {
    let Port { check, variable, address, .. } = port;
    let mend = format!("set {variable} to another address or port");
    match TcpListener::bind(address).map_err(|error| error.kind()) {
        Ok(_) if address.port() == 0 => {
            Finding::warn(*check, "the port is a free one, different at each start", format!("set {variable}"))
        }
        Ok(_) => Finding::ok(*check, format!("{address} is free")),
        Err(ErrorKind::AddrInUse) => match said(reachable(*address), port.question).await {
            Some(answer) if answer.contains(&port.known_by) => {
                Finding::ok(*check, format!("inboxd answers on {address}"))
            }
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

/// Clients cannot connect to the unspecified address, but this machine can connect to itself.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Sends a request to an address and returns the limited reply.
pub(super) async fn said(address: SocketAddr, question: &str) -> Option<String> {
    let conversation = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(question.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        // A connection that is reset may have replied before.
        let _ = stream.take(MAX_REPLY_BYTES).read_to_end(&mut answer).await;
        Some(String::from_utf8_lossy(&answer).into_owned())
    };
    timeout(REPLY_TIMEOUT, conversation).await.ok().flatten()
}
