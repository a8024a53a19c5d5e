//! Names of machines in a sentence.

use std::ops::Range;

use super::super::concept::Concept;
use super::Hit;

/// Maximum number of names of machines in a sentence.
const MAX_MACHINES: usize = 16;
/// Maximum number of bytes between the two words of a name: the ending of the first one and a space.
const MAX_PAIR_GAP_BYTES: usize = 32;

/// Returns the first words for machines, those of two words too: "automatic reader".
pub(super) fn machines(text: &str, here: &[Hit]) -> Vec<Range<usize>> {
    let of = |sought: &'static [Concept]| here.iter().filter(move |hit| sought.contains(&hit.meaning));
    let words = of(&[Concept::Machine]).map(|hit| hit.start..hit.end);
    let pairs = of(&[Concept::Artificial]).flat_map(|quality| {
        of(&[Concept::Assistant, Concept::Program]).filter_map(move |thing| pair(text, quality, thing))
    });
    words.chain(pairs).take(MAX_MACHINES).collect()
}

/// Returns the place of a name of two words, which stand side by side in any order. One may be part of the other.
fn pair(text: &str, quality: &Hit, thing: &Hit) -> Option<Range<usize>> {
    let gap = quality.start.max(thing.start).saturating_sub(quality.end.min(thing.end));
    if gap > MAX_PAIR_GAP_BYTES {
        return None;
    }
    let place = quality.start.min(thing.start)..quality.end.max(thing.end);
    let words = text.get(place.clone())?;
    let has_gap = words.split([' ', '-']).count() == 2;
    // Scripts without spaces join both words.
    (has_gap || !words.is_ascii() && !words.contains(' ')).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::super::super::LEXICON;
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        machines(text, &LEXICON.hits(text)).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn words_side_by_side_are_one_name() {
        for (text, name) in [
            ("to the automated reader", "automated reader"),
            ("an den automatischen postassistenten", "automatischen postassistent"),
            ("pour le lecteur automatique", "lecteur automatique"),
            ("автоматическому читателю", "автоматическому читател"),
            ("自动程序：", "自动程序"),
            ("システムの自動", "システムの自動"),
            ("智能体，", "智能体"),
        ] {
            assert!(names(text).contains(&name), "{text}: {:?}", names(text));
        }
        for text in ["システムで処理し、担当者の承認なしに自動", "automatic mail for the reader"] {
            assert!(!names(text).contains(&text), "{text}");
        }
    }

    #[test]
    fn names_of_a_sentence_are_bounded() {
        assert_eq!(names(&"自动程序".repeat(33)).len(), MAX_MACHINES);
    }
}
