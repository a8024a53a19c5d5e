//! Merge of several segments.

use inboxd_search::{Block, Document, MAX_DOCUMENTS, SearchError, SegmentMerge, build};
use proptest::prelude::*;

use crate::support::texts;

fn built(texts: &[String]) -> Vec<Block> {
    build(texts.iter().map(String::as_str)).unwrap()
}

/// Merges segments with the new positions of their messages, `at_once` blocks at a time.
fn merge(inputs: Vec<(Vec<Block>, Vec<Option<Document>>)>, at_once: usize) -> Result<Vec<Block>, SearchError> {
    let (mut blocks, places): (Vec<Vec<Block>>, Vec<_>) = inputs.into_iter().unzip();
    let mut merge = SegmentMerge::new(places);
    let mut merged = Vec::new();
    while !merge.is_finished() {
        while let Some(segment) = merge.missing_input() {
            let next = at_once.min(blocks[segment].len());
            merge.add_blocks(segment, blocks[segment].drain(..next).collect())?;
        }
        merged.extend(merge.advance()?);
    }
    Ok(merged)
}

/// Generates the messages of a segment; a number decides the new position of each retained one.
fn segment() -> impl Strategy<Value = Vec<(String, Option<u32>)>> {
    texts().prop_flat_map(|texts| {
        let count = texts.len();
        (Just(texts), prop::collection::vec(prop::option::weighted(0.8, any::<u32>()), count))
            .prop_map(|(texts, stays)| texts.into_iter().zip(stays).collect())
    })
}

proptest! {
    #[test]
    fn merge_equals_build_of_retained_messages(
        segments in prop::collection::vec(segment(), 0..5), at_once in 1..4_usize,
    ) {
        // The numbers decide the order in the merged segment, regardless of the source segment.
        let mut order: Vec<(u32, usize, usize)> = Vec::new();
        for (from, segment) in segments.iter().enumerate() {
            let stays = segment.iter().enumerate().filter_map(|(place, (_, time))| time.map(|time| (time, from, place)));
            order.extend(stays);
        }
        order.sort_unstable();
        let whole: Vec<String> = order.iter().map(|&(_, from, place)| segments[from][place].0.clone()).collect();

        let blocks: Vec<Vec<Block>> = segments
            .iter()
            .map(|segment| built(&segment.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>()))
            .collect();
        let mut places: Vec<Vec<Option<Document>>> = segments.iter().map(|segment| vec![None; segment.len()]).collect();
        for (new, &(_, from, place)) in order.iter().enumerate() {
            places[from][place] = Some(Document::try_from(new).unwrap());
        }
        let inputs = blocks.into_iter().zip(places).collect();
        prop_assert_eq!(merge(inputs, at_once).unwrap(), built(&whole));
    }

    #[test]
    fn arbitrary_bytes_are_rejected_or_merged(
        bytes in prop::collection::vec(prop::collection::vec(0..9_u8, 0..40), 0..4),
    ) {
        let blocks: Vec<Block> = bytes.into_iter().map(|bytes| Block::from_stored(0, bytes)).collect();
        let places: Vec<Option<Document>> = (0..8).map(Some).collect();
        if let Ok(merged) = merge(vec![(blocks, places)], 1) {
            prop_assert!(merged.is_sorted_by(|before, behind| before.first_gram < behind.first_gram));
        }
    }
}

#[test]
fn message_in_two_segments_is_merged_once() {
    let blocks = build(["abc"]).unwrap();
    let input = (blocks.clone(), vec![Some(0)]);
    assert_eq!(merge(vec![input.clone(), input], 1).unwrap(), blocks);
}

#[test]
fn invalid_positions_are_rejected() {
    let blocks = build(["abc"]).unwrap();
    let refused = |places: &[Option<Document>]| merge(vec![(blocks.clone(), places.to_vec())], 1);
    assert_eq!(refused(&[]), Err(SearchError::Corrupt));
    assert_eq!(refused(&[Some(MAX_DOCUMENTS)]), Err(SearchError::TooManyDocuments));
}

#[test]
fn bytes_without_block_are_rejected() {
    let mut blocks = build(["abc"]).unwrap();
    blocks[0].bytes.truncate(3);
    assert_eq!(merge(vec![(blocks, vec![Some(0)])], 1), Err(SearchError::Corrupt));
}
