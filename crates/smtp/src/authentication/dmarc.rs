//! DMARC evaluation (RFC 7489, 9989).

use std::time::Duration;

use futures_util::future::join_all;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::{DmarcEvidence, DmarcPolicy, SpfEvidence};
use inboxd_core::rules::domains::dmarc::is_dmarc;
use mail_auth::common::parse::TxtRecordParser as _;
use mail_auth::dmarc::verify::DmarcParameters;
use mail_auth::dmarc::{Dmarc, Policy};
use mail_auth::{
    AuthenticatedMessage, DkimOutput, DmarcOutput, DmarcResult, DnsError, Error, MessageAuthenticator, SpfOutput,
    SpfResult, Txt,
};

use super::UNANSWERED;
use super::author::MessageAuthor;
use super::bounds::dns_name;
use super::dkim::SignatureResults;
use super::prefetched::{PrefetchedTxt, txt_records, with_time_limit};

/// Number of labels from which the tree walk continues for long names (RFC 9989, section 4.10).
const MAX_WALK_LABELS: usize = 8;

/// Result of a DMARC evaluation.
pub(super) struct DmarcCheck {
    result: AuthResult,
    policy: DmarcPolicy,
    aligned_domain: Option<String>,
}

/// Queries the policies of a domain and all its parents concurrently. The library would query them one after the other.
pub(super) async fn policies(
    verifier: &MessageAuthenticator,
    author: Option<&str>,
    time_limit: Duration,
) -> PrefetchedTxt {
    let mut known = PrefetchedTxt::default();
    let Some(author) = author else { return known };
    let names: Vec<String> = policy_domains(author).into_iter().map(|domain| format!("_dmarc.{domain}.")).collect();
    let lookups = join_all(names.iter().map(|name| with_time_limit(time_limit, txt_records(verifier, name)))).await;
    for (name, lookup) in names.iter().zip(lookups) {
        known.add(name, lookup.and_then(|txt_records| policy(&txt_records)).map_or_else(missing_policy, Txt::from));
    }
    known
}

/// Returns the record for a domain without a usable policy.
///
/// An invalid name and an unreadable record count as no policy, so they hide none above. The library would end its tree
/// walk there.
fn missing_policy(error: Error) -> Txt {
    Txt::Error(if matches!(error, Error::ParseError) { Error::Dns(DnsError::InvalidRecordType) } else { error })
}

/// Returns the domains of the tree walk: the domain itself, then its parents.
fn policy_domains(domain: &str) -> Vec<&str> {
    let mut names = vec![domain];
    let mut rest = domain;
    while let Some((_, above)) = rest.split_once('.') {
        rest = above;
        if above.split('.').count() < MAX_WALK_LABELS {
            names.push(above);
        }
    }
    names
}

/// Parses the policy of a domain. Several policies count as none (RFC 7489, section 6.6.3); the library would use the
/// first.
pub(super) fn policy(txt_records: &[String]) -> mail_auth::Result<Dmarc> {
    let mut policies = txt_records.iter().filter(|text| is_dmarc(text));
    match (policies.next(), policies.next()) {
        (Some(only), None) => Dmarc::parse(readable(only).as_bytes()),
        _ => Err(Error::Dns(DnsError::InvalidRecordType)),
    }
}

/// Leaves out tags with syntax errors, except those of policies (RFC 7489, section 6.3). The library would refuse the record.
fn readable(text: &str) -> String {
    let is_kept = |tag: &&str| {
        tag.split_once('=').is_some_and(|(name, _)| {
            matches!(name.trim().to_ascii_lowercase().as_str(), "v" | "p" | "sp" | "np")
                || Dmarc::parse(format!("v=DMARC1;{tag}").as_bytes()).is_ok()
        })
    };
    text.split(';').filter(is_kept).collect::<Vec<_>>().join(";")
}

/// Evaluates the policy of the author domain with the results of SPF and DKIM.
pub(super) async fn evaluate(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    spf: &SpfEvidence,
    signatures: &SignatureResults<'_>,
    policies: &PrefetchedTxt,
    time_limit: Duration,
) -> DmarcCheck {
    let spf_output = SpfOutput::new(spf.domain.clone()).with_result(spf_result(spf.result));
    let judge = async |signatures: &[DkimOutput<'_>]| {
        let parameters = DmarcParameters::new(message, signatures, &spf.domain, &spf_output);
        verifier.verify_dmarc(policies.with(parameters)).await
    };
    let evaluation = async {
        let output = judge(&signatures.usable).await;
        if *output.dkim_result() != DmarcResult::Pass {
            let aligned = (*output.spf_result() == DmarcResult::Pass).then(|| dns_name(&spf.domain));
            return (output, aligned);
        }
        // The library does not report which signature is aligned.
        for signature in &signatures.usable {
            if *judge(std::slice::from_ref(signature)).await.dkim_result() == DmarcResult::Pass {
                return (output, signature.signature().map(|signature| dns_name(&signature.d)));
            }
        }
        (output, None)
    };
    match tokio::time::timeout(time_limit, evaluation).await {
        Ok((output, aligned_domain)) => {
            DmarcCheck { result: result(&output), policy: requested_policy(&output), aligned_domain }
        }
        // The policies are prefetched, so a lookup caused by a signature took too long.
        Err(_) => DmarcCheck { result: UNANSWERED, policy: DmarcPolicy::None, aligned_domain: None },
    }
}

impl DmarcCheck {
    /// Converts the result for this author. An ambiguous author fails (`wire.md`, section 5).
    pub(super) fn into_evidence(self, author: MessageAuthor) -> DmarcEvidence {
        let without_domain =
            |result| DmarcEvidence { result, policy: DmarcPolicy::None, from_domain: None, aligned_domain: None };
        let from_domain = match author {
            MessageAuthor::Missing => return without_domain(AuthResult::None),
            MessageAuthor::Ambiguous => return without_domain(AuthResult::Fail),
            MessageAuthor::Domain(domain) => Some(domain),
        };
        DmarcEvidence { result: self.result, policy: self.policy, from_domain, aligned_domain: self.aligned_domain }
    }
}

fn result(output: &DmarcOutput) -> AuthResult {
    match output.result() {
        DmarcResult::Pass => AuthResult::Pass,
        DmarcResult::Fail(_) => AuthResult::Fail,
        DmarcResult::TempError(_) => AuthResult::TempError,
        DmarcResult::PermError(_) => AuthResult::PermError,
        DmarcResult::None => AuthResult::None,
    }
}

/// Returns the requested policy. After a failed lookup the library reports no record.
fn requested_policy(output: &DmarcOutput) -> DmarcPolicy {
    match output.policy() {
        _ if output.dmarc_record().is_none() && result(output) == AuthResult::TempError => DmarcPolicy::Unanswered,
        Policy::Quarantine => DmarcPolicy::Quarantine,
        Policy::Reject => DmarcPolicy::Reject,
        Policy::None | Policy::Unspecified => DmarcPolicy::None,
    }
}

/// Maps an SPF result for alignment, for which only these two matter.
fn spf_result(result: AuthResult) -> SpfResult {
    match result {
        AuthResult::Pass => SpfResult::Pass,
        AuthResult::TempError => SpfResult::TempError,
        _ => SpfResult::None,
    }
}
