//! Response of rspamd, converted to a spam report.

use std::collections::BTreeMap;

use inboxd_core::model::{SpamReason, SpamReport};
use serde::Deserialize;

/// Number of reasons that are stored: those with the largest absolute scores.
const MAX_REASONS: usize = 50;
/// Limit of a symbol name or description.
const MAX_TEXT_CHARS: usize = 200;

#[derive(Deserialize)]
struct RspamdResponse {
    score: f64,
    required_score: f64,
    action: String,
    #[serde(default)]
    symbols: BTreeMap<String, RspamdSymbol>,
}

#[derive(Deserialize)]
struct RspamdSymbol {
    #[serde(default)]
    score: f64,
    description: Option<String>,
}

/// Parses a response. Returns `None` when it is not valid.
///
/// The action decides: `add header`, `rewrite subject` and `reject` mean spam. `greylist` and `soft reject` ask for a
/// later retry, which does not exist here, so the message counts as clean.
pub(super) fn parse_report(bytes: &[u8]) -> Option<SpamReport> {
    let response: RspamdResponse = serde_json::from_slice(bytes).ok()?;
    let is_spam =
        matches!(response.action.as_str(), "add header" | "rewrite subject" | "reject" | "discard" | "quarantine");
    let reason = |(name, symbol): (String, RspamdSymbol)| SpamReason {
        name: truncate(&name),
        score: symbol.score,
        description: symbol.description.as_deref().map(truncate),
    };
    let mut reasons: Vec<SpamReason> = response.symbols.into_iter().map(reason).collect();
    reasons.sort_by(|one, other| other.score.abs().total_cmp(&one.score.abs()));
    reasons.truncate(MAX_REASONS);
    reasons.sort_by(|one, other| other.score.total_cmp(&one.score));
    Some(SpamReport {
        filter: "rspamd".to_owned(),
        is_spam,
        score: response.score,
        threshold: response.required_score,
        reasons,
    })
}

fn truncate(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAM: &str = r#"{"is_skipped":false,"score":7.5,"required_score":15.0,"action":"add header","symbols":{
        "R_SPF_FAIL":{"name":"R_SPF_FAIL","score":1.0,"metric_score":1.0,"description":"SPF verification failed"},
        "NEURAL":{"score":7.0},"ARC_NA":{"score":0.0},"GOOD":{"score":-0.5,"options":["x"]}},"milter":{}}"#;

    #[test]
    fn report_lists_heaviest_reasons_first() -> Result<(), &'static str> {
        let report = parse_report(SPAM.as_bytes()).ok_or("it can be read")?;
        assert!(report.is_spam && (report.score - 7.5).abs() < 0.01 && (report.threshold - 15.0).abs() < 0.01);
        let names: Vec<&str> = report.reasons.iter().map(|reason| reason.name.as_str()).collect();
        assert_eq!(names, ["NEURAL", "R_SPF_FAIL", "ARC_NA", "GOOD"]);
        assert_eq!(
            report.reasons.get(1).and_then(|reason| reason.description.as_deref()),
            Some("SPF verification failed")
        );
        Ok(())
    }

    #[test]
    fn action_decides_spam() {
        for (action, is_spam) in [
            ("no action", false),
            ("greylist", false),
            ("soft reject", false),
            ("add header", true),
            ("rewrite subject", true),
            ("reject", true),
            ("some day", false),
        ] {
            let report = parse_report(SPAM.replace("add header", action).as_bytes());
            assert_eq!(report.map(|report| report.is_spam), Some(is_spam), "{action}");
        }
    }

    #[test]
    fn invalid_response_has_no_report() {
        for bytes in ["", "{}", "[]", r#"{"error":"busy"}"#, r#"{"score":1,"required_score":"x","action":"reject"}"#] {
            assert_eq!(parse_report(bytes.as_bytes()), None, "{bytes}");
        }
    }
}
