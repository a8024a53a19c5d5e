//! What a single line looks like.

/// The kind of a line within the part of a mail that may hold both answers and quotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The writer's own words.
    Text,
    /// A quoted line, or the line above a quotation that says whose it is.
    Quote,
    /// Nothing but white space.
    Blank,
}

pub(crate) fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

pub(crate) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// A line without what decorates it: emphasis and white space around it.
pub(crate) fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || c == '*' || c == '_')
}

/// Whether `line` starts with `prefix`, letter case apart.
pub(crate) fn starts_with(line: &str, prefix: &str) -> bool {
    line.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}
