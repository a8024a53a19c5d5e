//! Phrases with meanings, found in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

/// Lists of folded phrases, each with the meaning of all its phrases as a bit.
pub(crate) struct PhraseTable {
    /// `None` cannot occur, because the phrases are few.
    index: Option<AhoCorasick>,
    meanings: Vec<u16>,
}

impl PhraseTable {
    pub(crate) fn new(lists: &[(&[&str], u16)]) -> Self {
        let phrases = lists.iter().flat_map(|(list, _)| *list);
        let mut builder = AhoCorasickBuilder::new();
        builder.match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::ContiguousNFA));
        let meanings = lists.iter().flat_map(|(list, meaning)| list.iter().map(|_| *meaning)).collect();
        Self { index: builder.build(phrases).ok(), meanings }
    }

    /// Returns the start and the meaning of each phrase in folded words. Phrases may overlap.
    pub(crate) fn phrases(&self, folded: &str) -> impl Iterator<Item = (usize, u16)> {
        let found = self.index.iter().flat_map(move |index| index.find_overlapping_iter(folded));
        found.filter_map(|found| Some((found.start(), *self.meanings.get(found.pattern().as_usize())?)))
    }

    /// Returns the meanings of all phrases in folded words.
    pub(crate) fn meanings(&self, folded: &str) -> u16 {
        self.phrases(folded).fold(0, |all, (_, meaning)| all | meaning)
    }
}
