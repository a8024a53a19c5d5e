//! `inboxd config check`: all problems of the configuration in one run, without a start.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::source::{Origin, Source, unknown_variables};
use super::{Config, Delivery, Role, read, read_source, settings, variables};
use crate::failure::Failure;

/// Folder of the secrets in a container.
const CONTAINER_SECRETS: &str = "/run/secrets";

/// Findings of a check.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Problems that stop a start.
    pub(crate) errors: Vec<String>,
    /// Doubtful values.
    pub(crate) warnings: Vec<String>,
}

/// Checks the configuration of this process.
pub(crate) fn check(file: Option<&Path>) -> Findings {
    let (source, problems) = read_source(file);
    let mut findings = examine(&source, problems);
    findings.warnings.extend(
        unknown_variables(variables())
            .into_iter()
            .map(|(name, nearest)| format!("{name} is not a setting, so it has no effect; the nearest is {nearest}")),
    );
    findings
}

/// Checks values beside the problems of their reading.
fn examine(source: &Source, problems: Vec<Failure>) -> Findings {
    let (config, invalid) = read_all(source.clone());
    let errors: Vec<String> = problems.into_iter().chain(invalid).map(|problem| problem.to_string()).collect();
    let mut warnings = open_secret_files(source);
    if let Some(config) = config {
        // Defaults in place of invalid values would cause false warnings.
        warnings.extend(if errors.is_empty() { doubts(source, &config) } else { Vec::new() });
    }
    Findings { errors, warnings }
}

/// Converts the values again and again, each time without the settings that the previous problem names, so that all
/// problems are found.
fn read_all(mut source: Source) -> (Option<Config>, Vec<Failure>) {
    let mut problems = Vec::new();
    loop {
        match read::config(&source) {
            Ok(config) => return (Some(config), problems),
            Err(problem) => {
                let named = source.named_in(&problem.to_string());
                problems.push(problem);
                if named.is_empty() {
                    return (None, problems);
                }
                for name in named {
                    source.remove(name);
                }
            }
        }
    }
}

/// Returns a warning for each file of a secret that all accounts may read.
fn open_secret_files(source: &Source) -> Vec<String> {
    let files = settings::all().filter_map(|setting| match source.origin(setting.name) {
        Origin::SecretFile(path) => Some((setting.name, path)),
        _ => None,
    });
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.permissions().mode());
    files
        .filter(|(_, path)| is_open(path, mode(path)))
        .map(|(name, path)| format!("{name}: every account can read {0}: run `chmod o= {0}`", path.display()))
        .collect()
}

/// Returns whether other accounts may read a secret. The runtime of a container sets the modes of its secrets, and other
/// accounts of the machine do not see their folder.
fn is_open(path: &Path, mode: u32) -> bool {
    mode & 0o004 != 0 && !path.starts_with(CONTAINER_SECRETS)
}

