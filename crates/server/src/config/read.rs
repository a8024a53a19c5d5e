//! Conversion and validation of the settings.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use inboxd_core::app::Limits;
use inboxd_core::model::mail_report::ReportLimits;
use inboxd_core::model::{MailLimits, SignUpMode};
use inboxd_mail::EmailAddress;
use time::Duration;
use tracing_subscriber::EnvFilter;

use super::blobs::blobs;
use super::metrics::metrics_address;
use super::outgoing_tls::outgoing_tls;
use super::proxies::{require_trusted, trusted_proxies};
use super::rows::row_limits;
use super::scanner::scanner;
use super::source::{Source, refused};
use super::standbys::standbys;
use super::stripe::stripe;
use super::tls::{certificate_files, tls};
use super::{Config, Delivery, Role, Secret, SecretKey, listeners};
use crate::failure::Failure;

/// Reads the configuration from its values.
pub(super) fn config(source: &Source) -> Result<Config, Failure> {
    let domain = domain(source, "INBOXD_DOMAIN")?;
    let signup_domain = match source.get("INBOXD_SIGNUP_DOMAIN") {
        Some(_) => self::domain(source, "INBOXD_SIGNUP_DOMAIN")?,
        None => format!("signup.{domain}"),
    };
    let trusted_proxies = trusted_proxies(source)?;
    let (http, smtp) = (listeners::http(source)?, listeners::smtp(source)?);
    require_trusted("INBOXD_HTTP_ADDR", &http, &trusted_proxies)?;
    require_trusted("INBOXD_SMTP_ADDR", &smtp, &trusted_proxies)?;
    let tls = tls(source, &http)?;
    require_trusted("INBOXD_HTTP_REDIRECT_ADDR", tls.redirect.as_slice(), &trusted_proxies)?;
    Ok(Config {
        http,
        tls,
        trusted_proxies,
        metrics: metrics_address(source)?,
        smtp,
        smtp_certificate: certificate_files(source, "INBOXD_SMTP_TLS_CERT", "INBOXD_SMTP_TLS_KEY")?,
        smtp_max_connections: source.number("INBOXD_SMTP_MAX_CONNECTIONS")?,
        smtp_spool_bytes: source.number("INBOXD_SMTP_SPOOL_BYTES")?,
        configured_base_url: source.get("INBOXD_BASE_URL").map(|url| base_url(&url)).transpose()?,
        user: source.get("INBOXD_USER").map(|name| user(&name)).transpose()?,
        database_url: source.get("INBOXD_DATABASE_URL").map(database_url).transpose()?,
        standbys: standbys(source)?,
        database_timeout: seconds(source, "INBOXD_DATABASE_TIMEOUT_SECONDS")?,
        min_free_bytes: source.number("INBOXD_MIN_FREE_BYTES")?,
        log_filter: log_filter(source)?,
        data_dir: source.text("INBOXD_DATA_DIR").into(),
        domain,
        signup_domain,
        postmaster: source.optional("INBOXD_POSTMASTER")?,
        delivery: delivery(source)?,
        outgoing_tls: outgoing_tls(source)?,
        dns_addr: source.get("INBOXD_DNS_ADDR").map(|text| dns_addr(&text)).transpose()?,
        secret_key: source.get("INBOXD_SECRET_KEY").map(|text| secret_key(&text)).transpose()?,
        operator_emails: source.list("INBOXD_OPERATOR_EMAILS")?,
        outbound_allow_cidrs: source.list("INBOXD_OUTBOUND_ALLOW_CIDRS")?,
        outbound_ca_file: source.get("INBOXD_OUTBOUND_CA_FILE").map(Into::into),
        database_connections: source.number("INBOXD_DATABASE_CONNECTIONS")?,
        key_rate: source.number("INBOXD_KEY_RATE")?,
        organization_requests: source
            .get("INBOXD_ORGANIZATION_REQUESTS")
            .map(|_| source.number("INBOXD_ORGANIZATION_REQUESTS"))
            .transpose()?,
        unauthenticated_rate: source.number("INBOXD_UNAUTHENTICATED_RATE")?,
        max_connections: source.number("INBOXD_MAX_CONNECTIONS")?,
        max_message_bytes: source.number("INBOXD_MAX_MESSAGE_BYTES")?,
        response_stall_timeout: seconds(source, "INBOXD_RESPONSE_STALL_SECONDS")?,
        reads_attachments: source.switch("INBOXD_ATTACHMENT_SEARCH")?,
        registers_clients: source.switch("INBOXD_OAUTH_REGISTRATION")?,
        migration_lock_timeout: seconds(source, "INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS")?,
        approval_ttl: days(source, "INBOXD_APPROVAL_DAYS")?,
        mails_approvers: source.switch("INBOXD_APPROVAL_MAIL")?,
        audit_retention: days(source, "INBOXD_AUDIT_RETENTION_DAYS")?,
        event_retention: days(source, "INBOXD_EVENT_RETENTION_DAYS")?,
        unverified_retention: days(source, "INBOXD_UNVERIFIED_RETENTION_DAYS")?,
        blob_retention: days(source, "INBOXD_BLOB_RETENTION_DAYS")?,
        report_retention: days(source, "INBOXD_REPORT_RETENTION_DAYS")?,
        report_limits: ReportLimits {
            stored: source.number("INBOXD_MAX_MAIL_REPORTS")?,
            per_day: source.number("INBOXD_MAX_DAILY_MAIL_REPORTS")?,
        },
        limits: limits(source)?,
        spam_url: source.optional("INBOXD_SPAM_URL")?,
        scanner: scanner(source)?,
        blobs: blobs(source)?,
        stripe: stripe(source)?,
        roles: roles(source)?,
    })
}

