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
mod headers;
mod introductions;
mod line_kinds;
mod lines;
mod lotus_notes;
mod separators;
mod signature;
pub(crate) mod words;

pub(crate) use blocks::new_lines;
pub(crate) use separators::is_forward;

/// Knowledge about a message before its lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyHint {
    /// The message is a reply and likely quotes another message.
    Reply,
    /// No header marks the message as a reply. Parts that look like a message are its own content, as in messages from
    /// forms and logs.
    NewThread,
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
    new_text(text, ReplyHint::Reply)
}

/// Returns the new text like [`extract_text`], for a message with known headers.
pub(crate) fn new_text(text: &str, hint: ReplyHint) -> String {
    let all: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let new = all.get(new_lines(&all, hint)).unwrap_or_default();
    let trimmed = trim_blank(new);
    if trimmed.is_empty() {
        return trim_blank(&all).join("\n");
    }
    trimmed.join("\n")
}

fn trim_blank<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    lines.get(start..end).unwrap_or_default()
}
