//! Detection of texts with the shape of a code.

use std::ops::Range;

use super::chunks::{chunks, is_word};

/// Maximum number of candidates in a text.
const MAX_CANDIDATES: usize = 2_000;
/// Maximum number of characters between the digits of a code that has one digit a cell.
const MAX_DIGIT_GAP: usize = 8;

/// A text with the shape of a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeCandidate {
    /// Range with grouping characters and a prefix such as `G-`.
    pub(super) range: Range<usize>,
    /// The code for entry.
    pub(super) code: String,
    pub(super) shape: CodeShape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeShape {
    /// `483920`
    Digits,
    /// `483 920`, `483-920`
    GroupedDigits,
    /// `483 9201`, also a format of telephone numbers.
    UnevenDigits,
    /// `4 8 3 9 2 0`, or one digit a line.
    SpreadDigits,
    /// `A7K9QZ`
    Mixed,
    /// `X4T-9PL`
    GroupedMixed,
    /// `QZKFMT`
    Letters,
    /// `WDJB-MJHT`
    GroupedLetters,
    /// `plumb-orbit-4821`
    Words,
}

/// Finds the first 2,000 candidates of a text, in order.
pub(super) fn candidates(text: &str) -> Vec<CodeCandidate> {
    let chunks = chunks(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = chunks.get(at..).filter(|rest| !rest.is_empty()) {
        if found.len() == MAX_CANDIDATES {
            break;
        }
        if rest.first().and_then(|chunk| text.get(chunk.clone())).is_some_and(is_word) {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| chunks.get(before));
        let (used, candidate) =
            spread(text, rest).or_else(|| digit_groups(text, before, rest)).unwrap_or_else(|| (1, single(text, rest)));
        found.extend(candidate);
        at += used;
    }
    found
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Reads single digits, or digits and letters, that stand apart.
fn spread(text: &str, chunks: &[Range<usize>]) -> Option<(usize, Option<CodeCandidate>)> {
    let mut code = String::new();
    let mut last: Option<&Range<usize>> = None;
    for chunk in chunks {
        let sign = text.get(chunk.clone())?;
        let is_near = last.is_none_or(|last| chunk.start - last.end <= MAX_DIGIT_GAP);
        if sign.len() != 1 || !sign.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) || !is_near {
            break;
        }
        code.push_str(sign);
        last = Some(chunk);
    }
    let count = code.len();
    let bytes = code.as_bytes();
    let end = last.filter(|_| count >= 4)?.end;
    // Page numbers and numbered choices count up.
    let counts_up = bytes.iter().zip(bytes.iter().skip(1)).all(|(one, next)| *next == one.wrapping_add(1));
    let is_code = count <= 8 && !counts_up && bytes.iter().filter(|b| b.is_ascii_digit()).count() >= 2;
    let range = chunks.first()?.start..end;
    Some((count, is_code.then_some(CodeCandidate { range, code, shape: CodeShape::SpreadDigits })))
}

/// Reads digits and the groups of digits that follow on the line.
///
/// Groups of equal length are a code, as are two of nearly equal length. Others are telephone and bank account numbers.
fn digit_groups(
    text: &str,
    before: Option<&Range<usize>>,
    chunks: &[Range<usize>],
) -> Option<(usize, Option<CodeCandidate>)> {
    let first = chunks.first()?;
    text.get(first.clone()).filter(|chunk| digits(chunk))?;
    let mut groups: Vec<&str> = Vec::new();
    let mut end = first.start;
    let mut used = 0;
    for chunk in chunks {
        let group = text.get(chunk.clone())?;
        let gap = text.get(end..chunk.start)?;
        let goes_on = used == 0 || is_number_gap(gap);
        if !goes_on || !group.bytes().any(|b| b.is_ascii_digit()) || !is_number_like(group) {
            break;
        }
        // A wide gap, brackets and mixed chunks make no code, but continue the number.
        groups.push(if digits(group) && (used == 0 || gap == " ") { group } else { "" });
        end = chunk.end;
        used += 1;
    }
    let follows_number = before.is_some_and(|before| {
        let gap = text.get(before.end..first.start).unwrap_or_default();
        is_number_gap(gap) && text.get(before.clone()).is_some_and(|chunk| is_number_like(chunk) && chunk.len() > 1)
    });
    let code = groups.concat();
    let range = first.start..end;
    let shape = match groups.as_slice() {
        _ if follows_number => None,
        [one] => (4..=10).contains(&one.len()).then_some(CodeShape::Digits),
        [one, next] if is_uneven(one, next) => Some(CodeShape::UnevenDigits),
        several => is_grouped(several).then_some(CodeShape::GroupedDigits),
    };
    Some((used, shape.map(|shape| CodeCandidate { range, code, shape })))
}

fn is_number_gap(gap: &str) -> bool {
    gap.len() <= 3 && gap.contains(' ') && gap.chars().all(|c| matches!(c, ' ' | '(' | ')'))
}

/// Returns true for part of a long number: digits, punctuation, and at most the two letters that start an account
/// number.
fn is_number_like(chunk: &str) -> bool {
    let signs = chunk.bytes().filter(|b| !b.is_ascii_digit()).count();
    chunk.bytes().any(|b| b.is_ascii_digit())
        && chunk
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() || matches!(b, b'#' | b'+' | b'-' | b'.' | b'/'))
        && signs <= 2
        && !chunk.contains([':', '%'])
}

