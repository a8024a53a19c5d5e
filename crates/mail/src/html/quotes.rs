//! What is new in an HTML mail: the quotations that mail programs mark, taken out.

use std::collections::HashMap;
use std::ops::Range;

use super::attributes::references;
use super::marks::{Mark, mark};
use super::tokens::{Kind, Token, tokens};

/// Elements that have no end tag.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// The HTML without what it quotes: the marks of Gmail, Apple Mail, Outlook, Thunderbird, Yahoo and others.
///
/// Answers written between the quotations keep what they answer, forwarded mails stay, and a mail that is nothing but
/// quotation stays whole. The time is linear in the length.
#[must_use]
pub fn extract_html(html: &str) -> String {
    let all: Vec<Token<'_>> = tokens(html).collect();
    let mut cuts = find_cuts(&all, html.len());
    keep_answered(html, &mut cuts);
    let kept = without(html, &cuts);
    if cuts.is_empty() || !says_something(&kept) {
        return html.to_owned();
    }
    kept
}

/// What a range to be cut out is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cut {
    range: Range<usize>,
    is_quote: bool,
}

fn find_cuts(all: &[Token<'_>], len: usize) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    let mut open = OpenElements::default();
    // The cut being read: where it starts, how many elements were open, and whether it is a quotation.
    let mut cutting: Option<(usize, usize, bool)> = None;
    for (at, token) in all.iter().enumerate() {
        match token.kind {
            Kind::Open(name, attributes) => {
                let mark = if cutting.is_none() { mark(name, attributes, all, at) } else { None };
                match mark {
                    Some(Mark::Rest) => {
                        cuts.push(Cut { range: token.start..len, is_quote: true });
                        return cuts;
                    }
                    Some(Mark::Forward) => return cuts,
                    Some(mark) => {
                        cutting = Some((token.start, open.names.len(), mark == Mark::Quote));
                    }
                    None => {}
                }
                if !attributes.ends_with('/') && !VOID.iter().any(|void| name.eq_ignore_ascii_case(void)) {
                    open.push(name);
                }
            }
            Kind::Close(name) => open.pop(name),
            Kind::Text(_) | Kind::Unseen => {}
        }
        if let Some((start, depth, is_quote)) = cutting
            && open.names.len() <= depth
        {
            // An end tag of an element around the quotation is not part of it.
            let own = open.names.len() == depth;
            cuts.push(Cut { range: start..if own { token.end } else { token.start }, is_quote });
            cutting = None;
        }
    }
    if let Some((start, _, is_quote)) = cutting {
        cuts.push(Cut { range: start..len, is_quote });
    }
    cuts
}

/// The elements around a place; their number by name makes an end tag that closes nothing cost nothing.
#[derive(Default)]
struct OpenElements {
    names: Vec<String>,
    count: HashMap<String, usize>,
}

impl OpenElements {
    fn push(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        *self.count.entry(name.clone()).or_default() += 1;
        self.names.push(name);
    }

    fn pop(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        if self.count.get(&name).copied().unwrap_or(0) == 0 {
            return;
        }
        while let Some(last) = self.names.pop() {
            if let Some(count) = self.count.get_mut(&last) {
                *count -= 1;
            }
            if last == name {
                return;
            }
        }
    }
}

/// Drops the cuts of quotations that an answer follows, where the mail answers between its quotations: there are new
/// words behind one quotation, and others before it.
fn keep_answered(html: &str, cuts: &mut Vec<Cut>) {
    let mut answers = 0;
    let mut last_answered = None;
    let mut from = 0;
    for (at, cut) in cuts.iter().enumerate() {
        if says_something(html.get(from..cut.range.start).unwrap_or_default()) {
            answers += 1;
            last_answered = at.checked_sub(1);
        }
        from = cut.range.end;
    }
    if says_something(html.get(from..).unwrap_or_default()) {
        answers += 1;
        last_answered = cuts.len().checked_sub(1);
    }
    let Some(last) = last_answered.filter(|_| answers > 1) else {
        return;
    };
    let mut number = 0;
    cuts.retain(|cut| {
        number += 1;
        number > last + 1 || !cut.is_quote
    });
}

/// Whether there are words or pictures in a piece of HTML.
fn says_something(html: &str) -> bool {
    tokens(html).any(|token| match token.kind {
        Kind::Text(text) => references(text).chars().any(char::is_alphanumeric),
        Kind::Open(name, _) => name.eq_ignore_ascii_case("img"),
        Kind::Close(_) | Kind::Unseen => false,
    })
}

fn without(html: &str, cuts: &[Cut]) -> String {
    let mut out = String::with_capacity(html.len());
    let mut from = 0;
    for cut in cuts {
        out.push_str(html.get(from..cut.range.start).unwrap_or_default());
        from = cut.range.end;
    }
    out.push_str(html.get(from..).unwrap_or_default());
    out
}
