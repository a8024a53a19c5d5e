//! One segment of several.

use inboxd_search::{Block, Document, Input, MOST_DOCUMENTS, SearchError, build, merge};
use proptest::prelude::*;

use crate::support::texts;

fn built(texts: &[String]) -> Vec<Block> {
    build(texts.iter().map(String::as_str)).unwrap()
}

/// Which messages of one segment stay, by two numbers that decide where they go among those of others.
fn segment() -> impl Strategy<Value = Vec<(String, Option<u32>)>> {
    texts().prop_flat_map(|texts| {
        let count = texts.len();
        (Just(texts), prop::collection::vec(prop::option::weighted(0.8, any::<u32>()), count))
            .prop_map(|(texts, stays)| texts.into_iter().zip(stays).collect())
    })
}

proptest! {
    #[test]
    fn merging_makes_what_building_makes_of_the_messages_that_stay(segments in prop::collection::vec(segment(), 0..5)) {
        // The order of the merged segment is that of the numbers, whichever segment a message came from.
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
        let inputs: Vec<Input<'_>> =
            blocks.iter().zip(&places).map(|(blocks, places)| Input { blocks, places }).collect();
        prop_assert_eq!(merge(&inputs).unwrap(), built(&whole));
    }

    #[test]
    fn octets_of_any_kind_are_refused_or_merged(
        octets in prop::collection::vec(prop::collection::vec(0..9_u8, 0..40), 0..4),
    ) {
        let blocks: Vec<Block> = octets.into_iter().map(|octets| Block::stored(0, octets)).collect();
        let places: Vec<Option<Document>> = (0..8).map(Some).collect();
        if let Ok(merged) = merge(&[Input { blocks: &blocks, places: &places }]) {
            prop_assert!(merged.is_sorted_by(|before, behind| before.first_gram < behind.first_gram));
        }
    }
}

#[test]
fn a_message_that_is_in_two_segments_becomes_one() {
    let blocks = build(["abc"]).unwrap();
    let input = Input { blocks: &blocks, places: &[Some(0)] };
    assert_eq!(merge(&[input, input]).unwrap(), blocks);
}

#[test]
fn places_that_no_segment_has_are_refused() {
    let blocks = build(["abc"]).unwrap();
    let refused = |places: &[Option<Document>]| merge(&[Input { blocks: &blocks, places }]);
    assert_eq!(refused(&[]), Err(SearchError::Corrupt));
    assert_eq!(refused(&[Some(MOST_DOCUMENTS)]), Err(SearchError::TooManyDocuments));
}

#[test]
fn octets_that_are_no_block_are_refused() {
    let mut blocks = build(["abc"]).unwrap();
    blocks[0].octets.truncate(3);
    assert_eq!(merge(&[Input { blocks: &blocks, places: &[Some(0)] }]), Err(SearchError::Corrupt));
}
