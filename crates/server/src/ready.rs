//! `inboxd ready`: readiness of the running server, for health checks of containers, which have no HTTP client.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::config::{Config, MetricsAddress, Role, reachable};
use crate::doctor::{ListenerTarget, greeting, send_request};
use crate::failure::Failure;

/// Pause between two requests.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Sends requests to the server of this configuration until it is ready, for `wait` seconds at most; one request without it.
///
/// # Errors
/// The cause of the last refusal.
pub(crate) async fn require_ready(config: &Config, wait: Option<u32>) -> Result<(), Failure> {
    let probe = ReadinessProbe::of(config)?;
    let end = Instant::now() + Duration::from_secs(wait.unwrap_or(0).into());
    loop {
        match probe.run().await {
            Ok(()) => return Ok(()),
            Err(failure) if Instant::now() >= end => return Err(failure),
            Err(_) => sleep(RETRY_DELAY).await,
        }
    }
}

/// A request to a listener, and the reply of a ready server.
struct ReadinessProbe {
    target: ListenerTarget,
    request: &'static str,
    /// Beginning of the reply.
    expected: String,
    /// Text in the reply that identifies this service; another program may have a default port.
    mark: &'static str,
}

/// Text of the metrics of this service, in the format of Prometheus.
const METRICS_MARK: &str = "# TYPE inboxd_";

impl ReadinessProbe {
    /// Chooses the listener that knows most: `/ready` of the API, the greeting of SMTP, or the metrics of a worker.
    fn of(config: &Config) -> Result<Self, Failure> {
        let http_probe = |request, target, mark| Self { target, request, expected: "HTTP/1.1 200".to_owned(), mark };
        let probe = if config.roles.contains(&Role::Http) {
            let listener = config.http.iter().min_by_key(|listener| (listener.requires_proxy, listener.requires_tls));
            listener.map(|listener| {
                let request = "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
                http_probe(request, ListenerTarget::http(listener), "")
            })
        } else if config.roles.contains(&Role::Smtp) {
            let listener = config.smtp.iter().min_by_key(|listener| listener.requires_proxy);
            listener.map(|listener| Self {
                target: ListenerTarget::smtp(listener),
                request: "QUIT\r\n",
                expected: greeting(&config.domain),
                mark: "",
            })
        } else {
            match config.metrics {
                MetricsAddress::Off => None,
                MetricsAddress::Default(address) | MetricsAddress::Configured(address) => Some(http_probe(
                    "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    ListenerTarget::plain_http(address),
                    METRICS_MARK,
                )),
            }
        };
        let probe = probe.ok_or_else(|| {
            Failure::new("this process has no listener to ask: set INBOXD_METRICS_ADDR, by which a worker is asked")
        })?;
        let target = probe.target;
        if target.refuses_this_machine(config) {
            return Err(Failure::new(format!(
                "{} answers proxies only: add {} to INBOXD_TRUSTED_PROXIES",
                target.address,
                reachable(target.address).ip()
            )));
        }
        if target.address.port() == 0 {
            return Err(Failure::new("the port is a free one, different at each start: configure a port to ask"));
        }
        Ok(probe)
    }

    async fn run(&self) -> Result<(), Failure> {
        let address = self.target.address;
        match send_request(&self.target, self.request).await {
            Ok(reply) if reply.starts_with(&self.expected) && reply.contains(self.mark) => Ok(()),
            Ok(reply) if reply.starts_with(&self.expected) => Err(Failure::new(format!(
                "not ready: another program listens on {address}; end it, or set INBOXD_METRICS_ADDR to another port"
            ))),
            Ok(reply) => Err(Failure::new(format!("not ready: {address} replies {}", cause(&reply)))),
            Err(error) => Err(Failure::new(format!("not ready: {address} cannot be asked: {error}"))),
        }
    }
}

/// Returns the message of an error response, or the first line of another reply.
fn cause(reply: &str) -> String {
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((reply, ""));
    let status = head.lines().next().unwrap_or("nothing");
    let message = serde_json::from_str::<serde_json::Value>(body).ok();
    match message.as_ref().and_then(|body| body["message"].as_str()) {
        Some(message) => format!("{status}: {message}"),
        None => status.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_is_the_message_or_the_first_line() {
        let refusal = "HTTP/1.1 503 Service Unavailable\r\nX: y\r\n\r\n{\"message\": \"the database is away\"}";
        assert_eq!(cause(refusal), "HTTP/1.1 503 Service Unavailable: the database is away");
        assert_eq!(cause("421 too many connections\r\n"), "421 too many connections");
        assert_eq!(cause(""), "nothing");
    }
}
