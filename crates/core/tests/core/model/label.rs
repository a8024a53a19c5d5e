use inboxd_core::model::{Hidden, Labels};

/// Every combination of hiding labels with its labels.
fn combinations() -> impl Iterator<Item = (Hidden, Vec<&'static str>)> {
    (0..16_usize).map(|bits| {
        let places: Vec<usize> = (0..4).filter(|place| bits & (1 << place) != 0).collect();
        let hidden = places.iter().fold(Hidden::NONE, |hidden, place| hidden.with(*place));
        (hidden, places.into_iter().map(|place| Hidden::LABELS[place]).collect())
    })
}

#[test]
fn a_messages_labels_say_what_hides_it() {
    for (hidden, labels) in combinations() {
        let carried: Labels = labels.into_iter().chain(["received", "unread"]).collect();
        assert_eq!(Hidden::of(&carried), hidden);
    }
    assert_eq!(Hidden::LABELS, ["spam", "blocked", "unauthenticated", "trash"]);
}

#[test]
fn a_message_is_shown_to_those_who_include_all_that_hides_it() {
    for (message, labels) in combinations() {
        for (reader, included) in combinations() {
            let expected = labels.iter().all(|label| included.contains(label));
            assert_eq!(message.shown_to(reader), expected, "{labels:?} to {included:?}");
        }
    }
}

#[test]
fn the_sets_agree_with_the_labels_for_every_message_and_reader() {
    for (message, _) in combinations() {
        assert_eq!(message.as_set().count_ones(), 1);
        for (reader, _) in combinations() {
            let meet = message.as_set() & reader.shown_set() != 0;
            assert_eq!(meet, message.shown_to(reader), "{message:?} to {reader:?}");
        }
    }
}

#[test]
fn sixteen_combinations_fit_storage() {
    let mut bits: Vec<i16> = combinations().map(|(hidden, _)| hidden.bits()).collect();
    bits.sort_unstable();
    assert_eq!(bits, (0..16).collect::<Vec<i16>>());
    assert_eq!(Hidden::ALL.shown_set(), 0xffff);
    assert_eq!(Hidden::NONE.shown_set(), 1);
}

#[test]
fn a_place_beyond_the_labels_adds_nothing() {
    for place in [4, 7, 8, 64, usize::MAX] {
        assert_eq!(Hidden::NONE.with(place), Hidden::NONE, "{place}");
    }
}
