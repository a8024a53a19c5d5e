//! One segment from several.

use std::slice;

use crate::blocks::{Block, BlockWriter, Entries};
use crate::documents::Document;
use crate::grams::Gram;
use crate::lists::List;
use crate::{MOST_DOCUMENTS, SearchError};

/// A segment that goes into another.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its blocks, in their order.
    pub blocks: &'a [Block],
    /// For each of its messages the place in the new segment; `None` for those that are left out.
    pub places: &'a [Option<Document>],
}

/// Makes one segment of several: the lists of a gram become one. It takes memory for the new blocks and one list.
///
/// # Errors
/// [`SearchError::Corrupt`], [`SearchError::TooManyDocuments`] for a place that no segment has.
pub fn merge(inputs: &[Input<'_>]) -> Result<Vec<Block>, SearchError> {
    let mut sources = inputs.iter().map(Source::of).collect::<Result<Vec<_>, _>>()?;
    let mut writer = BlockWriter::default();
    let mut documents = Vec::new();
    let mut last = None;
    while let Some(gram) = sources.iter().filter_map(Source::gram).min() {
        if last.replace(gram).is_some_and(|last| gram <= last) {
            return Err(SearchError::Corrupt);
        }
        documents.clear();
        for source in &mut sources {
            source.take(gram, &mut documents)?;
        }
        if !documents.is_sorted() {
            documents.sort_unstable();
        }
        documents.dedup();
        if !documents.is_empty() {
            writer.push(gram, &documents);
        }
    }
    Ok(writer.finish())
}

/// What is left of an input.
struct Source<'a> {
    places: &'a [Option<Document>],
    blocks: slice::Iter<'a, Block>,
    entries: Entries<'a>,
    next: Option<(Gram, List<'a>)>,
}

impl<'a> Source<'a> {
    fn of(input: &Input<'a>) -> Result<Self, SearchError> {
        let (places, blocks) = (input.places, input.blocks.iter());
        let mut source = Self { places, blocks, entries: Entries::of(&[]), next: None };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> Result<(), SearchError> {
        self.next = loop {
            if let Some(entry) = self.entries.next() {
                break Some(entry?);
            }
            let Some(block) = self.blocks.next() else { break None };
            self.entries = Entries::of(&block.octets);
        };
        Ok(())
    }

    fn gram(&self) -> Option<Gram> {
        self.next.map(|(gram, _)| gram)
    }

    /// Adds the messages of the next list, if it is that of the gram.
    fn take(&mut self, gram: Gram, documents: &mut Vec<Document>) -> Result<(), SearchError> {
        let Some((_, list)) = self.next.filter(|(next, _)| *next == gram) else { return Ok(()) };
        place(list, self.places, documents)?;
        self.advance()
    }
}

fn place(list: List<'_>, places: &[Option<Document>], documents: &mut Vec<Document>) -> Result<(), SearchError> {
    list.each(|document| {
        match places.get(usize::from(document)).ok_or(SearchError::Corrupt)? {
            Some(place) if *place >= MOST_DOCUMENTS => return Err(SearchError::TooManyDocuments),
            Some(place) => documents.push(*place),
            None => {}
        }
        Ok(())
    })
}
