//! Blocks of new and quoted lines, and the selection of new content.

use std::cell::OnceCell;
use std::ops::Range;

use super::facts::MailFacts;
use super::line_kinds::{self, LineReading, UnreadRest};
use super::lines::LineKind;
use super::signature;

/// Maximum number of passes over the new lines. Each pass shortens them; two suffice for all but crafted messages.
const MAX_READINGS: usize = 16;

/// A run of lines with the blank ones inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineBlock {
    lines: Range<usize>,
    is_quote: bool,
    /// End of the text before the signature, computed on first use.
    text_end: OnceCell<usize>,
}

impl LineBlock {
    fn new(lines: Range<usize>, is_quote: bool) -> Self {
        Self { lines, is_quote, text_end: OnceCell::new() }
    }

    fn text_end(&self, all: &[&str], author: &str) -> usize {
        *self.text_end.get_or_init(|| {
            let lines = all.get(self.lines.clone()).unwrap_or_default();
            self.lines.start + signature::text_length(lines, author)
        })
    }
}

/// Lines of a message by their role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewLines {
    /// New lines; empty without any.
    pub(crate) new: Range<usize>,
    /// Other lines that are not quoted: signatures and footers.
    pub(crate) below: Vec<Range<usize>>,
}

/// Returns the new lines, and those that are neither new nor quoted.
///
/// The result is stable: another pass over the new lines alone changes nothing.
pub(crate) fn new_lines(all: &[&str], facts: MailFacts<'_>) -> NewLines {
    let mut selected = read_once(all, facts);
    let mut before = all.len();
    for _ in 1..MAX_READINGS {
        if selected.new.len() == before {
            break;
        }
        before = selected.new.len();
        let found = read_once(all.get(selected.new.clone()).unwrap_or_default(), facts);
        if found.new.is_empty() {
            break;
        }
        let start = selected.new.start;
        let moved = |lines: Range<usize>| start + lines.start..start + lines.end;
        selected.below.extend(found.below.into_iter().map(moved));
        selected.new = moved(found.new);
    }
    selected.below.sort_unstable_by_key(|lines| lines.start);
    selected
}

fn read_once(all: &[&str], facts: MailFacts<'_>) -> NewLines {
    let LineReading { kinds, rest } = line_kinds::read(all, facts.hint);
    let mut blocks = blocks(&kinds);
    blocks.retain(|block| !block.is_quote || has_content(all, block));
    let texts: Vec<Range<usize>> =
        blocks.iter().filter(|block| !block.is_quote).map(|block| block.lines.clone()).collect();
    drop_signatures(all, &mut blocks, facts.author);
    if rest == UnreadRest::Forwarded {
        blocks.push(LineBlock::new(kinds.len()..all.len(), false));
        return NewLines { new: select_lines(&blocks), below: Vec::new() };
    }
    let selected = select_lines(&blocks);
    let new = match blocks.iter().find(|block| !block.is_quote && block.lines.end == selected.end) {
        Some(last) => selected.start..last.text_end(all, facts.author),
        None => selected,
    };
    // Without new lines, the message remains whole.
    let outside = |text: Range<usize>| [text.start..text.end.min(new.start), text.start.max(new.end)..text.end];
    let below = texts.into_iter().filter(|_| !new.is_empty()).flat_map(outside).filter(|lines| !lines.is_empty());
    NewLines { below: below.collect(), new }
}

/// Removes text blocks that are only a signature where they affect the order: before the first reply and after the
/// last.
fn drop_signatures(all: &[&str], blocks: &mut Vec<LineBlock>, author: &str) {
    let is_answer = |block: &LineBlock| !block.is_quote && block.text_end(all, author) > block.lines.start;
    let first = blocks.iter().position(is_answer).unwrap_or(blocks.len());
    let last = blocks.iter().rposition(is_answer).unwrap_or(first);
    let mut at = 0;
    blocks.retain(|block| {
        at += 1;
        block.is_quote || (first < at && at <= last + 1)
    });
}

/// Returns true if a quotation has more than empty lines.
fn has_content(all: &[&str], block: &LineBlock) -> bool {
    let mut lines = all.get(block.lines.clone()).unwrap_or_default().iter();
    lines.any(|line| line.chars().any(|c| !c.is_whitespace() && !matches!(c, '>' | '＞')))
}

/// Joins lines of one kind to blocks; trailing blank lines belong to none.
fn blocks(kinds: &[LineKind]) -> Vec<LineBlock> {
    let mut blocks: Vec<LineBlock> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        if *kind == LineKind::Blank {
            continue;
        }
        let is_quote = *kind == LineKind::Quote;
        match blocks.last_mut() {
            Some(last) if last.is_quote == is_quote => last.lines.end = at + 1,
            _ => blocks.push(LineBlock::new(at..at + 1, is_quote)),
        }
    }
    blocks
}

/// Selects the new lines.
///
/// One reply above or below a quotation stands alone. A reply inside a quotation, or several replies, include the
/// quotations they answer.
fn select_lines(blocks: &[LineBlock]) -> Range<usize> {
    let is_answer = |block: &LineBlock| !block.is_quote;
    let (Some(first), Some(last)) = (blocks.iter().position(is_answer), blocks.iter().rposition(is_answer)) else {
        return 0..0;
    };
    let is_within = first == last && first > 0 && last + 1 < blocks.len();
    let (start, end) = match first == last {
        true if is_within => (0, blocks.len() - 1),
        true => (first, last),
        false => (0, last),
    };
    let line = |at: usize| blocks.get(at).map(|block| block.lines.clone()).unwrap_or_default();
    line(start).start..line(end).end
}
