use inboxd_core::model::Labels;
use inboxd_core::rules::labels::{LabelChange, MAX_LABEL_CHARS, SYSTEM_LABELS, for_sent_message, normalize};
use inboxd_core::{Error, FieldErrorKind};
use proptest::prelude::*;

fn owned(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|label| (*label).to_owned()).collect()
}

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("label-{number}")).collect()
}

fn paths(error: Error) -> Vec<String> {
    match error {
        Error::Invalid(fields) => fields.into_iter().map(|field| field.path).collect(),
        other => panic!("not a validation error: {other:?}"),
    }
}

#[test]
fn labels_are_trimmed_and_lower_cased() {
    let longest = "ü".repeat(MAX_LABEL_CHARS);
    for (given, stored) in
        [("Urgent", "urgent"), ("  two words\t", "two words"), ("ÄRGER", "ärger"), ("a/b:c#1", "a/b:c#1")]
    {
        assert_eq!(normalize(given), Ok(stored.to_owned()), "{given:?}");
    }
    assert_eq!(normalize(&longest), Ok(longest.clone()));
}

#[test]
fn empty_long_and_separator_labels_are_refused() {
    let too_long = "ü".repeat(MAX_LABEL_CHARS + 1);
    for bad in ["", "  ", "a,b", "a\"b", "a'b", "[a", "a]", "a\nb", "a\0b", "a\u{7f}b", too_long.as_str()] {
        assert!(normalize(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn invalid_labels_are_all_named() {
    let refused = LabelChange::checked(&owned(&["good", "a,b", ""]), &owned(&["[x]", "good"])).unwrap_err();
    assert_eq!(paths(refused), ["add_labels[1]", "add_labels[2]", "remove_labels[0]", "remove_labels"]);
}

#[test]
fn system_labels_are_reserved() {
    for label in SYSTEM_LABELS {
        let shouted = vec!["a,b".to_owned(), format!(" {} ", label.to_uppercase())];
        for (field, refused) in [
            ("add_labels", LabelChange::validate(&shouted, &[])),
            ("remove_labels", LabelChange::validate(&[], &shouted)),
            ("labels", for_sent_message(&shouted).unwrap_err()),
        ] {
            let named: Vec<_> = refused.iter().map(|problem| (problem.path.clone(), problem.mistake)).collect();
            let expected = [(0, FieldErrorKind::Unusable), (1, FieldErrorKind::SystemLabel)];
            assert_eq!(named, expected.map(|(place, mistake)| (format!("{field}[{place}]"), mistake)), "{label}");
            assert!(refused[1].message.contains(label), "{label}");
        }
    }
    assert!(LabelChange::checked(&owned(&["trash"]), &owned(&["unread"])).is_ok());
}

#[test]
fn label_change_adds_and_removes() {
    let before: Labels = ["received", "unread", "old"].into_iter().collect();
    let change = LabelChange::checked(&owned(&["New", "new", "unread"]), &owned(&["OLD", "never there"])).unwrap();
    assert_eq!(change.apply(&before).unwrap().to_vec(), ["new", "received", "unread"]);
    assert_eq!(LabelChange::default().apply(&before).unwrap(), before);
}

#[test]
fn message_has_limited_number_of_labels() {
    let one_free: Labels = many(Labels::MAX_LABELS - 1).into_iter().collect();
    let full = LabelChange::checked(&owned(&["last"]), &[]).unwrap().apply(&one_free).unwrap();
    assert_eq!(full.len(), Labels::MAX_LABELS);
    let one_more = LabelChange::checked(&owned(&["too much"]), &[]).unwrap();
    assert_eq!(paths(one_more.apply(&full).unwrap_err()), ["add_labels"]);
    let in_exchange = LabelChange::checked(&owned(&["too much"]), &owned(&["last"])).unwrap();
    assert_eq!(in_exchange.apply(&full).unwrap().len(), Labels::MAX_LABELS);
}

#[test]
fn request_has_limited_number_of_labels() {
    assert!(LabelChange::checked(&many(Labels::MAX_LABELS), &[]).is_ok());
    assert_eq!(paths(LabelChange::checked(&many(Labels::MAX_LABELS + 1), &[]).unwrap_err()), ["add_labels"]);
    assert_eq!(paths(LabelChange::checked(&[], &many(1_000_000)).unwrap_err()), ["remove_labels"]);
}

#[test]
fn sent_mail_has_label_sent() {
    assert_eq!(for_sent_message(&owned(&["Offer", "offer"])).unwrap().to_vec(), ["offer", "sent"]);
    assert_eq!(for_sent_message(&many(Labels::MAX_LABELS - 1)).unwrap().len(), Labels::MAX_LABELS);
    assert_eq!(paths(for_sent_message(&many(Labels::MAX_LABELS)).unwrap_err().into()), ["labels"]);
    assert_eq!(paths(for_sent_message(&owned(&["ok", "a,b"])).unwrap_err().into()), ["labels[1]"]);
}

proptest! {
    #[test]
    fn stored_label_is_unchanged_by_normalization(text in ".{0,70}") {
        if let Ok(stored) = normalize(&text) {
            prop_assert!((1..=MAX_LABEL_CHARS).contains(&stored.chars().count()));
            prop_assert_eq!(normalize(&stored), Ok(stored.clone()));
        }
    }
}
