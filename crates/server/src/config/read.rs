//! Conversion and validation of the variables.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use inboxd_core::model::{MailLimits, SignUpMode};
use inboxd_mail::EmailAddress;
use time::Duration;

use super::rows::row_limits;
use super::scanner::scanner;
use super::stripe::stripe;
use super::{CertificateFiles, Config, Delivery, Role, Secret, SecretKey, SmtpListener};
use crate::failure::Failure;

/// Reads the configuration from a function that returns the text of a variable.
pub(super) fn config(get: impl Fn(&str) -> Option<String>) -> Result<Config, Failure> {
    let text = |name: &str, default: &str| get(name).unwrap_or_else(|| default.to_owned());
    let http_addr: SocketAddr = parsed("INBOXD_HTTP_ADDR", &text("INBOXD_HTTP_ADDR", "127.0.0.1:8080"), ADDRESS)?;
    let smtp = smtp_listeners(&text("INBOXD_SMTP_ADDR", "127.0.0.1:2525"))?;
    let domain = domain("INBOXD_DOMAIN", &text("INBOXD_DOMAIN", "inboxd.localhost"))?;
    let signup_domain =
        self::domain("INBOXD_SIGNUP_DOMAIN", &text("INBOXD_SIGNUP_DOMAIN", &format!("signup.{domain}")))?;
    Ok(Config {
        http_addr,
        smtp,
        smtp_certificate: certificate(get("INBOXD_SMTP_TLS_CERT"), get("INBOXD_SMTP_TLS_KEY"))?,
        smtp_max_connections: number(
            "INBOXD_SMTP_MAX_CONNECTIONS",
            &text("INBOXD_SMTP_MAX_CONNECTIONS", "1024"),
            16,
            1_000_000,
        )?,
        smtp_spool_bytes: number(
            "INBOXD_SMTP_SPOOL_BYTES",
            &text("INBOXD_SMTP_SPOOL_BYTES", "2147483648"),
            1_048_576,
            usize::MAX / 2,
        )?,
        configured_base_url: get("INBOXD_BASE_URL").map(|url| base_url(&url)).transpose()?,
        database_url: get("INBOXD_DATABASE_URL").map(database_url).transpose()?,
        database_timeout: std::time::Duration::from_secs(number(
            "INBOXD_DATABASE_TIMEOUT_SECONDS",
            &text("INBOXD_DATABASE_TIMEOUT_SECONDS", "30"),
            1,
            600,
        )?),
        min_free_bytes: number("INBOXD_MIN_FREE_BYTES", &text("INBOXD_MIN_FREE_BYTES", "268435456"), 0, u64::MAX / 2)?,
        data_dir: text("INBOXD_DATA_DIR", "./data").into(),
        domain,
        signup_domain,
        postmaster: get("INBOXD_POSTMASTER").map(|text| parsed("INBOXD_POSTMASTER", &text, POSTMASTER)).transpose()?,
        delivery: delivery(
            &text("INBOXD_DELIVERY", "capture"),
            get("INBOXD_RELAY_URL").as_deref(),
            number("INBOXD_DIRECT_PORT", &text("INBOXD_DIRECT_PORT", "25"), 1, u16::MAX)?,
        )?,
        dns_addr: get("INBOXD_DNS_ADDR").map(|text| dns_addr(&text)).transpose()?,
        secret_key: get("INBOXD_SECRET_KEY").map(|text| secret_key(&text)).transpose()?,
        operator_emails: list("INBOXD_OPERATOR_EMAILS", &text("INBOXD_OPERATOR_EMAILS", ""), OPERATORS)?,
        outbound_allow_cidrs: list("INBOXD_OUTBOUND_ALLOW_CIDRS", &text("INBOXD_OUTBOUND_ALLOW_CIDRS", ""), CIDR)?,
        outbound_ca_file: get("INBOXD_OUTBOUND_CA_FILE").map(Into::into),
        database_connections: number(
            "INBOXD_DATABASE_CONNECTIONS",
            &text("INBOXD_DATABASE_CONNECTIONS", "80"),
            24,
            10_000,
        )?,
        key_rate: number("INBOXD_KEY_RATE", &text("INBOXD_KEY_RATE", "200"), 0, 1_000_000)?,
        organization_requests: get("INBOXD_ORGANIZATION_REQUESTS")
            .map(|text| number("INBOXD_ORGANIZATION_REQUESTS", &text, 0, 10_000))
            .transpose()?,
        unauthenticated_rate: number(
            "INBOXD_UNAUTHENTICATED_RATE",
            &text("INBOXD_UNAUTHENTICATED_RATE", "30"),
            0,
            1_000_000,
        )?,
        max_connections: number("INBOXD_MAX_CONNECTIONS", &text("INBOXD_MAX_CONNECTIONS", "65536"), 2, 1_000_000)?,
        max_message_bytes: number(
            "INBOXD_MAX_MESSAGE_BYTES",
            &text("INBOXD_MAX_MESSAGE_BYTES", "41943040"),
            65_536,
            1_073_741_824,
        )?,
        sign_up: sign_up("INBOXD_SIGNUP", &text("INBOXD_SIGNUP", "open"))?,
        brakes_sending: switch("INBOXD_SENDING_BRAKE", &text("INBOXD_SENDING_BRAKE", "on"))?,
        reads_attachments: switch("INBOXD_ATTACHMENT_SEARCH", &text("INBOXD_ATTACHMENT_SEARCH", "on"))?,
        registers_clients: switch("INBOXD_OAUTH_REGISTRATION", &text("INBOXD_OAUTH_REGISTRATION", "on"))?,
        row_limits: row_limits(&get)?,
        loop_budget: number("INBOXD_LOOP_BUDGET_PER_HOUR", &text("INBOXD_LOOP_BUDGET_PER_HOUR", "100"), 0, 1_000_000)?,
        migration_lock_timeout: std::time::Duration::from_secs(number(
            "INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS",
            &text("INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS", "10"),
            1,
            3600,
        )?),
        approval_ttl: days("INBOXD_APPROVAL_DAYS", &text("INBOXD_APPROVAL_DAYS", "7"))?,
        mails_approvers: switch("INBOXD_APPROVAL_MAIL", &text("INBOXD_APPROVAL_MAIL", "on"))?,
        audit_retention: days("INBOXD_AUDIT_RETENTION_DAYS", &text("INBOXD_AUDIT_RETENTION_DAYS", "365"))?,
        event_retention: days("INBOXD_EVENT_RETENTION_DAYS", &text("INBOXD_EVENT_RETENTION_DAYS", "365"))?,
        mailbox_limits: MailLimits {
            per_hour: mails("INBOXD_MAILBOX_MAILS_PER_HOUR", &text("INBOXD_MAILBOX_MAILS_PER_HOUR", "10"))?,
            per_day: mails("INBOXD_MAILBOX_MAILS_PER_DAY", &text("INBOXD_MAILBOX_MAILS_PER_DAY", "20"))?,
        },
        invitation_limits: MailLimits {
            per_hour: mails("INBOXD_INVITATIONS_PER_HOUR", &text("INBOXD_INVITATIONS_PER_HOUR", "50"))?,
            per_day: mails("INBOXD_INVITATIONS_PER_DAY", &text("INBOXD_INVITATIONS_PER_DAY", "200"))?,
        },
        unverified_retention: days("INBOXD_UNVERIFIED_RETENTION_DAYS", &text("INBOXD_UNVERIFIED_RETENTION_DAYS", "7"))?,
        spam_url: get("INBOXD_SPAM_URL").map(|url| parsed("INBOXD_SPAM_URL", &url, SPAM_URL)).transpose()?,
        scanner: scanner(&get)?,
        stripe: stripe(&get)?,
        roles: roles(&text("INBOXD_ROLES", "http,smtp,worker"))?,
    })
}

