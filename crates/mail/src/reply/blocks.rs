//! Runs of new text and of quotation, and what their order says.

use std::ops::Range;

use super::attribution;
use super::lines::{Kind, is_blank, is_quoted};
use super::markers::{self, Marker};
use super::signature;

/// A run of lines, blank ones within it included.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    lines: Range<usize>,
    is_quote: bool,
}

/// The lines that are new, which always stand together. Empty when there are none.
pub(crate) fn new_lines(all: &[&str]) -> Range<usize> {
    let marker = markers::first(all);
    let limit = marker.map_or(all.len(), Marker::line);
    let open = all.get(..limit).unwrap_or_default();
    let mut blocks = blocks(&kinds(open));
    blocks.retain(|block| block.is_quote || text_end(open, block) > block.lines.start);
    if let Some(Marker::Forwarded(line)) = marker {
        let forward = Block { lines: line..all.len(), is_quote: false };
        let kept = answered(&blocks, std::slice::from_ref(&forward));
        return kept.start..forward.lines.end;
    }
    let kept = answered(&blocks, &[]);
    match blocks.iter().find(|block| !block.is_quote && block.lines.end == kept.end) {
        Some(last) => kept.start..text_end(open, last),
        None => kept,
    }
}

/// Where the block's words end and its signature starts.
fn text_end(all: &[&str], block: &Block) -> usize {
    let lines = all.get(block.lines.clone()).unwrap_or_default();
    block.lines.start + signature::text_length(lines)
}

fn kinds(all: &[&str]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = all
        .iter()
        .map(|line| match line {
            line if is_quoted(line) => Kind::Quote,
            line if is_blank(line) => Kind::Blank,
            _ => Kind::Text,
        })
        .collect();
    for at in 0..all.len() {
        if kinds.get(at) != Some(&Kind::Text) || !markers::is_followed_by_quote(all, at + 1) {
            continue;
        }
        if let Some(found) = attribution::ending_at(all, at, 0)
            && let Some(lines) = kinds.get_mut(found.start..found.end)
        {
            lines.fill(Kind::Quote);
        }
    }
    kinds
}

/// Joins lines of one kind; blank lines belong to a block only when it goes on behind them.
fn blocks(kinds: &[Kind]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        if *kind == Kind::Blank {
            continue;
        }
        let is_quote = *kind == Kind::Quote;
        match blocks.last_mut() {
            Some(last) if last.is_quote == is_quote => last.lines.end = at + 1,
            _ => blocks.push(Block { lines: at..at + 1, is_quote }),
        }
    }
    blocks
}

/// The lines to keep. One answer above or below a quotation stands for itself; an answer within one, or several, are
/// kept with what they answer.
fn answered(blocks: &[Block], forward: &[Block]) -> Range<usize> {
    let blocks: Vec<&Block> = blocks.iter().chain(forward).collect();
    let answers = || blocks.iter().enumerate().filter(|(_, block)| !block.is_quote).map(|(at, _)| at);
    let (Some(first), Some(last)) = (answers().next(), answers().next_back()) else {
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
