//! Whether a method that passes speaks for the domain of From (RFC 7489, 9989).

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

use super::SILENCE;
use super::author::Author;
use super::bounds::dns_name;
use super::dkim::Signatures;
use super::known::{Known, in_time, texts};

/// How many labels of a long name are walked up (RFC 9989, section 4.10).
const MOST_LABELS: usize = 8;

/// What DMARC said.
pub(super) struct Finding {
    result: AuthResult,
    policy: DmarcPolicy,
    aligned_domain: Option<String>,
}

/// The policies at a domain and at all above it, asked for at the same time: the library walks from one to the next.
pub(super) async fn policies(verifier: &MessageAuthenticator, author: Option<&str>, patience: Duration) -> Known {
    let mut known = Known::default();
    let Some(author) = author else { return known };
    let names: Vec<String> = walk(author).into_iter().map(|domain| format!("_dmarc.{domain}.")).collect();
    let answers = join_all(names.iter().map(|name| in_time(patience, texts(verifier, name)))).await;
    for (name, answer) in names.iter().zip(answers) {
        known.add(name, answer.and_then(|texts| policy(&texts)).map_or_else(nothing, Txt::from));
    }
    known
}

/// What a name without a policy is. One that DNS cannot have, or a record that cannot be read, is no policy, and hides
/// none above it: the library would end its walk there.
fn nothing(error: Error) -> Txt {
    Txt::Error(if matches!(error, Error::ParseError) { Error::Dns(DnsError::InvalidRecordType) } else { error })
}

/// The names that are asked: the domain itself, then those above it.
fn walk(domain: &str) -> Vec<&str> {
    let mut names = vec![domain];
    let mut rest = domain;
    while let Some((_, above)) = rest.split_once('.') {
        rest = above;
        if above.split('.').count() < MOST_LABELS {
            names.push(above);
        }
    }
    names
}

/// The policy at a name. Several count as none (RFC 7489, section 6.6.3); the library would take the first.
pub(super) fn policy(texts: &[String]) -> mail_auth::Result<Dmarc> {
    let mut policies = texts.iter().filter(|text| is_dmarc(text));
    match (policies.next(), policies.next()) {
        (Some(only), None) => Dmarc::parse(only.as_bytes()),
        _ => Err(Error::Dns(DnsError::InvalidRecordType)),
    }
}

/// Puts together what the policy wants and what was found out.
pub(super) async fn ask(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    spf: &SpfEvidence,
    signatures: &Signatures<'_>,
    policies: &Known,
    patience: Duration,
) -> Finding {
    let spf_output = SpfOutput::new(spf.domain.clone()).with_result(spf_result(spf.result));
    let judge = async |signatures: &[DkimOutput<'_>]| {
        let asked = DmarcParameters::new(message, signatures, &spf.domain, &spf_output);
        verifier.verify_dmarc(policies.with(asked)).await
    };
    let asking = async {
        let output = judge(&signatures.open).await;
        if *output.dkim_result() != DmarcResult::Pass {
            let aligned = (*output.spf_result() == DmarcResult::Pass).then(|| dns_name(&spf.domain));
            return (output, aligned);
        }
        // The library does not say which signature it was.
        for signature in &signatures.open {
            if *judge(std::slice::from_ref(signature)).await.dkim_result() == DmarcResult::Pass {
                return (output, signature.signature().map(|signature| dns_name(&signature.d)));
            }
        }
        (output, None)
    };
    match tokio::time::timeout(patience, asking).await {
        Ok((output, aligned_domain)) => Finding { result: result(&output), policy: wish(&output), aligned_domain },
        // The policy was at hand: what took too long is what a signature made us ask for.
        Err(_) => Finding { result: SILENCE, policy: DmarcPolicy::None, aligned_domain: None },
    }
}

impl Finding {
    /// What it means for a mail of this author; one of several has failed (`wire.md`, section 5).
    pub(super) fn of(self, author: Author) -> DmarcEvidence {
        let unasked =
            |result| DmarcEvidence { result, policy: DmarcPolicy::None, from_domain: None, aligned_domain: None };
        let from_domain = match author {
            Author::Nobody => return unasked(AuthResult::None),
            Author::Several => return unasked(AuthResult::Fail),
            Author::Domain(domain) => Some(domain),
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

/// What the domain of From wants. The library gives no record where it was not answered.
fn wish(output: &DmarcOutput) -> DmarcPolicy {
    match output.policy() {
        _ if output.dmarc_record().is_none() && result(output) == AuthResult::TempError => DmarcPolicy::Unanswered,
        Policy::Quarantine => DmarcPolicy::Quarantine,
        Policy::Reject => DmarcPolicy::Reject,
        Policy::None | Policy::Unspecified => DmarcPolicy::None,
    }
}

/// Only these two say anything about alignment.
fn spf_result(result: AuthResult) -> SpfResult {
    match result {
        AuthResult::Pass => SpfResult::Pass,
        AuthResult::TempError => SpfResult::TempError,
        _ => SpfResult::None,
    }
}