const POSTMASTER: &str = "an address such as operator@mail.example.org";
const OPERATORS: &str = "a list of addresses such as ada@example.org,max@example.org";
const ADDRESS: &str = "an address and port such as 127.0.0.1:8080";
const RESOLVER: &str = "the address of a resolver such as 127.0.0.1 or 127.0.0.1:53";
const SMTP_ADDRESSES: &str =
    "one or more of an address and port such as 0.0.0.0:25, each with ?tls=required if it must refuse mail without TLS";
const SPAM_URL: &str = "the HTTP address of rspamd such as http://127.0.0.1:11333";
const CIDR: &str = "a list of networks such as 10.0.0.0/8,fd00::/8";

pub(super) fn bad(name: &str, allowed: &str) -> Failure {
    Failure::new(format!("{name} must be {allowed}"))
}

fn parsed<T: FromStr>(name: &str, text: &str, allowed: &str) -> Result<T, Failure> {
    text.trim().parse().map_err(|_| bad(name, allowed))
}

pub(super) fn number<T: FromStr + PartialOrd + Display + Copy>(
    name: &str,
    text: &str,
    least: T,
    most: T,
) -> Result<T, Failure> {
    match text.trim().parse() {
        Ok(number) if number >= least && number <= most => Ok(number),
        _ => Err(bad(name, &format!("a whole number from {least} to {most}"))),
    }
}

