//! Results of probes.

use inboxd_search::{
    Block, Document, MAX_BLOCK_BYTES, MAX_DOCUMENTS, SearchError, SegmentProbe, build, required_ranges,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::{candidates, holders, text, texts};

fn built(texts: &[String]) -> Vec<Block> {
    build(texts.iter().map(String::as_str)).unwrap()
}

proptest! {
    #[test]
    fn texts_with_needle_are_never_missed(
        texts in texts(), chosen in any::<Index>(), from in any::<Index>(), length in 1..30_usize,
    ) {
        let text: Vec<char> = chosen.get(&texts).chars().collect();
        prop_assume!(!text.is_empty());
        let needle: String = text[from.index(text.len())..].iter().take(length).collect();
        let found = candidates(&built(&texts), texts.len(), &needle);
        for holder in holders(&texts, &needle) {
            prop_assert!(found.contains(&holder), "{needle:?} is in {:?}", texts[usize::from(holder)]);
        }
    }

    #[test]
    fn needles_up_to_three_ascii_characters_are_exact(
        texts in prop::collection::vec("[a-e .,\n]{0,40}", 1..60), needle in "[a-e .,\n]{1,3}",
    ) {
        prop_assert_eq!(candidates(&built(&texts), texts.len(), &needle), holders(&texts, &needle));
    }

    #[test]
    fn candidates_are_newest_first(texts in texts(), needle in text()) {
        let found = candidates(&built(&texts), texts.len(), &needle);
        prop_assert!(found.is_sorted_by(|newer, older| newer > older));
    }

    #[test]
    fn blocks_are_sorted_and_bounded(texts in texts()) {
        let blocks = built(&texts);
        prop_assert!(blocks.is_sorted_by(|before, behind| before.first_gram < behind.first_gram));
        prop_assert!(blocks.iter().all(|block| block.bytes.len() <= MAX_BLOCK_BYTES));
    }

    #[test]
    fn arbitrary_bytes_are_rejected_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200), count in 0..500_u16) {
        let ranges = required_ranges("a");
        let mut probe = SegmentProbe::new(&ranges, count);
        if probe.read_block(0, &bytes).is_ok() {
            prop_assert!(probe.candidates().newest_first().all(|document| document < count.next_multiple_of(64)));
        }
    }
}

#[test]
fn long_needle_excludes_similar_texts() {
    let texts = ["the invoice of november is paid", "the invoice of december is paid", "nothing"].map(str::to_owned);
    let table: [(&str, &[Document]); 8] = [
        ("invoice of november", &[0]),
        ("november is paid", &[0]),
        ("invoice", &[1, 0]),
        ("mber is", &[1, 0]),
        ("z", &[]),
        ("nothing", &[2]),
        ("g", &[2]),
        ("d", &[1, 0]),
    ];
    for (needle, found) in table {
        assert_eq!(candidates(&built(&texts), texts.len(), needle), found, "{needle:?}");
    }
}

#[test]
fn words_of_other_scripts_exclude_each_other() {
    let texts = ["встреча в понедельник", "встретимся во вторник", "会議は月曜日です", "会議は火曜日です", "מחר בבוקר"]
        .map(str::to_owned);
    for (needle, found) in [("понед", 0), ("вторн", 1), ("月曜", 2), ("火", 3), ("בוקר", 4)] {
        assert_eq!(candidates(&built(&texts), texts.len(), needle), [found], "{needle:?}");
    }
}

#[test]
fn empty_needle_has_no_ranges() {
    assert!(required_ranges("").is_empty());
}

#[test]
fn segment_beyond_maximum_is_rejected() {
    let texts = vec!["abc"; usize::from(MAX_DOCUMENTS)];
    let blocks = build(texts.iter().copied()).unwrap();
    assert_eq!(candidates(&blocks, texts.len(), "abc").len(), texts.len());
    assert_eq!(build(texts.into_iter().chain(["one more"])), Err(SearchError::TooManyDocuments));
}

#[test]
fn longest_posting_list_fits_a_block() {
    let texts: Vec<&str> = ["ab", "xy"].into_iter().cycle().take(usize::from(MAX_DOCUMENTS)).collect();
    let blocks = build(texts).unwrap();
    assert!(blocks.iter().all(|block| block.bytes.len() <= MAX_BLOCK_BYTES));
    let found = candidates(&blocks, usize::from(MAX_DOCUMENTS), "ab");
    assert!(found.iter().eq((0..MAX_DOCUMENTS).rev().filter(|place| place % 2 == 0).collect::<Vec<_>>().iter()));
}

#[test]
fn list_of_most_messages_begins_anywhere_within_segment() {
    for first in [0_u16, 7, 8, 63, 64, 100] {
        let blocks = build((0..300_u16).map(|place| if place < first { "efgh" } else { "abcd" })).unwrap();
        assert!(candidates(&blocks, 300, "abcd").into_iter().rev().eq(first..300), "{first}");
        let mut probe = SegmentProbe::new(&required_ranges("abcd"), 256);
        assert_eq!(probe.read_block(0, &blocks[0].bytes), Err(SearchError::Corrupt), "{first}");
    }
}

#[test]
fn unknown_range_is_rejected() {
    let blocks = build(["abc"]).unwrap();
    assert_eq!(
        SegmentProbe::new(&required_ranges("abc"), 1).read_block(1, &blocks[0].bytes),
        Err(SearchError::Corrupt)
    );
}

#[test]
fn assumed_range_excludes_nothing() {
    for count in [1, 63, 64, 65, 128] {
        let texts: Vec<String> = (0..count).map(|place| if place == 0 { "abcd" } else { "efgh" }.to_owned()).collect();
        let blocks = built(&texts);
        let ranges = required_ranges("abcde");
        let mut probe = SegmentProbe::new(&ranges, count);
        probe.assume_all(1);
        assert_eq!(probe.clone().candidates().count(), 0);
        probe.assume_all(0);
        assert!(probe.candidates().newest_first().eq((0..count).rev()), "{count}");
        let mut probe = SegmentProbe::new(&ranges, count);
        probe.assume_all(1);
        for block in &blocks {
            probe.read_block(0, &block.bytes).unwrap();
        }
        assert!(probe.candidates().newest_first().eq([0]), "{count}");
    }
}