/// Reads the limits of the use cases that may change while the service runs.
fn limits(source: &Source) -> Result<Limits, Failure> {
    let loop_budget: u32 = source.number("INBOXD_LOOP_BUDGET_PER_HOUR")?;
    Ok(Limits {
        rows: row_limits(source)?,
        loop_budget: (loop_budget > 0).then_some(loop_budget),
        mailbox_mails: MailLimits {
            per_hour: source.number("INBOXD_MAILBOX_MAILS_PER_HOUR")?,
            per_day: source.number("INBOXD_MAILBOX_MAILS_PER_DAY")?,
        },
        invitations: MailLimits {
            per_hour: source.number("INBOXD_INVITATIONS_PER_HOUR")?,
            per_day: source.number("INBOXD_INVITATIONS_PER_DAY")?,
        },
        sign_up: sign_up(source)?,
        brakes_sending: source.switch("INBOXD_SENDING_BRAKE")?,
    })
}

fn seconds(source: &Source, name: &str) -> Result<std::time::Duration, Failure> {
    source.number(name).map(std::time::Duration::from_secs)
}

fn days(source: &Source, name: &str) -> Result<Duration, Failure> {
    source.number::<u32>(name).map(|days| Duration::days(days.into()))
}

fn sign_up(source: &Source) -> Result<SignUpMode, Failure> {
    match source.text("INBOXD_SIGNUP").trim() {
        "open" => Ok(SignUpMode::Open),
        "invite" => Ok(SignUpMode::Invite),
        "closed" => Ok(SignUpMode::Closed),
        _ => Err(refused("INBOXD_SIGNUP")),
    }
}

/// Reads the filter of the log events.
fn log_filter(source: &Source) -> Result<String, Failure> {
    let text = source.text("INBOXD_LOG_FILTER");
    match EnvFilter::try_new(text.trim()) {
        Ok(_) => Ok(text.trim().to_owned()),
        Err(_) => Err(refused("INBOXD_LOG_FILTER")),
    }
}

/// Reads the name of an account.
fn user(name: &str) -> Result<String, Failure> {
    let name = name.trim();
    if name.is_empty() || name == "root" || name == "nobody" {
        Err(refused("INBOXD_USER"))
    } else {
        Ok(name.to_owned())
    }
}

/// Reads an address with an optional port; the default is 53.
fn dns_addr(text: &str) -> Result<SocketAddr, Failure> {
    let text = text.trim();
    match text.parse::<IpAddr>() {
        Ok(ip) => Ok(SocketAddr::new(ip, 53)),
        Err(_) => text.parse().map_err(|_| refused("INBOXD_DNS_ADDR")),
    }
}

fn domain(source: &Source, name: &str) -> Result<String, Failure> {
    domain_name(&source.text(name)).ok_or_else(|| refused(name))
}