/// Reads `on` or `off`.
fn switch(name: &str, text: &str) -> Result<bool, Failure> {
    match text.trim() {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(bad(name, "on or off")),
    }
}

fn sign_up(name: &str, text: &str) -> Result<SignUpMode, Failure> {
    match text.trim() {
        "open" => Ok(SignUpMode::Open),
        "invite" => Ok(SignUpMode::Invite),
        "closed" => Ok(SignUpMode::Closed),
        _ => Err(bad(name, "open, invite or closed")),
    }
}

/// Reads a number of mails per period; 0 disables the limit.
fn mails(name: &str, text: &str) -> Result<u32, Failure> {
    number(name, text, 0, 1_000_000)
}

/// Reads a retention of one day to ten years.
fn days(name: &str, text: &str) -> Result<Duration, Failure> {
    Ok(Duration::days(number(name, text, 1, 3650)?))
}

fn list<T: FromStr>(name: &str, text: &str, allowed: &str) -> Result<Vec<T>, Failure> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(|item| parsed(name, item, allowed)).collect()
}

/// Reads listener addresses, each with an optional `?` suffix that requires TLS.
fn smtp_listeners(text: &str) -> Result<Vec<SmtpListener>, Failure> {
    let listener = |item: &str| {
        let (address, requires_tls) = match item.split_once('?') {
            None | Some((_, "tls=optional")) => (item.split('?').next().unwrap_or(item), false),
            Some((address, "tls=required")) => (address, true),
            Some(_) => return Err(bad("INBOXD_SMTP_ADDR", SMTP_ADDRESSES)),
        };
        Ok(SmtpListener { address: parsed("INBOXD_SMTP_ADDR", address, SMTP_ADDRESSES)?, requires_tls })
    };
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let listeners = items.map(listener).collect::<Result<Vec<_>, _>>()?;
    if listeners.is_empty() { Err(bad("INBOXD_SMTP_ADDR", SMTP_ADDRESSES)) } else { Ok(listeners) }
}

/// Requires both files or neither.
fn certificate(certificate: Option<String>, key: Option<String>) -> Result<Option<CertificateFiles>, Failure> {
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Ok(Some(CertificateFiles { certificate: certificate.into(), key: key.into() }))
        }
        (Some(_), None) => {
            Err(Failure::new("INBOXD_SMTP_TLS_CERT needs INBOXD_SMTP_TLS_KEY, the file of its private key".to_owned()))
        }
        (None, Some(_)) => {
            Err(Failure::new("INBOXD_SMTP_TLS_KEY needs INBOXD_SMTP_TLS_CERT, the file of its certificate".to_owned()))
        }
    }
}

/// Reads an address with an optional port; the default is 53.
fn dns_addr(text: &str) -> Result<SocketAddr, Failure> {
    let text = text.trim();
    match text.parse::<IpAddr>() {
        Ok(ip) => Ok(SocketAddr::new(ip, 53)),
        Err(_) => parsed("INBOXD_DNS_ADDR", text, RESOLVER),
    }
}

fn domain(name: &str, text: &str) -> Result<String, Failure> {
    let domain = text.trim().trim_end_matches('.').to_lowercase();
    match format!("agent@{domain}").parse::<EmailAddress>() {
        Ok(_) if domain.is_ascii() => Ok(domain),
        _ => Err(bad(name, "a domain name such as mail.example.org, in its ASCII form")),
    }
}

fn base_url(text: &str) -> Result<String, Failure> {
    let url = text.trim().trim_end_matches('/');
    let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains([' ', '?', '#']) => Ok(url.to_owned()),
        _ => Err(bad("INBOXD_BASE_URL", "a URL such as https://mail.example.org, without a query")),
    }
}

