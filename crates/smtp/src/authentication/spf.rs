//! SPF evaluation (RFC 7208).

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use inboxd_core::model::AuthResult;
use inboxd_core::ports::{HandedMail, SpfEvidence};
use inboxd_core::rules::domains::spf::is_spf;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{MessageAuthenticator, SpfResult};

use super::UNANSWERED;
use super::bounds::dns_name;
use super::prefetched::txt_records;

/// Evaluates SPF for the domain of the return path, or for the HELO name without one (RFC 7208, section 2.4).
pub(super) async fn evaluate(
    verifier: &MessageAuthenticator,
    mail: &HandedMail<'_>,
    host: &str,
    time_limit: Duration,
) -> SpfEvidence {
    let ip = mail.ip.to_canonical();
    let of_helo = mail.envelope_from.is_none();
    let (domain, sender) = match mail.envelope_from {
        // Internationalized names are queried as A-labels (RFC 8616, section 4).
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
    if !is_host_name(&domain) {
        return SpfEvidence { result: AuthResult::None, domain, of_helo };
    }
    let evaluation = async { tokio::join!(has_record_error(verifier, &domain), verifier.verify_spf(parameters)) };
    let result = match tokio::time::timeout(time_limit, evaluation).await {
        Err(_) => UNANSWERED,
        Ok((true, _)) => AuthResult::PermError,
        Ok((false, output)) => result(output.result()),
    };
    SpfEvidence { result, domain, of_helo }
}

/// Returns whether the text is a complete host name. Others have no SPF record (RFC 7208, section 4.3), and clients
/// send any text as HELO name.
fn is_host_name(domain: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    let top = domain.rsplit_once('.').map(|(_, top)| top);
    top.is_some_and(|top| !top.bytes().all(|c| c.is_ascii_digit())) && domain.split('.').all(is_label)
}

/// Returns whether there are several records (RFC 7208, section 4.5) or one with an unknown term (section 4.6).
///
/// The library uses the first record and ignores unknown terms.
async fn has_record_error(verifier: &MessageAuthenticator, domain: &str) -> bool {
    let Ok(txt_records) = txt_records(verifier, domain).await else { return false };
    let mut records = txt_records.iter().filter(|text| is_spf(text));
    match (records.next(), records.next()) {
        (Some(only), None) => !has_known_terms(only),
        (several, _) => several.is_some(),
    }
}

/// Returns whether all terms of a record are known.
pub(super) fn has_known_terms(record: &str) -> bool {
    record.split(' ').skip(1).filter(|term| !term.is_empty()).all(is_term)
}

fn is_term(term: &str) -> bool {
    let rest = term.strip_prefix(['+', '-', '~', '?']).unwrap_or(term);
    let (name, value) = rest.split_once([':', '/', '=']).unwrap_or((rest, ""));
    let is_modifier = rest.as_bytes().get(name.len()) == Some(&b'=');
    let network = value.split('/').next().unwrap_or_default();
    match name.to_ascii_lowercase().as_str() {
        // Unknown modifiers are ignored (RFC 7208, section 6).
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
