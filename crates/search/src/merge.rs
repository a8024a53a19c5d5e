//! One segment from several.

use std::iter::Peekable;

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
    let mut sources: Vec<Source<'_, _>> =
        inputs.iter().map(|input| Source { places: input.places, entries: entries(input.blocks).peekable() }).collect();
    let mut writer = BlockWriter::default();
    let mut documents = Vec::new();
    while let Some(gram) = least(&mut sources)? {
        documents.clear();
        for source in &mut sources {
            if let Some(list) = source.take(gram) {
                place(list, source.places, &mut documents)?;
            }
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

fn entries(blocks: &[Block]) -> impl Iterator<Item = Result<(Gram, List<'_>), SearchError>> {
    blocks.iter().flat_map(|block| Entries::of(&block.octets))
}

/// What is left of an input.
struct Source<'a, I: Iterator> {
    places: &'a [Option<Document>],
    entries: Peekable<I>,
}

impl<'a, I: Iterator<Item = Result<(Gram, List<'a>), SearchError>>> Source<'a, I> {
    /// The list of the gram, if it is the next one.
    fn take(&mut self, gram: Gram) -> Option<List<'a>> {
        let next = self.entries.next_if(|entry| matches!(entry, Ok((next, _)) if *next == gram))?;
        next.ok().map(|(_, list)| list)
    }
}

/// The least gram that is left in any.
fn least<'a, I>(sources: &mut [Source<'a, I>]) -> Result<Option<Gram>, SearchError>
where
    I: Iterator<Item = Result<(Gram, List<'a>), SearchError>>,
{
    let mut least = None;
    for source in sources {
        match source.entries.peek() {
            Some(Ok((gram, _))) if least.is_none_or(|least| *gram < least) => least = Some(*gram),
            Some(Err(error)) => return Err(*error),
            Some(Ok(_)) | None => {}
        }
    }
    Ok(least)
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
