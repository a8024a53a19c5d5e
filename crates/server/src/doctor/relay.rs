//! Check of the configured relay.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Finding;
use crate::config::{Config, Delivery};

const CHECK: &str = "relay";
/// Timeout of the connection.
const RELAY_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks that the relay accepts connections; `None` without a relay.
pub(crate) async fn examine(config: &Config) -> Option<Finding> {
    let Delivery::Relay(relay) = &config.delivery else { return None };
    let place = format!("{}:{}", relay.host, relay.port);
    let mend = "correct INBOXD_RELAY_URL, or permit connections of this machine";
    let finding = match timeout(RELAY_TIMEOUT, TcpStream::connect((relay.host.as_str(), relay.port))).await {
        Ok(Ok(_)) => Finding::ok(CHECK, format!("{place} accepts connections")),
        Ok(Err(error)) => Finding::fail(CHECK, format!("{place} cannot be reached: {error}"), mend),
        Err(_) => Finding::fail(CHECK, format!("{place} does not answer within {} s", RELAY_TIMEOUT.as_secs()), mend),
    };
    Some(finding)
}
