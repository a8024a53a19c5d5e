//! How well codes and confirming links are found: precision and recall.

use std::collections::BTreeSet;

use inboxd_mail::ParsedMail;

use crate::score::as_float;

/// What was found, what should have been, and what was both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FindingTally {
    /// How many were found.
    pub found: usize,
    /// How many there are.
    pub expected: usize,
    /// How many of those found are there.
    pub right: usize,
}

impl FindingTally {
    /// The part of those found that is right, 0 to 1.
    #[must_use]
    pub fn precision(&self) -> f64 {
        part(self.right, self.found)
    }

    /// The part of those there are that was found, 0 to 1.
    #[must_use]
    pub fn recall(&self) -> f64 {
        part(self.right, self.expected)
    }

    /// Adds a mail: lines of what was found and of what is expected.
    pub fn add(&mut self, found: &BTreeSet<String>, expected: &BTreeSet<String>) {
        self.found += found.len();
        self.expected += expected.len();
        self.right += found.intersection(expected).count();
    }
}

fn part(of: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { as_float(of) / as_float(whole) }
}

/// What was found in a mail, as the files of the collection say it: `code 123456`, `link confirm https://…`.
#[must_use]
pub fn lines(mail: &ParsedMail) -> BTreeSet<String> {
    let codes = mail.codes.iter().map(|code| format!("code {}", code.code));
    let links = mail.links.iter().map(|link| format!("link {} {}", link.kind, link.url));
    codes.chain(links).collect()
}

/// The lines of an expectation that begin with `kind`, `code` or `link`.
#[must_use]
pub fn of_kind(lines: &BTreeSet<String>, kind: &str) -> BTreeSet<String> {
    lines.iter().filter(|line| line.starts_with(kind)).cloned().collect()
}