fn is_grouped(groups: &[&str]) -> bool {
    let Some(first) = groups.first() else {
        return false;
    };
    let total: usize = groups.iter().map(|group| group.len()).sum();
    let are_years = groups.iter().all(|group| is_year(group));
    (2..=5).contains(&first.len())
        && (6..=10).contains(&total)
        && groups.iter().all(|group| group.len() == first.len())
        && !are_years
}

/// Returns true for seven digits in near-equal halves.
fn is_uneven(one: &str, next: &str) -> bool {
    matches!((one.len(), next.len()), (3, 4) | (4, 3))
}

/// Returns true for a year of the 20th or 21st century.
pub(super) fn is_year(text: &str) -> bool {
    text.len() == 4 && matches!(text.get(..2), Some("19" | "20"))
}

/// Reads a code without spaces.
fn single(text: &str, chunks: &[Range<usize>]) -> Option<CodeCandidate> {
    let range = chunks.first()?.clone();
    let chunk = text.get(range.clone())?;
    let dashed = chunk.replace(|c| matches!(c, '\u{2010}'..='\u{2013}' | '\u{2212}'), "-");
    let parts: Vec<&str> = dashed.split('-').collect();
    let is_plain = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric()));
    let (code, shape) = match parts.as_slice() {
        _ if !is_plain => return None,
        [_] if starts_long_number(text, chunks) => return None,
        [one] => (dashed.clone(), word_shape(one)?),
        [prefix, number] if is_prefix(prefix) && digits(number) && (5..=8).contains(&number.len()) => {
            ((*number).to_owned(), CodeShape::Digits)
        }
        parts if parts.iter().all(|part| digits(part)) => {
            let is_spread = (4..=8).contains(&parts.len()) && parts.iter().all(|part| part.len() == 1);
            let shape = if is_spread { CodeShape::SpreadDigits } else { CodeShape::GroupedDigits };
            (is_spread || is_grouped(parts)).then(|| (parts.concat(), shape))?
        }
        parts => {
            let shape = grouped_shape(parts)?;
            (dashed.clone(), shape)
        }
    };
    Some(CodeCandidate { range, code, shape })
}

/// Returns true if more digits follow the first chunk, as in a bank account number.
fn starts_long_number(text: &str, chunks: &[Range<usize>]) -> bool {
    let (Some(first), Some(second)) = (chunks.first(), chunks.get(1)) else {
        return false;
    };
    text.get(first.end..second.start) == Some(" ") && text.get(second.clone()).is_some_and(digits)
}

/// Returns true for letters that sites put before the dash and that are not part of the code: `G-483920`, `FB-48392`.
fn is_prefix(part: &str) -> bool {
    part.len() <= 2 && part.bytes().all(|b| b.is_ascii_uppercase())
}

fn word_shape(word: &str) -> Option<CodeShape> {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    match (word.len(), digits) {
        (4..=10, 1..) => Some(CodeShape::Mixed),
        (5..=8, 0) if word.bytes().all(|b| b.is_ascii_uppercase()) => Some(CodeShape::Letters),
        _ => None,
    }
}

