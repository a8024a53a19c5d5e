//! Authentication and spam results of received messages.

use inboxd_core::model::{self, AuthResult};
use serde::Serialize;
use utoipa::ToSchema;

/// Authentication results of a message (RFC 8601): `none`, `pass`, `fail`, `softfail`, `neutral`, `policy`,
/// `temperror`, `permerror`.
#[derive(Serialize, ToSchema)]
#[schema(as = Authentication)]
pub(crate) struct AuthenticationView {
    /// SPF result: whether the client may send for the domain of the return path.
    #[schema(example = "pass")]
    spf: &'static str,
    /// DKIM result of the best signature.
    #[schema(example = "pass")]
    dkim: &'static str,
    /// DMARC result: whether SPF or DKIM passes for a domain aligned with that of `from`.
    #[schema(example = "pass")]
    dmarc: &'static str,
    /// Domain that passed SPF or DKIM and is aligned with that of `from`; absent if DMARC does not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "example.org")]
    aligned_domain: Option<String>,
    /// ARC result of the forwarding servers. It is evidence only and never makes DMARC pass; absent without an ARC
    /// chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    arc: Option<&'static str>,
}

impl From<model::Authentication> for AuthenticationView {
    fn from(found: model::Authentication) -> Self {
        Self {
            spf: found.spf.as_str(),
            dkim: found.dkim.as_str(),
            dmarc: found.dmarc.as_str(),
            aligned_domain: found.aligned_domain,
            arc: found.arc.map(AuthResult::as_str),
        }
    }
}

/// Result of a spam filter.
#[derive(Serialize, ToSchema)]
#[schema(as = SpamReport)]
pub(crate) struct SpamReportView {
    /// Name of the filter.
    #[schema(example = "built-in")]
    filter: String,
    /// Whether the message is spam.
    is_spam: bool,
    /// Sum of the weights.
    score: f64,
    /// Score from which a message is spam.
    threshold: f64,
    /// Reasons, highest weight first.
    reasons: Vec<SpamReasonView>,
}

/// Signal for or against spam.
#[derive(Serialize, ToSchema)]
#[schema(as = SpamReason)]
pub(crate) struct SpamReasonView {
    /// Name of the signal.
    #[schema(example = "GTUBE")]
    name: String,
    /// Weight; a negative weight counts against spam.
    score: f64,
    /// Meaning of the signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
}

impl From<model::SpamReport> for SpamReportView {
    fn from(report: model::SpamReport) -> Self {
        let reason = |reason: model::SpamReason| SpamReasonView {
            name: reason.name,
            score: reason.score,
            description: reason.description,
        };
        Self {
            filter: report.filter,
            is_spam: report.is_spam,
            score: report.score,
            threshold: report.threshold,
            reasons: report.reasons.into_iter().map(reason).collect(),
        }
    }
}