/// Parses a domain name in its ASCII form, and returns it in lower case.
pub(super) fn domain_name(text: &str) -> Option<String> {
    let domain = text.trim().trim_end_matches('.').to_lowercase();
    let is_name = domain.is_ascii() && format!("agent@{domain}").parse::<EmailAddress>().is_ok();
    is_name.then_some(domain)
}

fn base_url(text: &str) -> Result<String, Failure> {
    let url = text.trim().trim_end_matches('/');
    let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains([' ', '?', '#', '@']) => Ok(url.to_owned()),
        _ => Err(refused("INBOXD_BASE_URL")),
    }
}

fn database_url(text: String) -> Result<Secret, Failure> {
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Ok(Secret::new(text));
    }
    Err(refused("INBOXD_DATABASE_URL"))
}

fn secret_key(text: &str) -> Result<SecretKey, Failure> {
    SecretKey::parse(text.trim()).ok_or_else(|| refused("INBOXD_SECRET_KEY"))
}

fn delivery(source: &Source) -> Result<Delivery, Failure> {
    // Unused values stop the start as well. Otherwise a later switch of the route would fail.
    let relay = source.optional("INBOXD_RELAY_URL")?;
    let port = source.number("INBOXD_DIRECT_PORT")?;
    match (source.text("INBOXD_DELIVERY").trim(), relay) {
        ("capture", _) => Ok(Delivery::Capture),
        ("relay", Some(relay)) => Ok(Delivery::Relay(relay)),
        ("relay", None) => {
            let url = refused("INBOXD_RELAY_URL");
            Err(Failure::new(format!("INBOXD_DELIVERY=relay needs a relay: {url}")))
        }
        ("direct", _) => Ok(Delivery::Direct { port }),
        _ => Err(refused("INBOXD_DELIVERY")),
    }
}

fn roles(source: &Source) -> Result<BTreeSet<Role>, Failure> {
    let role = |name: &str| match name {
        "http" => Some(Role::Http),
        "smtp" => Some(Role::Smtp),
        "worker" => Some(Role::Worker),
        _ => None,
    };
    let roles: Option<BTreeSet<Role>> = source.text("INBOXD_ROLES").split(',').map(|name| role(name.trim())).collect();
    roles.filter(|roles| !roles.is_empty()).ok_or_else(|| refused("INBOXD_ROLES"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&'static str, &str)]) -> Result<Config, Failure> {
        config(&Source::from(pairs))
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
        assert_eq!(config.limits.loop_budget, Some(inboxd_core::rules::loops::HOURLY_BUDGET));
        assert_eq!(config.max_connections, 65_536);
        assert!(config.registers_clients);
        assert_eq!(config.limits.sign_up, SignUpMode::Open);
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
            ("INBOXD_SMTP_ADDR", "127.0.0.1:25?proxy=required"),
            ("INBOXD_HTTP_ADDR", "127.0.0.1:80?proxy=required"),
            ("INBOXD_TRUSTED_PROXIES", "0.0.0.0/0"),
            ("INBOXD_SMTP_TLS_CERT", "cert.pem"),
            ("INBOXD_SMTP_TLS_KEY", "key.pem"),
            ("INBOXD_BASE_URL", "example.org"),
            ("INBOXD_DATABASE_URL", "mysql://x"),
            ("INBOXD_DNS_ADDR", "dns.example.org"),
            ("INBOXD_DOMAIN", "no domain"),
            ("INBOXD_SIGNUP_DOMAIN", "münchen.example"),
            ("INBOXD_DELIVERY", "pigeon"),
            ("INBOXD_DELIVERY", "relay"),
            ("INBOXD_DIRECT_TLS", "example.org=tls"),
            ("INBOXD_DANE", "perhaps"),
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
            ("INBOXD_DATABASE_READ_URL", "postgres://u@standby/d"),
            ("INBOXD_DATABASE_READ_MAX_LAG", "0"),
            ("INBOXD_KEY_RATE", "fast"),
            ("INBOXD_ORGANIZATION_REQUESTS", "-1"),
            ("INBOXD_MAX_MESSAGE_BYTES", "12"),
            ("INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS", "0"),
            ("INBOXD_SPAM_URL", "127.0.0.1:11333"),
            ("INBOXD_SPAM_URL", "http://127.0.0.1:11333/checkv2"),
            ("INBOXD_SIGNUP", "friends"),
            ("INBOXD_USER", "root"),
            ("INBOXD_LOG_FILTER", "inboxd=loud"),
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