fn grouped_shape(parts: &[&str]) -> Option<CodeShape> {
    let length = parts.first()?.len();
    let has_digit = parts.iter().any(|part| part.bytes().any(|b| b.is_ascii_digit()));
    let is_upper = parts.iter().all(|part| !part.bytes().any(|b| b.is_ascii_lowercase()));
    let is_lower = parts.iter().all(|part| !part.bytes().any(|b| b.is_ascii_uppercase()));
    let is_spoken = (3..=5).contains(&parts.len()) && parts.iter().all(|part| (2..=9).contains(&part.len()));
    let fits = (3..=5).contains(&length) && parts.len() <= 4 && parts.iter().all(|part| part.len() == length);
    match (fits, has_digit) {
        (true, true) if is_upper || is_lower => Some(CodeShape::GroupedMixed),
        (true, false) if is_upper => Some(CodeShape::GroupedLetters),
        _ if is_spoken && is_lower => Some(CodeShape::Words),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_shapes_are_detected() {
        for (text, code, shape) in [
            ("is 483920.", "483920", CodeShape::Digits),
            ("(Code:483920)", "483920", CodeShape::Digits),
            ("a.example/login? 483920", "483920", CodeShape::Digits),
            ("https://a.example/?登録コード483920", "483920", CodeShape::Digits),
            ("**4839**", "4839", CodeShape::Digits),
            ("验证码483920，", "483920", CodeShape::Digits),
            ("코드는 483920입니다", "483920", CodeShape::Digits),
            ("G-483920 is", "483920", CodeShape::Digits),
            ("FB-48392", "48392", CodeShape::Digits),
            ("483 920", "483920", CodeShape::GroupedDigits),
            ("483-920", "483920", CodeShape::GroupedDigits),
            ("48 39 20", "483920", CodeShape::GroupedDigits),
            ("483 9201", "4839201", CodeShape::UnevenDigits),
            ("4 8 3 9 2 0", "483920", CodeShape::SpreadDigits),
            ("4 | 8 | 3 | 9", "4839", CodeShape::SpreadDigits),
            ("4\n\n8\n\n3\n\n9\n", "4839", CodeShape::SpreadDigits),
            ("Enter\n4\n8\n3\n9\nor leave it", "4839", CodeShape::SpreadDigits),
            ("4-8-3-9-2-0", "483920", CodeShape::SpreadDigits),
            ("A7K9QZ", "A7K9QZ", CodeShape::Mixed),
            ("X4T-9PL", "X4T-9PL", CodeShape::GroupedMixed),
            ("WDJB-MJHT", "WDJB-MJHT", CodeShape::GroupedLetters),
            ("plumb-orbit-4821", "plumb-orbit-4821", CodeShape::Words),
            ("QZKFMT", "QZKFMT", CodeShape::Letters),
        ] {
            let found = candidates(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found.iter().all(|found| found.code == code && found.shape == shape), "{text}: {found:?}");
        }
    }

    #[test]
    fn other_numbers_have_no_code_shape() {
        for text in [
            "+1 555 0142",
            "(555) 0142",
            "020 7946 0958",
            "12:30",
            "2026-11-20",
            "20.11.2026",
            "11/20/2026",
            "1,234.56",
            "$4500",
            "4500€",
            "50%",
            "192.168.0.1",
            "v1.2.3",
            "#483920",
            "DE89 3704 0044 0532 0130 00",
            "2020-2021",
            "https://a.example/483920",
            "https://a.example/verify?token=abc123",
            "https://a.example/verify;jsessionid=abc123?to=x&code=AB12CD34#483920",
            "www.a.example?code=AB12CD34",
            "a.example/~abc123?code=AB12CD34",
            "(a.example/login?code=AB12CD34)",
            "mail483920@a.example",
            "INV-2026-00123",
            "12345678901",
            "+49 30 901820",
            "1 2 3 4 5 6",
            "4\n8\nand so on\n3\n9",
            "123e4567-e89b-12d3-a456-426614174000",
            "483_920",
            "code",
            "Hello",
        ] {
            assert_eq!(candidates(text), [], "{text}");
        }
    }
}
