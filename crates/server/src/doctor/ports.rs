//! The ports: free, or held by this very service.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::time::Duration;

use inboxd_core::rules::domains::name::is_local;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Finding;
use crate::config::{Config, Role};

/// How long whoever holds a port may take to say who they are.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most octets of what they say that are read.
const MOST_READ: u64 = 16 * 1024;
/// Where mail servers listen (RFC 5321, section 4.5.4.2).
const SMTP_PORT: u16 = 25;

/// A port that a role listens on.
struct Port {
    check: &'static str,
    variable: &'static str,
    address: SocketAddr,
    /// What is said to whoever holds it, and the words by which this service is known in the answer.
    question: &'static str,
    known_by: String,
}

/// Looks at the ports of the roles that the configuration names.
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

/// How this service greets over SMTP.
pub(super) fn greeting(domain: &str) -> String {
    format!("220 {domain} ESMTP inboxd")
}

async fn held_or_free(port: &Port) -> Finding {
    let Port { check, variable, address, .. } = port;
    let mend = format!("set {variable} to another address or port");
    match TcpListener::bind(address).map_err(|error| error.kind()) {
        Ok(_) if address.port() == 0 => {
            Finding::warn(*check, "any free port is taken, another at each start", format!("set {variable}"))
        }
        Ok(_) => Finding::ok(*check, format!("{address} is free; nobody serves there now")),
        Err(ErrorKind::AddrInUse) => match said(reachable(*address), port.question).await {
            Some(answer) if answer.contains(&port.known_by) => {
                Finding::ok(*check, format!("inboxd answers on {address}"))
            }
            _ => Finding::fail(*check, format!("{address} is held by another program"), format!("end it, or {mend}")),
        },
        Err(ErrorKind::PermissionDenied) => Finding::fail(
            *check,
            format!("this user may not listen on {address}"),
            format!("give the program the capability CAP_NET_BIND_SERVICE, or {mend}"),
        ),
        Err(ErrorKind::AddrNotAvailable) => {
            Finding::fail(*check, format!("this machine does not have the address {}", address.ip()), mend)
        }
        Err(kind) => Finding::fail(*check, format!("nobody can listen on {address}: {kind}"), mend),
    }
}

/// Whether mail from other machines can come to the port at all.
fn from_outside(config: &Config) -> Option<Finding> {
    if is_local(&config.domain) {
        return None;
    }
    let mut addresses = config.smtp.iter().map(|listener| listener.address);
    // One that can be reached is enough.
    if addresses.clone().any(|address| !address.ip().is_loopback() && address.port() == SMTP_PORT) {
        return None;
    }
    let address = addresses.next()?;
    if address.ip().is_loopback() {
        return Some(Finding::warn(
            "SMTP port",
            format!("{address} is reached from this machine alone"),
            "set INBOXD_SMTP_ADDR to 0.0.0.0:25 or [::]:25, or forward port 25 to it",
        ));
    }
    Some(Finding::warn(
        "SMTP port",
        format!("mail from other servers comes to port {SMTP_PORT}, not to {}", address.port()),
        format!("forward port {SMTP_PORT} to {address}, or set INBOXD_SMTP_ADDR to port {SMTP_PORT}"),
    ))
}

/// Nobody can call "every address"; this machine can call itself.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// What whoever holds an address says to a question, until they have said enough.
pub(super) async fn said(address: SocketAddr, question: &str) -> Option<String> {
    let conversation = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(question.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        // A connection that is reset has said something all the same.
        let _ = stream.take(MOST_READ).read_to_end(&mut answer).await;
        Some(String::from_utf8_lossy(&answer).into_owned())
    };
    timeout(PATIENCE, conversation).await.ok().flatten()
}
