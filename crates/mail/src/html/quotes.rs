//! What is new in an HTML mail.

use std::borrow::Cow;
use std::collections::HashMap;

use super::elements::Tag;
use super::lines::{Line, lines};
use super::tokens::{Kind, Token, tokens};
use crate::reply::{self, Standing};

/// The HTML without what it quotes and without its signature.
///
/// It is read into lines, those that mail programs mark as quoted behind `> `, and the lines are judged as those of a
/// plain text are (see [`extract_text`](crate::extract_text)): answers written between the quotations keep what they
/// answer, forwarded mails stay, and a mail that is nothing but quotation stays whole. What is left are tokens of the
/// HTML, in order. The time is linear in the length.
#[must_use]
pub fn extract_html(html: &str) -> String {
    new_html(html, Standing::Answer)
}

/// What [`extract_html`] gives for a mail of which more is known.
pub(crate) fn new_html(html: &str, standing: Standing) -> String {
    let all: Vec<Token<'_>> = tokens(html).collect();
    let lines = lines(html, &all);
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let new = reply::new_lines(&texts, standing);
    let is_seen = |line: &Line| !line.text.is_empty() || line.is_signature;
    // Empty lines around what is new stay with it.
    let above = lines.get(..new.start).and_then(|lines| lines.iter().rposition(is_seen));
    let below = lines.get(new.end..).and_then(|lines| lines.iter().position(is_seen));
    let place = |line: usize| lines.get(line).map(|line| line.tokens.clone()).unwrap_or_default();
    let start = above.map_or(0, |line| place(line).end);
    let end = below.map_or(all.len(), |line| place(new.end + line).start);
    if new.is_empty() || (start == 0 && end == all.len()) {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len());
    let above = all.get(..start).unwrap_or_default();
    out.extend(
        unmatched(html, above).filter(|token| !matches!(token.kind, Kind::Close(_))).map(|token| source(html, token)),
    );
    let kept = all.get(start..end).unwrap_or_default();
    if let (Some(first), Some(last)) = (kept.first(), kept.last()) {
        out.push_str(html.get(first.start..last.end).unwrap_or_default());
    }
    let below = all.get(end..).unwrap_or_default();
    out.extend(
        unmatched(html, below).filter(|token| !matches!(token.kind, Kind::Open(..))).map(|token| source(html, token)),
    );
    out
}

fn source<'a>(html: &'a str, token: &Token<'_>) -> &'a str {
    html.get(token.start..token.end).unwrap_or_default()
}

/// What must stay when the tokens are cut out: the start and end tags without their counterpart among them, and style
/// sheets.
fn unmatched<'a>(html: &'a str, cut: &'a [Token<'a>]) -> impl Iterator<Item = &'a Token<'a>> {
    let mut stays = vec![false; cut.len()];
    let mut open: Vec<(Cow<'_, str>, usize)> = Vec::new();
    // How many elements of each name are open: an end tag that closes nothing costs nothing.
    let mut count: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (at, token) in cut.iter().enumerate() {
        let is_unmatched = match token.kind {
            Kind::Open(name, attributes) if !is_empty(name, attributes) => {
                *count.entry(lower(name)).or_default() += 1;
                open.push((lower(name), at));
                true
            }
            Kind::Close(name) => {
                let name = lower(name);
                let closes = count.get(&name).is_some_and(|count| *count > 0);
                while closes && let Some((last, started)) = open.pop() {
                    if let Some(count) = count.get_mut(&last) {
                        *count -= 1;
                    }
                    if let Some(stays) = stays.get_mut(started) {
                        *stays = false;
                    }
                    if last == name {
                        break;
                    }
                }
                !closes
            }
            Kind::Unseen => source(html, token).get(..6).is_some_and(|start| start.eq_ignore_ascii_case("<style")),
            Kind::Open(..) | Kind::Text(_) => false,
        };
        if let Some(stays) = stays.get_mut(at) {
            *stays = is_unmatched;
        }
    }
    cut.iter().zip(stays).filter(|(_, stays)| *stays).map(|(token, _)| token)
}

/// Whether an element has no end tag.
fn is_empty(name: &str, attributes: &str) -> bool {
    attributes.ends_with('/') || Tag::of(name).is_void()
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}
