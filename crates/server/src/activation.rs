//! Sockets that a service manager opens for the service (`sd_listen_fds(3)`).

use std::net::TcpListener;

use listenfd::ListenFd;

use crate::failure::{ErrorContext, Failure};

/// Names of the sockets, separated by colons (`FileDescriptorName=` of systemd.socket).
const NAMES: &str = "LISTEN_FDNAMES";

/// Passed sockets by their purpose.
#[derive(Debug, Default)]
pub(crate) struct PassedSockets {
    /// Sockets of the API, named `http`.
    pub(crate) http: Vec<TcpListener>,
    /// Sockets that receive mail, named `smtp`.
    pub(crate) smtp: Vec<TcpListener>,
}

impl PassedSockets {
    /// Takes the passed sockets; none without a service manager.
    ///
    /// # Errors
    /// A socket with another name or of another kind.
    pub(crate) fn take() -> Result<Self, Failure> {
        let names = std::env::var(NAMES).unwrap_or_default();
        let mut names = names.split(':');
        let mut passed = ListenFd::from_env();
        let mut sockets = Self::default();
        for index in 0..passed.len() {
            let name = names.next().unwrap_or_default();
            let target = match name {
                "http" => &mut sockets.http,
                "smtp" => &mut sockets.smtp,
                _ => {
                    return Err(Failure::new(format!(
                        "the service manager passes a socket named {name:?}: set FileDescriptorName= to http or smtp"
                    )));
                }
            };
            let socket = passed.take_tcp_listener(index).context(format!("the passed socket {name}"))?;
            let Some(socket) = socket else { continue };
            socket.set_nonblocking(true).context(format!("the passed socket {name}"))?;
            target.push(socket);
        }
        Ok(sockets)
    }
}
