//! Configuration file.

use std::collections::BTreeMap;
use std::path::Path;

use crate::failure::{Failure, While};

/// Names of all variables of the file and the environment.
pub(super) const VARIABLES: &[&str] = &[
    "INBOXD_APPROVAL_DAYS",
    "INBOXD_APPROVAL_MAIL",
    "INBOXD_ATTACHMENT_SEARCH",
    "INBOXD_AUDIT_RETENTION_DAYS",
    "INBOXD_BASE_URL",
    "INBOXD_DATABASE_CONNECTIONS",
    "INBOXD_DATABASE_TIMEOUT_SECONDS",
    "INBOXD_DATABASE_URL",
    "INBOXD_DATA_DIR",
    "INBOXD_DELIVERY",
    "INBOXD_DIRECT_PORT",
    "INBOXD_DNS_ADDR",
    "INBOXD_DOMAIN",
    "INBOXD_EVENT_RETENTION_DAYS",
    "INBOXD_HTTP_ADDR",
    "INBOXD_INVITATIONS_PER_DAY",
    "INBOXD_INVITATIONS_PER_HOUR",
    "INBOXD_MAILBOX_MAILS_PER_DAY",
    "INBOXD_MAILBOX_MAILS_PER_HOUR",
    "INBOXD_KEY_RATE",
    "INBOXD_MAX_CONNECTIONS",
    "INBOXD_MAX_MESSAGE_BYTES",
    "INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS",
    "INBOXD_MIN_FREE_BYTES",
    "INBOXD_OAUTH_REGISTRATION",
    "INBOXD_OPERATOR_EMAILS",
    "INBOXD_ORGANIZATION_REQUESTS",
    "INBOXD_OUTBOUND_ALLOW_CIDRS",
    "INBOXD_OUTBOUND_CA_FILE",
    "INBOXD_POSTMASTER",
    "INBOXD_RELAY_URL",
    "INBOXD_ROLES",
    "INBOXD_SCANNER_TIMEOUT_MS",
    "INBOXD_SCANNER_TOKEN",
    "INBOXD_SCANNER_URL",
    "INBOXD_SECRET_KEY",
    "INBOXD_SENDING_BRAKE",
    "INBOXD_SIGNUP",
    "INBOXD_SIGNUP_DOMAIN",
    "INBOXD_SMTP_ADDR",
    "INBOXD_SMTP_MAX_CONNECTIONS",
    "INBOXD_SMTP_SPOOL_BYTES",
    "INBOXD_SMTP_TLS_CERT",
    "INBOXD_SMTP_TLS_KEY",
    "INBOXD_SPAM_URL",
    "INBOXD_STRIPE_API_URL",
    "INBOXD_STRIPE_PRICES",
    "INBOXD_STRIPE_SECRET_KEY",
    "INBOXD_STRIPE_WEBHOOK_SECRET",
    "INBOXD_UNAUTHENTICATED_RATE",
    "INBOXD_LOOP_BUDGET_PER_HOUR",
    "INBOXD_UNVERIFIED_RETENTION_DAYS",
];

/// Reads a TOML file of variables; no path means no variables.
pub(super) fn read(path: Option<&Path>) -> Result<BTreeMap<String, String>, Failure> {
    let Some(path) = path else { return Ok(BTreeMap::new()) };
    let shown = path.display();
    let text = std::fs::read_to_string(path).trying(format!("cannot read {shown}"))?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        Failure::new(format!("{shown} is not TOML: {}", error.to_string().replace('\n', " ")))
    })?;
    table
        .into_iter()
        .map(|(key, value)| {
            if !VARIABLES.contains(&key.as_str()) {
                return Err(Failure::new(format!(
                    "{shown}: {key} is not a variable; the variables are {}",
                    VARIABLES.join(", ")
                )));
            }
            match value {
                toml::Value::String(text) => Ok((key, text)),
                toml::Value::Integer(number) => Ok((key, number.to_string())),
                toml::Value::Array(items) if items.iter().all(toml::Value::is_str) => {
                    let texts: Vec<&str> = items.iter().filter_map(toml::Value::as_str).collect();
                    Ok((key, texts.join(",")))
                }
                _ => Err(Failure::new(format!("{shown}: {key} must be a string, a number or a list of strings"))),
            }
        })
        .collect()
}
