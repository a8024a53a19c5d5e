//! What is new in the text of a reply.
//!
//! The text is read line by line ([`line_kinds`]): each line is of one [`LineKind`](lines::LineKind), runs of one kind make a block,
//! and the order of the [`blocks`] tells what answers what. What stands above another mail and says whose it is
//! ([`introductions`]) is told by its form first: a day, a time and an address in a line that ends with a colon are an
//! [`attribution`] in any language, and lines that start with names of fields are [`headers`]. The [`words`] of many
//! languages and programs are the evidence beside the form.
//!
//! Every look ahead and back is bounded, so that the time is linear in the length.

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

/// What is known of a mail before its lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyHint {
    /// The mail answers another one, which is likely to stand in it.
    Reply,
    /// Nothing says that the mail answers another one: what only looks like a mail in it is its own, as in the mails that
    /// forms and logs are sent with.
    NewThread,
}

/// Whether the last of the lines, with those before it, says whose words come next, when a quotation does.
pub(crate) fn is_attribution_of_quote(lines: &[&str]) -> bool {
    lines.len().checked_sub(1).is_some_and(|last| attribution::above_quote(lines, last).is_some())
}

/// The new text of a mail: without the mail it quotes, and without its signature.
///
/// Known are `>` chains with the line above them (`On … wrote:`, also wrapped), `-----Original Message-----`, Outlook's
/// block of header lines, signatures behind `-- ` and lines such as `Sent from my iPhone`, as the programs of some
/// twenty languages write them. Answers written between the quotations keep what they answer; a forwarded mail stays; a
/// mail that is all quotation stays whole. The result consists of lines of `text` that stand together there, and
/// applying the function again changes nothing. The time is linear.
///
/// The mail is taken for an answer. [`parse`](crate::parse) knows whether it is one, and cuts less if it is not.
#[must_use]
pub fn extract_text(text: &str) -> String {
    new_text(text, ReplyHint::Reply)
}

/// What [`extract_text`] gives for a mail of which more is known.
pub(crate) fn new_text(text: &str, hint: ReplyHint) -> String {
    let all: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let new = all.get(new_lines(&all, hint)).unwrap_or_default();
    let kept = trim_blank(new);
    if kept.is_empty() {
        return trim_blank(&all).join("\n");
    }
    kept.join("\n")
}

fn trim_blank<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    lines.get(start..end).unwrap_or_default()
}
