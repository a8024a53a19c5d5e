//! Response of the external message scanner, converted to findings.

use inboxd_core::rules::trust::{MessageField, ScannerFinding, TextPlace};
use serde::Deserialize;

/// Number of findings that are used: the first ones.
const MAX_FINDINGS: usize = 8;
/// Maximum length in bytes of a category.
const MAX_CATEGORY_BYTES: usize = 64;

#[derive(Deserialize)]
struct ScannerResponse {
    findings: Vec<ResponseFinding>,
}

#[derive(Deserialize)]
struct ResponseFinding {
    category: String,
    score: Option<u8>,
    field: Option<MessageField>,
    start: Option<usize>,
    end: Option<usize>,
}

/// Parses a response.
///
/// # Errors
/// The reason for which it is not valid. One invalid finding makes the response invalid, so that the operator of the
/// scanner notices it.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<ScannerFinding>, String> {
    let response: ScannerResponse = serde_json::from_slice(bytes)
        .map_err(|error| format!("not an object with findings (line {}, column {})", error.line(), error.column()))?;
    response.findings.into_iter().take(MAX_FINDINGS).map(finding).collect()
}

fn finding(finding: ResponseFinding) -> Result<ScannerFinding, String> {
    let ResponseFinding { category, score, field, start, end } = finding;
    let is_word = (1..=MAX_CATEGORY_BYTES).contains(&category.len())
        && category.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    if !is_word {
        return Err(format!("a category has 1 to {MAX_CATEGORY_BYTES} letters, digits, _, . and -"));
    }
    if score.is_some_and(|score| score > 100) {
        return Err("a score is a whole number from 0 to 100".to_owned());
    }
    let place = match (field, start, end) {
        (Some(field), Some(start), Some(end)) if start < end => Some(TextPlace { field, start, end }),
        (None, None, None) => None,
        _ => return Err("a place has field, start and a larger end".to_owned()),
    };
    Ok(ScannerFinding { category, score, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_have_category_score_and_place() {
        let text = r#"{"findings": [{"category": "prompt_injection", "score": 97, "field": "text", "start": 4, "end": 9},
            {"category": "phishing", "score": null, "model": "x"}], "took_ms": 3}"#;
        let place = TextPlace { field: MessageField::Text, start: 4, end: 9 };
        let expected = vec![
            ScannerFinding { category: "prompt_injection".to_owned(), score: Some(97), place: Some(place) },
            ScannerFinding { category: "phishing".to_owned(), score: None, place: None },
        ];
        assert_eq!(parse(text.as_bytes()), Ok(expected));
        assert_eq!(parse(br#"{"findings": []}"#), Ok(Vec::new()));
        let many = format!(r#"{{"findings": [{}]}}"#, vec![r#"{"category": "a"}"#; 20].join(","));
        assert_eq!(parse(many.as_bytes()).map(|found| found.len()), Ok(MAX_FINDINGS));
    }

    #[test]
    fn invalid_response_is_refused() {
        for text in [
            "",
            "[]",
            "{}",
            "<html>",
            r#"{"findings": null}"#,
            r#"{"findings": [{}]}"#,
            r#"{"findings": [{"category": ""}]}"#,
            r#"{"findings": [{"category": "two words"}]}"#,
            r#"{"findings": [{"category": "a", "score": 101}]}"#,
            r#"{"findings": [{"category": "a", "score": 0.9}]}"#,
            r#"{"findings": [{"category": "a", "score": -1}]}"#,
            r#"{"findings": [{"category": "a", "field": "text"}]}"#,
            r#"{"findings": [{"category": "a", "field": "body", "start": 0, "end": 1}]}"#,
            r#"{"findings": [{"category": "a", "field": "text", "start": 9, "end": 9}]}"#,
            r#"{"findings": [{"category": "a", "start": 0, "end": 9}]}"#,
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
