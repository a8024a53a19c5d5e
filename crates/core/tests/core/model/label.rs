use inboxd_core::model::{HidingLabels, Labels};

/// Every combination of hiding labels with its label names.
fn combinations() -> impl Iterator<Item = (HidingLabels, Vec<&'static str>)> {
    (0..32_usize).map(|bits| {
        let places: Vec<usize> = (0..5).filter(|place| bits & (1 << place) != 0).collect();
        let hidden = places.iter().fold(HidingLabels::NONE, |hidden, place| hidden.with(*place));
        (hidden, places.into_iter().map(|place| HidingLabels::LABELS[place]).collect())
    })
}

#[test]
fn message_labels_determine_hiding_labels() {
    for (hidden, labels) in combinations() {
        let carried: Labels = labels.into_iter().chain(["received", "unread"]).collect();
        assert_eq!(HidingLabels::of(&carried), hidden);
    }
    assert_eq!(HidingLabels::LABELS, ["spam", "blocked", "unauthenticated", "trash", "held"]);
}

#[test]
fn message_is_visible_when_all_hiding_labels_are_included() {
    for (message, labels) in combinations() {
        for (reader, included) in combinations() {
            let expected = labels.iter().all(|label| included.contains(label));
            assert_eq!(message.shown_to(reader), expected, "{labels:?} to {included:?}");
        }
    }
}

#[test]
fn visibility_sets_agree_with_labels() {
    for (message, _) in combinations() {
        assert_eq!(message.as_set().count_ones(), 1);
        for (reader, _) in combinations() {
            let meet = message.as_set() & reader.shown_set() != 0;
            assert_eq!(meet, message.shown_to(reader), "{message:?} to {reader:?}");
        }
    }
}

#[test]
fn combinations_fit_storage() {
    let mut bits: Vec<i16> = combinations().map(|(hidden, _)| hidden.bits()).collect();
    bits.sort_unstable();
    assert_eq!(bits, (0..32).collect::<Vec<i16>>());
    assert_eq!(HidingLabels::ALL.shown_set(), -1);
    assert_eq!(HidingLabels::NONE.shown_set(), 1);
}

#[test]
fn bit_beyond_labels_has_no_effect() {
    for place in [5, 7, 8, 64, usize::MAX] {
        assert_eq!(HidingLabels::NONE.with(place), HidingLabels::NONE, "{place}");
    }
}
