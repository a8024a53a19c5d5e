//! Extraction of new text from replies.
//!
//! The text is classified line by line ([`line_kinds`]), each line with a [`LineKind`](lines::LineKind). Runs of one
//! kind form a block, and the order of the [`blocks`] shows the replies. [`introductions`] finds the start of another
//! message, first by form: date, time and address in a line with a final colon are an [`attribution`] in any language,
//! and lines that start with field names are [`headers`]. The [`words`] of many languages and programs are further
//! evidence.
//!
//! Every search is bounded, so the time is linear in the length.

mod attribution;
mod attribution_evidence;
mod blocks;
mod contact;
mod facts;
mod footer;
mod glued;
mod headers;
mod introductions;
mod line_kinds;
mod lines;
mod lotus_notes;
mod separators;
mod signature;
pub(crate) mod words;

use std::ops::Range;

use crate::sanitize;

pub(crate) use blocks::{NewLines, new_lines};
pub(crate) use contact::is_mail_to;
pub(crate) use facts::{MailFacts, ReplyHint};
pub(crate) use glued::split_at;
pub(crate) use lines::fold;
pub(crate) use separators::is_forward;

/// Maximum length of a signature or a footer in bytes.
const MAX_SURROUNDING_BYTES: usize = 4096;

/// Parts of a text that its author wrote or added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewText {
    pub(crate) text: String,
    pub(crate) surroundings: TextSurroundings,
}

/// Parts of a message around its new text; no part is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextSurroundings {
    pub(crate) signature: Option<String>,
    pub(crate) footer: Option<String>,
}

impl TextSurroundings {
    /// Reads lines that are neither new nor quoted.
    pub(crate) fn of(all: &[&str], below: &[Range<usize>]) -> Self {
        let (mut signature, mut footer) = (Vec::new(), Vec::new());
        for range in below {
            let lines = all.get(range.clone()).unwrap_or_default();
            let (of_signature, of_footer) = signature::split(lines);
            signature.extend(of_signature.into_iter().filter_map(|at| lines.get(at)));
            footer.extend(of_footer.into_iter().filter_map(|at| lines.get(at)));
        }
        Self { signature: joined(&signature), footer: joined(&footer) }
    }
}

/// Joins lines without those drawn around them; `None` without words.
fn joined(lines: &[&&str]) -> Option<String> {
    let is_drawn = |line: &str| line.trim_end() == "--" || lines::is_rule(line);
    let words: Vec<&str> = lines.iter().map(|line| if is_drawn(line) { "" } else { **line }).collect();
    let text = trim_blank(&words).join("\n");
    let text = sanitize::truncate(&text, MAX_SURROUNDING_BYTES).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns true if the lines end with the attribution of a following quotation.
pub(crate) fn is_attribution_of_quote(lines: &[&str]) -> bool {
    lines.len().checked_sub(1).is_some_and(|last| attribution::above_quote(lines, last).is_some())
}

/// Returns the new text of a message, without quotations and signature.
///
/// It recognizes `>` marks with their attribution (`On … wrote:`, also wrapped), `-----Original Message-----`, header
/// blocks of Outlook, signatures after `-- `, and lines such as `Sent from my iPhone`, in some twenty languages.
/// Replies between quotations remain with the quotations they answer. A forward remains, and a message of quotations
/// alone remains whole.
///
/// The result consists of adjacent lines of `text`; a second call changes nothing. The time is linear.
///
/// The message counts as a reply. [`parse`](crate::parse) knows the headers and cuts less if it is not.
#[must_use]
pub fn extract_text(text: &str) -> String {
    new_text(text, MailFacts::REPLY).text
}

/// Returns the new text like [`extract_text`], for a message with known headers, and what surrounds it.
pub(crate) fn new_text(text: &str, facts: MailFacts<'_>) -> NewText {
    let mut all: Vec<&str> = Vec::new();
    let mut is_glued = false;
    for line in text.lines() {
        let mut line = line.trim_end_matches('\r');
        while let Some((start, rest)) = split_at(line).and_then(|at| line.split_at_checked(at)) {
            all.push(start);
            line = rest;
            is_glued = true;
        }
        all.push(line);
    }
    let NewLines { new, below } = new_lines(&all, facts);
    let trimmed = trim_blank(all.get(new).unwrap_or_default());
    if trimmed.is_empty() {
        return NewText { text: as_written(trim_blank(&all)), surroundings: TextSurroundings::default() };
    }
    let mut text = as_written(trimmed);
    if is_glued {
        text.truncate(text.trim_end().len());
    }
    NewText { text, surroundings: TextSurroundings::of(&all, &below) }
}

/// Joins adjacent lines of a text; pieces of one line remain one.
fn as_written(lines: &[&str]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for (at, line) in lines.iter().enumerate() {
        let above = at.checked_sub(1).and_then(|above| lines.get(above));
        if above.is_some_and(|above| above.as_bytes().as_ptr_range().end != line.as_ptr()) {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

fn trim_blank<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    lines.get(start..end).unwrap_or_default()
}
