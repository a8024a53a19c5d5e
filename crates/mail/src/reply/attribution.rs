//! The line above a quotation: `On Mon, 5 Jan 2026 at 10:00, Anna <anna@example.org> wrote:`.

use super::lines::{bare, is_blank, is_quoted, starts_with};

/// Over how many lines an attribution may be wrapped.
const MAX_WRAPPED: usize = 4;
/// The longest line that is looked at.
const MAX_LINE: usize = 500;

/// An attribution: its first line, and the line behind its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attribution {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is so plain that unmarked text behind it is taken as quoted.
    pub(crate) is_certain: bool,
}

/// The attribution that ends with line `at`, if one does. It never starts before `floor`.
pub(crate) fn ending_at(all: &[&str], at: usize, floor: usize) -> Option<Attribution> {
    let last = bare(all.get(at)?);
    if last.len() > MAX_LINE || !ends_like_one(last) {
        return None;
    }
    let lowest = (at + 1).saturating_sub(MAX_WRAPPED).max(floor);
    for start in (lowest..=at).rev() {
        let line = all.get(start)?;
        if is_blank(line) || is_quoted(line) || line.len() > MAX_LINE {
            break;
        }
        if starts_with(bare(line), "On ") {
            let whole = all.get(start..=at)?.join(" ");
            let is_one = names_a_time(&whole) || is_above_quote(all, at);
            return is_one.then(|| Attribution { start, end: at + 1, is_certain: is_certain(&whole) });
        }
    }
    // `Anna <anna@example.org> wrote:` and `2026-01-05 10:00 GMT Anna <anna@example.org>:` stand on one line.
    let has_address = last.contains('@') && last.contains('<');
    has_address.then_some(Attribution { start: at, end: at + 1, is_certain: false })
}

fn ends_like_one(line: &str) -> bool {
    line.ends_with("wrote:") || line.ends_with("writes:") || line.ends_with("said:") || line.ends_with(">:")
}

/// Whether quoted text comes next, so that even a line without a time can be nothing else.
fn is_above_quote(all: &[&str], at: usize) -> bool {
    all.iter().skip(at + 1).find(|line| !is_blank(line)).is_some_and(|line| is_quoted(line))
}

fn names_a_time(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit()) || text.contains('@')
}

/// A time of day or a year, or an address.
fn is_certain(text: &str) -> bool {
    let mut digits = 0;
    let mut previous = b' ';
    for b in text.bytes() {
        digits = if b.is_ascii_digit() { digits + 1 } else { 0 };
        if digits == 4 || (previous == b':' && digits == 1) {
            return true;
        }
        previous = b;
    }
    text.contains('@')
}