fn database_url(text: String) -> Result<Secret, Failure> {
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Ok(Secret::new(text));
    }
    Err(bad("INBOXD_DATABASE_URL", "a URL such as postgres://user:password@host/database"))
}

fn secret_key(text: &str) -> Result<SecretKey, Failure> {
    SecretKey::parse(text.trim())
        .ok_or_else(|| bad("INBOXD_SECRET_KEY", "64 hex digits, as `openssl rand -hex 32` prints"))
}

fn delivery(text: &str, relay_url: Option<&str>, port: u16) -> Result<Delivery, Failure> {
    // An invalid relay URL stops the start even if unused. Otherwise a later switch to the relay would fail.
    let relay = relay_url.map(|url| url.trim().parse().map_err(|_| bad("INBOXD_RELAY_URL", RELAY))).transpose()?;
    match (text.trim(), relay) {
        ("capture", _) => Ok(Delivery::Capture),
        ("relay", Some(relay)) => Ok(Delivery::Relay(relay)),
        ("relay", None) => Err(Failure::new(format!("INBOXD_DELIVERY=relay needs INBOXD_RELAY_URL, {RELAY}"))),
        ("direct", _) => Ok(Delivery::Direct { port }),
        _ => Err(bad("INBOXD_DELIVERY", "capture, relay or direct")),
    }
}

const RELAY: &str = "smtp://[user:password@]host:port or smtps://[user:password@]host:port";

