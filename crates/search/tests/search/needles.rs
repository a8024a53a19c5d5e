//! Ranges of several needles.

use inboxd_search::{Document, NeedleRanges, build, required_ranges};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::{probe, texts};

proptest! {
    #[test]
    fn texts_with_all_needles_are_never_missed(
        texts in texts(),
        chosen in any::<Index>(),
        cuts in prop::collection::vec((any::<Index>(), 1..12_usize), 1..4),
        limit in 1..9_usize,
    ) {
        let text: Vec<char> = chosen.get(&texts).chars().collect();
        prop_assume!(!text.is_empty());
        let cut = |(from, length): &(Index, usize)| text[from.index(text.len())..].iter().take(*length).collect::<String>();
        let needles: Vec<String> = cuts.iter().map(cut).collect();
        let blocks = build(texts.iter().map(String::as_str)).unwrap();
        let ranges = NeedleRanges::of(needles.iter().map(String::as_str), limit);
        prop_assert!(ranges.leading.len() + ranges.further.len() <= limit);
        let mut found = probe(&blocks, texts.len(), &ranges.leading);
        if !ranges.further.is_empty() {
            found.intersect(&probe(&blocks, texts.len(), &ranges.further));
        }
        let found: Vec<Document> = found.newest_first().collect();
        for (place, text) in texts.iter().enumerate() {
            let is_holder = needles.iter().all(|needle| text.contains(needle.as_str()));
            prop_assert!(!is_holder || found.contains(&Document::try_from(place).unwrap()), "{needles:?} are in {text:?}");
        }
    }
}

#[test]
fn ranges_of_longest_needle_lead() {
    let (sender, paid) = (required_ranges("sender"), required_ranges("paid"));
    let ranges = NeedleRanges::of(["sender", "xylophonist", "paid"], 8);
    assert_eq!(ranges.leading, required_ranges("xylophonist"));
    assert_eq!(ranges.further, [sender[0], paid[0], sender[1], sender[2]]);
    assert_eq!(NeedleRanges::of(["sender", "xylophonist", "paid"], 6).further, [sender[0], paid[0]]);
}

#[test]
fn narrow_ranges_precede_wide_ones() {
    let ranges = NeedleRanges::of(["ab", "invoice", "sender"], 8);
    assert_eq!(ranges.leading, required_ranges("invoice"));
    assert_eq!(ranges.further, [required_ranges("sender"), required_ranges("ab")].concat());
}

#[test]
fn repeated_and_empty_needles_add_no_ranges() {
    let ranges = NeedleRanges::of(["", "sender", "end", "sender"], 8);
    assert_eq!((ranges.leading, ranges.further), (required_ranges("sender"), required_ranges("end")));
    assert_eq!(NeedleRanges::of([""], 8), NeedleRanges { leading: vec![], further: vec![] });
}
