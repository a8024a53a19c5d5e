//! What was found out about a message that came in.

use inboxd_core::model::{self, AuthResult};
use serde::Serialize;
use utoipa::ToSchema;

/// Who vouches for a message, in the words of RFC 8601: `none`, `pass`, `fail`, `softfail`, `neutral`, `policy`,
/// `temperror`, `permerror`.
#[derive(Serialize, ToSchema)]
#[schema(as = Authentication)]
pub(crate) struct AuthenticationView {
    /// Whether the client may send for the domain of the return path.
    #[schema(example = "pass")]
    spf: &'static str,
    /// The best of its signatures.
    #[schema(example = "pass")]
    dkim: &'static str,
    /// Whether one of the two speaks for the domain of `from`.
    #[schema(example = "pass")]
    dmarc: &'static str,
    /// The domain that a passing method speaks for and that is aligned with that of `from`; absent where DMARC does not
    /// pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "example.org")]
    aligned_domain: Option<String>,
    /// What those who handed it on say (ARC): evidence, never a pass; absent where nobody says anything.
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

/// What a spam filter made of a message.
#[derive(Serialize, ToSchema)]
#[schema(as = SpamReport)]
pub(crate) struct SpamReportView {
    /// Which filter.
    #[schema(example = "built-in")]
    filter: String,
    /// Whether it is spam.
    is_spam: bool,
    /// All weights together.
    score: f64,
    /// From which score on a message is spam.
    threshold: f64,
    /// Why, the heaviest first.
    reasons: Vec<SpamReasonView>,
}

/// One thing that speaks for spam, or against it.
#[derive(Serialize, ToSchema)]
#[schema(as = SpamReason)]
pub(crate) struct SpamReasonView {
    /// Its name.
    #[schema(example = "GTUBE")]
    name: String,
    /// Its weight; below zero it speaks against spam.
    score: f64,
    /// What it means.
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