fn roles(text: &str) -> Result<BTreeSet<Role>, Failure> {
    let role = |name: &str| match name {
        "http" => Some(Role::Http),
        "smtp" => Some(Role::Smtp),
        "worker" => Some(Role::Worker),
        _ => None,
    };
    let roles: Option<BTreeSet<Role>> = text.split(',').map(|name| role(name.trim())).collect();
    roles.filter(|roles| !roles.is_empty()).ok_or_else(|| bad("INBOXD_ROLES", "one or more of http, smtp and worker"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Config, Failure> {
        config(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn without_a_word_everything_has_its_default() -> Result<(), Failure> {
        let config = with(&[])?;
        assert_eq!(config.base_url(), "http://127.0.0.1:8080");
        assert_eq!(config.smtp.len(), 1);
        assert_eq!(config.smtp.first().map(|listener| listener.address.to_string()).as_deref(), Some("127.0.0.1:2525"));
        assert_eq!(
            (config.domain.as_str(), config.signup_domain.as_str()),
            ("inboxd.localhost", "signup.inboxd.localhost")
        );
        assert_eq!(config.delivery, Delivery::Capture);
        assert_eq!(config.max_message_bytes, 40 * 1024 * 1024);
        assert_eq!(config.unauthenticated_rate, 30);
        assert_eq!(config.loop_budget, inboxd_core::rules::loops::HOURLY_BUDGET);
        assert_eq!(config.max_connections, 65_536);
        assert!(config.registers_clients);
        assert_eq!(config.sign_up, SignUpMode::Open);
        assert_eq!(config.roles.len(), 3);
        Ok(())
    }

    #[test]
    fn dependent_default_follows_other_value() -> Result<(), Failure> {
        let config = with(&[("INBOXD_DOMAIN", "Mail.Example.Org."), ("INBOXD_HTTP_ADDR", "127.0.0.1:9")])?;
        assert_eq!(config.signup_domain, "signup.mail.example.org");
        assert_eq!(config.base_url(), "http://127.0.0.1:9");
        Ok(())
    }

    #[test]
    fn links_lead_to_an_address_that_can_be_called() -> Result<(), Failure> {
        for (address, url) in [("0.0.0.0:80", "http://127.0.0.1:80"), ("[::]:80", "http://[::1]:80")] {
            assert_eq!(with(&[("INBOXD_HTTP_ADDR", address)])?.base_url(), url);
        }
        Ok(())
    }

    #[test]
    fn a_relay_is_used_where_it_is_asked_for_only() -> Result<(), Failure> {
        let relay = ("INBOXD_RELAY_URL", "smtp://relay.example.org:25");
        assert_eq!(with(&[relay])?.delivery, Delivery::Capture);
        assert!(matches!(with(&[relay, ("INBOXD_DELIVERY", "relay")])?.delivery, Delivery::Relay(_)));
        Ok(())
    }

    #[test]
    fn direct_delivery_goes_to_port_25_unless_a_network_of_tests_has_another() -> Result<(), Failure> {
        let direct = ("INBOXD_DELIVERY", "direct");
        assert_eq!(with(&[direct])?.delivery, Delivery::Direct { port: 25 });
        assert_eq!(with(&[direct, ("INBOXD_DIRECT_PORT", "2526")])?.delivery, Delivery::Direct { port: 2526 });
        Ok(())
    }

    #[test]
    fn a_resolver_is_an_address_with_or_without_a_port() -> Result<(), Failure> {
        assert_eq!(with(&[])?.dns_addr, None);
        for (text, expected) in [
            ("192.0.2.1", "192.0.2.1:53"),
            ("192.0.2.1:5353", "192.0.2.1:5353"),
            ("2001:db8::1", "[2001:db8::1]:53"),
            ("[2001:db8::1]:5353", "[2001:db8::1]:5353"),
        ] {
            let config = with(&[("INBOXD_DNS_ADDR", text)])?;
            assert_eq!(config.dns_addr.map(|address| address.to_string()).as_deref(), Some(expected), "{text}");
        }
        Ok(())
    }

    #[test]
    fn each_listener_may_require_tls() -> Result<(), Failure> {
        let text = "0.0.0.0:25, [::]:25?tls=optional,127.0.0.1:10025?tls=required";
        let listeners = with(&[("INBOXD_SMTP_ADDR", text)])?.smtp;
        let shown: Vec<_> = listeners.iter().map(|one| (one.address.to_string(), one.requires_tls)).collect();
        let expected = [("0.0.0.0:25", false), ("[::]:25", false), ("127.0.0.1:10025", true)];
        assert_eq!(shown, expected.map(|(address, requires)| (address.to_owned(), requires)));
        Ok(())
    }

    #[test]
    fn bad_value_line_names_variable_and_allowed_values() {
        let table = [
            ("INBOXD_HTTP_ADDR", "8080"),
            ("INBOXD_SMTP_ADDR", "localhost"),
            ("INBOXD_SMTP_ADDR", ","),
            ("INBOXD_SMTP_ADDR", "127.0.0.1:25?tls=perhaps"),
            ("INBOXD_SMTP_TLS_CERT", "cert.pem"),
            ("INBOXD_SMTP_TLS_KEY", "key.pem"),
            ("INBOXD_BASE_URL", "example.org"),
            ("INBOXD_DATABASE_URL", "mysql://x"),
            ("INBOXD_DNS_ADDR", "dns.example.org"),
            ("INBOXD_DOMAIN", "no domain"),
            ("INBOXD_SIGNUP_DOMAIN", "münchen.example"),
            ("INBOXD_DELIVERY", "pigeon"),
            ("INBOXD_DELIVERY", "relay"),
            ("INBOXD_DIRECT_PORT", "0"),
            ("INBOXD_DIRECT_PORT", "65536"),
            ("INBOXD_RELAY_URL", "http://relay.example.org"),
            ("INBOXD_RELAY_URL", ""),
            ("INBOXD_SECRET_KEY", "short"),
            ("INBOXD_OPERATOR_EMAILS", "ada@example.org,max"),
            ("INBOXD_OUTBOUND_ALLOW_CIDRS", "10.0.0.0/99"),
            ("INBOXD_UNAUTHENTICATED_RATE", "-1"),
            ("INBOXD_LOOP_BUDGET_PER_HOUR", "many"),
            ("INBOXD_MAX_CONNECTIONS", "1"),
            ("INBOXD_DATABASE_CONNECTIONS", "23"),
            ("INBOXD_KEY_RATE", "fast"),
            ("INBOXD_ORGANIZATION_REQUESTS", "-1"),
            ("INBOXD_MAX_MESSAGE_BYTES", "12"),
            ("INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS", "0"),
            ("INBOXD_SPAM_URL", "127.0.0.1:11333"),
            ("INBOXD_SPAM_URL", "http://127.0.0.1:11333/checkv2"),
            ("INBOXD_SIGNUP", "friends"),
            ("INBOXD_OAUTH_REGISTRATION", "maybe"),
            ("INBOXD_MAX_UNUSED_CLIENTS", "0"),
            ("INBOXD_ROLES", "http,cook"),
            ("INBOXD_ROLES", ""),
        ];
        for (name, value) in table {
            let line = with(&[(name, value)]).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.contains(name) && !line.contains('\n'), "{name}={value}: {line:?}");
        }
    }
}
