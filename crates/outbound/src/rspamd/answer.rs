//! What rspamd answers.

use std::collections::BTreeMap;

use inboxd_core::model::{SpamReason, SpamReport};
use serde::Deserialize;

/// The most reasons that are kept, the heaviest.
const MOST_REASONS: usize = 50;
/// The most characters of a name or a description.
const LONGEST_TEXT: usize = 200;

#[derive(Deserialize)]
struct Answer {
    score: f64,
    required_score: f64,
    action: String,
    #[serde(default)]
    symbols: BTreeMap<String, Symbol>,
}

#[derive(Deserialize)]
struct Symbol {
    #[serde(default)]
    score: f64,
    description: Option<String>,
}

/// The report in an answer; `None` when there is none.
///
/// What rspamd would do decides: with `add header`, `rewrite subject` and `reject` it says that a mail is spam; with
/// `greylist` and `soft reject` it only asks for more time, which mail here is not given.
pub(super) fn read(octets: &[u8]) -> Option<SpamReport> {
    let answer: Answer = serde_json::from_slice(octets).ok()?;
    let is_spam =
        matches!(answer.action.as_str(), "add header" | "rewrite subject" | "reject" | "discard" | "quarantine");
    let reason = |(name, symbol): (String, Symbol)| SpamReason {
        name: shortened(&name),
        score: symbol.score,
        description: symbol.description.as_deref().map(shortened),
    };
    let mut reasons: Vec<SpamReason> = answer.symbols.into_iter().map(reason).collect();
    reasons.sort_by(|one, other| other.score.abs().total_cmp(&one.score.abs()));
    reasons.truncate(MOST_REASONS);
    reasons.sort_by(|one, other| other.score.total_cmp(&one.score));
    Some(SpamReport {
        filter: "rspamd".to_owned(),
        is_spam,
        score: answer.score,
        threshold: answer.required_score,
        reasons,
    })
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAM: &str = r#"{"is_skipped":false,"score":7.5,"required_score":15.0,"action":"add header","symbols":{
        "R_SPF_FAIL":{"name":"R_SPF_FAIL","score":1.0,"metric_score":1.0,"description":"SPF verification failed"},
        "NEURAL":{"score":7.0},"ARC_NA":{"score":0.0},"GOOD":{"score":-0.5,"options":["x"]}},"milter":{}}"#;

    #[test]
    fn scores_and_reasons_are_read_the_heaviest_first() -> Result<(), &'static str> {
        let report = read(SPAM.as_bytes()).ok_or("it can be read")?;
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
    fn what_it_would_do_decides() {
        for (action, is_spam) in [
            ("no action", false),
            ("greylist", false),
            ("soft reject", false),
            ("add header", true),
            ("rewrite subject", true),
            ("reject", true),
            ("some day", false),
        ] {
            let report = read(SPAM.replace("add header", action).as_bytes());
            assert_eq!(report.map(|report| report.is_spam), Some(is_spam), "{action}");
        }
    }

    #[test]
    fn anything_else_is_no_answer() {
        for octets in ["", "{}", "[]", r#"{"error":"busy"}"#, r#"{"score":1,"required_score":"x","action":"reject"}"#] {
            assert_eq!(read(octets.as_bytes()), None, "{octets}");
        }
    }
}