/// Returns the doubtful combinations of valid values.
fn doubts(source: &Source, config: &Config) -> Vec<String> {
    let is_set = |name: &str| *source.origin(name) != Origin::Default;
    let is_direct = matches!(config.delivery, Delivery::Direct { .. });
    let is_local_domain = config.domain == "localhost" || config.domain.ends_with(".localhost");
    let serves_http = config.roles.contains(&Role::Http);
    let is_http_public = serves_http && config.http.iter().any(|one| !one.address.ip().is_loopback());
    let is_smtp_public =
        config.roles.contains(&Role::Smtp) && config.smtp.iter().any(|one| !one.address.ip().is_loopback());
    let refuses_clear_mail = config.smtp.iter().any(|one| one.requires_tls && one.address.port() == 25);
    let base_url = config.base_url();
    let is_base_local =
        ["http://127.0.0.1", "http://[::1]", "http://localhost"].iter().any(|host| base_url.starts_with(host));
    let table = [
        (
            config.roles.contains(&Role::Smtp) && config.smtp_spool_bytes < config.max_message_bytes.saturating_mul(2),
            "INBOXD_SMTP_SPOOL_BYTES is below twice INBOXD_MAX_MESSAGE_BYTES: twice that size is used, of which one network \
             may have half",
        ),
        (
            config.delivery != Delivery::Capture && is_local_domain,
            "INBOXD_DELIVERY sends mail from INBOXD_DOMAIN, but no other server accepts mail of a .localhost domain: set \
             INBOXD_DOMAIN to a domain of yours",
        ),
        (
            is_smtp_public && is_local_domain,
            "INBOXD_SMTP_ADDR receives mail from outside, but no other server finds a .localhost domain: set INBOXD_DOMAIN \
             to a domain of yours",
        ),
        (
            is_http_public && config.configured_base_url.is_none() && !config.has_tls_listener(),
            "INBOXD_HTTP_ADDR serves other machines, but links lead to this one: set INBOXD_BASE_URL to the URL that \
             clients use",
        ),
        (
            serves_http && base_url.starts_with("http://") && !is_base_local,
            "INBOXD_BASE_URL is not encrypted, so keys and mail cross the network in the clear: use https://",
        ),
        (
            is_http_public && config.unauthenticated_rate == 0,
            "INBOXD_UNAUTHENTICATED_RATE is 0 and INBOXD_HTTP_ADDR serves other machines: let a proxy limit sign-ups and \
             sign-ins",
        ),
        (
            refuses_clear_mail,
            "INBOXD_SMTP_ADDR requires TLS on port 25, which a public server must not (RFC 3207, section 4)",
        ),
        (
            is_set("INBOXD_RELAY_URL") && !matches!(config.delivery, Delivery::Relay(_)),
            "INBOXD_RELAY_URL has no effect without INBOXD_DELIVERY=relay",
        ),
        (is_set("INBOXD_DIRECT_TLS") && !is_direct, "INBOXD_DIRECT_TLS has no effect without INBOXD_DELIVERY=direct"),
        (
            is_set("INBOXD_DATABASE_READ_MAX_LAG") && config.standbys.is_none(),
            "INBOXD_DATABASE_READ_MAX_LAG has no effect without INBOXD_DATABASE_READ_URL",
        ),
        (
            config.database_url.is_some() && config.secret_key.is_none(),
            "INBOXD_DATABASE_URL without INBOXD_SECRET_KEY: the key is in INBOXD_DATA_DIR, and every other process on the \
             database needs the same one",
        ),
        (
            !config.limits.brakes_sending && is_direct,
            "INBOXD_SENDING_BRAKE=off with INBOXD_DELIVERY=direct: one bad sender ruins the reputation of the address of \
             this machine",
        ),
    ];
    table.into_iter().filter(|(is_doubtful, _)| *is_doubtful).map(|(_, line)| line.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_invalid_values_are_found_in_one_run() {
        let source = Source::from([
            ("INBOXD_HTTP_ADDR", "nowhere"),
            ("INBOXD_KEY_RATE", "fast"),
            ("INBOXD_STRIPE_PRICES", "startup=price_1"),
            ("INBOXD_DELIVERY", "relay"),
            ("INBOXD_DOMAIN", "mail.example.org"),
        ]);
        let errors = examine(&source, Vec::new()).errors;
        assert_eq!(errors.len(), 4, "{errors:#?}");
        for name in ["INBOXD_HTTP_ADDR", "INBOXD_KEY_RATE", "INBOXD_STRIPE_PRICES", "INBOXD_DELIVERY"] {
            assert!(errors.iter().any(|line| line.contains(name)), "{name}: {errors:#?}");
        }
    }

    #[test]
    fn secret_of_a_container_may_have_any_mode() {
        for (path, mode, expected) in [
            ("/etc/inboxd/secret-key", 0o644, true),
            ("/etc/inboxd/secret-key", 0o640, false),
            ("/run/secrets/inboxd/secret-key", 0o444, false),
            ("/run/secrets-of-others/secret-key", 0o444, true),
        ] {
            assert_eq!(is_open(Path::new(path), mode), expected, "{path} {mode:o}");
        }
    }

    #[test]
    fn doubtful_combination_is_a_warning() {
        let base = ("INBOXD_BASE_URL", "https://mail.example.org");
        let domain = ("INBOXD_DOMAIN", "mail.example.org");
        let url = ("INBOXD_DATABASE_URL", "postgres://inboxd@db/inboxd");
        for (name, pairs) in [
            ("INBOXD_DELIVERY", &[("INBOXD_DELIVERY", "direct")][..]),
            ("INBOXD_SMTP_ADDR", &[("INBOXD_SMTP_ADDR", "0.0.0.0:25")]),
            ("INBOXD_SMTP_ADDR", &[domain, ("INBOXD_SMTP_ADDR", "0.0.0.0:25?tls=required")]),
            ("INBOXD_HTTP_ADDR", &[("INBOXD_HTTP_ADDR", "0.0.0.0:8080")]),
            ("INBOXD_BASE_URL", &[("INBOXD_BASE_URL", "http://mail.example.org")]),
            (
                "INBOXD_UNAUTHENTICATED_RATE",
                &[base, ("INBOXD_HTTP_ADDR", "0.0.0.0:80"), ("INBOXD_UNAUTHENTICATED_RATE", "0")],
            ),
            ("INBOXD_RELAY_URL", &[("INBOXD_RELAY_URL", "smtp://relay.example.org:25")]),
            ("INBOXD_DIRECT_TLS", &[("INBOXD_DIRECT_TLS", "*=encrypt")]),
            ("INBOXD_SECRET_KEY", &[url]),
            ("INBOXD_DATABASE_READ_MAX_LAG", &[("INBOXD_DATABASE_READ_MAX_LAG", "5")]),
            ("INBOXD_SENDING_BRAKE", &[domain, ("INBOXD_DELIVERY", "direct"), ("INBOXD_SENDING_BRAKE", "off")]),
        ] {
            let findings = examine(&Source::from(pairs), Vec::new());
            assert!(findings.errors.is_empty(), "{pairs:?}: {findings:?}");
            assert_eq!(findings.warnings.len(), 1, "{pairs:?}: {findings:?}");
            assert!(findings.warnings[0].contains(name), "{pairs:?}: {findings:?}");
        }
        let sound = [domain, base, ("INBOXD_DELIVERY", "direct"), ("INBOXD_SMTP_ADDR", "0.0.0.0:25")];
        assert!(examine(&Source::from(sound), Vec::new()).warnings.is_empty());
        assert!(examine(&Source::default(), Vec::new()).warnings.is_empty());
    }
}
