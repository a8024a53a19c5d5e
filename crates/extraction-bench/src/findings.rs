//! Precision and recall of codes and confirmation links.

use std::collections::BTreeSet;

use inboxd_mail::ParsedMail;

use crate::score::as_float;

/// Counts of found, expected and correct findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FindingTally {
    /// Number of findings.
    pub found: usize,
    /// Number of expected findings.
    pub expected: usize,
    /// Number of correct findings.
    pub right: usize,
}

impl FindingTally {
    /// Returns the share of findings that are correct, 0 to 1.
    #[must_use]
    pub fn precision(&self) -> f64 {
        part(self.right, self.found)
    }

    /// Returns the share of expected findings that were found, 0 to 1.
    #[must_use]
    pub fn recall(&self) -> f64 {
        part(self.right, self.expected)
    }

    /// Adds a message: the lines found and the lines expected.
    pub fn add(&mut self, found: &BTreeSet<String>, expected: &BTreeSet<String>) {
        self.found += found.len();
        self.expected += expected.len();
        self.right += found.intersection(expected).count();
    }
}

fn part(of: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { as_float(of) / as_float(whole) }
}

/// Returns the findings of a message as lines of the collection: `code 123456`, `link confirm https://…`.
#[must_use]
pub fn lines(mail: &ParsedMail) -> BTreeSet<String> {
    let codes = mail.codes.iter().map(|code| format!("code {}", code.code));
    let links = mail.links.iter().map(|link| format!("link {} {}", link.kind, link.url));
    codes.chain(links).collect()
}

/// Returns the lines of this kind, `code` or `link`.
#[must_use]
pub fn of_kind(lines: &BTreeSet<String>, kind: &str) -> BTreeSet<String> {
    lines.iter().filter(|line| line.starts_with(kind)).cloned().collect()
}
