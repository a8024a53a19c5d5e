//! Sockets of the listeners, opened before the account changes or taken from the service manager.

use std::net::{SocketAddr, TcpListener};

use inboxd_http::{HttpListener, ListenerKind};
use socket2::{Domain, Socket, Type};

use crate::activation::PassedSockets;
use crate::config::{Config, Listener, Role};
use crate::failure::{ErrorContext, Failure};
use crate::metrics::MetricsListener;

fn listen(variable: &str, address: SocketAddr, is_only_v6: bool) -> Result<TcpListener, Failure> {
    let listener = bind(address, is_only_v6).map_err(|error| {
        Failure::new(format!("cannot listen on {address}: {error}; set {variable} to another address or port"))
    })?;
    listener.set_nonblocking(true).context("cannot prepare the listener")?;
    Ok(listener)
}

/// Binds like [`TcpListener::bind`]; an IPv6 listener may leave IPv4 to another one on the same port.
fn bind(address: SocketAddr, is_only_v6: bool) -> std::io::Result<TcpListener> {
    const WAITING: i32 = 1024;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() && is_only_v6 {
        socket.set_only_v6(true)?;
    }
    socket.bind(&address.into())?;
    socket.listen(WAITING)?;
    Ok(socket.into())
}

/// Opened sockets of this process.
pub(crate) struct Listeners {
    /// Sockets of the API and of redirects.
    pub(crate) http: Vec<HttpListener>,
    /// Sockets that receive mail.
    pub(crate) smtp: Vec<OpenListener>,
    /// Socket of the metrics.
    pub(crate) metrics: Option<MetricsListener>,
}

/// Opened socket with the options of its listener.
pub(crate) struct OpenListener {
    pub(crate) socket: TcpListener,
    pub(crate) options: Listener,
}

impl Listeners {
    /// Opens the sockets of the roles, or takes passed ones in their place, and stores the assigned ports in the configuration.
    pub(crate) fn open(config: &mut Config, passed: PassedSockets) -> Result<Self, Failure> {
        let (mut http, mut smtp) = (Vec::new(), Vec::new());
        if config.roles.contains(&Role::Http) {
            let sockets = open("http", "INBOXD_HTTP_ADDR", &mut config.http, passed.http)?;
            http.extend(sockets.into_iter().map(http_listener));
            if let Some(redirect) = &mut config.tls.redirect {
                let socket = listen("INBOXD_HTTP_REDIRECT_ADDR", redirect.address, false)?;
                redirect.address = socket.local_addr().context("the HTTP listener")?;
                let requires_proxy = redirect.requires_proxy;
                http.push(HttpListener { socket, kind: ListenerKind::Redirect, requires_proxy });
            }
        }
        if config.roles.contains(&Role::Smtp) {
            smtp = open("smtp", "INBOXD_SMTP_ADDR", &mut config.smtp, passed.smtp)?;
        }
        Ok(Self { http, smtp, metrics: MetricsListener::bind(config.metrics)? })
    }
}

fn http_listener(OpenListener { socket, options }: OpenListener) -> HttpListener {
    let kind = if options.requires_tls { ListenerKind::Tls } else { ListenerKind::Plain };
    HttpListener { socket, kind, requires_proxy: options.requires_proxy }
}

/// Binds the configured listeners, or takes the passed sockets of this name in their place, and stores their addresses in
/// `configured`.
fn open(
    name: &str,
    variable: &str,
    configured: &mut Vec<Listener>,
    passed: Vec<TcpListener>,
) -> Result<Vec<OpenListener>, Failure> {
    let opened = if passed.is_empty() {
        let v4: Vec<u16> =
            configured.iter().filter(|one| one.address.is_ipv4()).map(|one| one.address.port()).collect();
        let bind = |one: &Listener| listen(variable, one.address, v4.contains(&one.address.port()));
        configured.iter().map(|one| with_own_address(bind(one)?, *one)).collect::<Result<Vec<_>, Failure>>()?
    } else {
        let take = |socket: TcpListener| {
            let options = options_of_passed(name, variable, configured, &socket)?;
            with_own_address(socket, options)
        };
        passed.into_iter().map(take).collect::<Result<Vec<_>, Failure>>()?
    };
    *configured = opened.iter().map(|listener| listener.options).collect();
    Ok(opened)
}

/// Replaces the configured address by that of the socket, which has the assigned port.
fn with_own_address(socket: TcpListener, options: Listener) -> Result<OpenListener, Failure> {
    let address = socket.local_addr().context("cannot read the address of a listener")?;
    Ok(OpenListener { socket, options: Listener { address, ..options } })
}

/// Returns the options of a passed socket: those configured for its address, else for its port. A socket with another port
/// has none while no configured address has options.
fn options_of_passed(
    name: &str,
    variable: &str,
    configured: &[Listener],
    socket: &TcpListener,
) -> Result<Listener, Failure> {
    let address = socket.local_addr().context("cannot read the address of a passed socket")?;
    let exact = configured.iter().find(|one| one.address == address);
    if let Some(options) = exact.or_else(|| configured.iter().find(|one| one.address.port() == address.port())) {
        return Ok(*options);
    }
    if configured.iter().any(|one| one.requires_tls || one.requires_proxy) {
        return Err(Failure::new(format!(
            "the passed socket {name} listens on {address}: add this address or its port to {variable}"
        )));
    }
    Ok(Listener { address, requires_tls: false, requires_proxy: false })
}
