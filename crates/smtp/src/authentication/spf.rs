//! Whether a client may send for the domain of the return path (RFC 7208).

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use inboxd_core::model::AuthResult;
use inboxd_core::ports::{HandedMail, SpfEvidence};
use inboxd_core::rules::domains::spf::is_spf;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{MessageAuthenticator, SpfResult};

use super::SILENCE;
use super::bounds::dns_name;
use super::known::texts;

/// Asks for the domain of the return path; for the name in HELO where there is none (section 2.4).
pub(super) async fn ask(
    verifier: &MessageAuthenticator,
    mail: &HandedMail<'_>,
    host: &str,
    patience: Duration,
) -> SpfEvidence {
    let ip = mail.ip.to_canonical();
    let of_helo = mail.envelope_from.is_none();
    let (domain, sender) = match mail.envelope_from {
        // Names of any script are asked for as DNS has them (RFC 8616, section 4).
        Some(sender) => {
            let domain = dns_name(&sender.domain());
            let sender = format!("{}@{domain}", sender.local().to_lowercase());
            (domain, sender)
        }
        None => (dns_name(mail.helo.trim_end_matches('.')), String::new()),
    };
    let parameters = if of_helo {
        SpfParameters::verify_ehlo(ip, &domain, host)
    } else {
        SpfParameters::verify_mail_from(ip, mail.helo, host, &sender)
    };
    if !is_name(&domain) {
        return SpfEvidence { result: AuthResult::None, domain, of_helo };
    }
    let asking = async { tokio::join!(is_broken(verifier, &domain), verifier.verify_spf(parameters)) };
    let result = match tokio::time::timeout(patience, asking).await {
        Err(_) => SILENCE,
        Ok((true, _)) => AuthResult::PermError,
        Ok((false, output)) => result(output.result()),
    };
    SpfEvidence { result, domain, of_helo }
}

/// Whether it is the whole name of a host; anything else has no record (section 4.3). Clients call themselves all kinds
/// of things.
fn is_name(domain: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    let top = domain.rsplit_once('.').map(|(_, top)| top);
    top.is_some_and(|top| !top.bytes().all(|c| c.is_ascii_digit())) && domain.split('.').all(is_label)
}

/// Whether the records are an error: several (section 4.5), or one with a term that there is not (section 4.6). The
/// library takes the first, and passes over such terms.
async fn is_broken(verifier: &MessageAuthenticator, domain: &str) -> bool {
    let Ok(texts) = texts(verifier, domain).await else { return false };
    let mut records = texts.iter().filter(|text| is_spf(text));
    match (records.next(), records.next()) {
        (Some(only), None) => !has_known_terms(only),
        (several, _) => several.is_some(),
    }
}

/// Whether there are all the terms of a record.
pub(super) fn has_known_terms(record: &str) -> bool {
    record.split(' ').skip(1).filter(|term| !term.is_empty()).all(is_term)
}

fn is_term(term: &str) -> bool {
    let rest = term.strip_prefix(['+', '-', '~', '?']).unwrap_or(term);
    let (name, value) = rest.split_once([':', '/', '=']).unwrap_or((rest, ""));
    let is_modifier = rest.as_bytes().get(name.len()) == Some(&b'=');
    let network = value.split('/').next().unwrap_or_default();
    match name.to_ascii_lowercase().as_str() {
        // A modifier that nobody knows is passed over (section 6).
        _ if is_modifier => true,
        "ip4" => network.parse::<Ipv4Addr>().is_ok(),
        "ip6" => network.parse::<Ipv6Addr>().is_ok(),
        name => ["all", "include", "a", "mx", "ptr", "exists"].contains(&name),
    }
}

fn result(result: SpfResult) -> AuthResult {
    match result {
        SpfResult::Pass => AuthResult::Pass,
        SpfResult::Fail => AuthResult::Fail,
        SpfResult::SoftFail => AuthResult::SoftFail,
        SpfResult::Neutral => AuthResult::Neutral,
        SpfResult::TempError => AuthResult::TempError,
        SpfResult::PermError => AuthResult::PermError,
        SpfResult::None => AuthResult::None,
    }
}
