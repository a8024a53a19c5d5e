//! Word search: which messages match, and which parts are highlighted.

use inboxd_core::model::MessageItem;
use inboxd_core::rules::word_search::{Highlights, SearchedText, TermField, WordQuery};
use inboxd_core::testing::fixtures::message_item;
use proptest::prelude::*;

fn item() -> MessageItem {
    MessageItem {
        from: "Anna Müller <anna@mail.acme.example>".to_owned(),
        to: vec!["Bob <bob@x.example>".to_owned()],
        cc: vec!["carol@x.example".to_owned()],
        bcc: vec!["dave@x.example".to_owned()],
        subject: Some("Re: Invoice 2026-11".to_owned()),
        attachments: Vec::new(),
        ..message_item()
    }
}

fn matches(query: &str, text: &str) -> bool {
    let query = WordQuery::parse(query).unwrap();
    query.matches(SearchedText { item: &item(), text: Some(text), attachments: &[] })
}

#[test]
fn messages_match_by_words() {
    for (query, text, is_match) in [
        ("paid invoice", "The invoice was paid.", true),
        ("paid invoice", "The invoice is open.", false),
        ("invo", "", true),
        ("voice", "", false),
        ("voice", "no voices here", true),
        ("\"voice\"", "no voices here", false),
        ("\"voices here\"", "no Voices,\n> here", true),
        ("\"no here\"", "no voices here", false),
        ("\"invoice 2026\"", "", true),
        // A phrase ends with its part of the message.
        ("\"11 hello\"", "Hello", false),
        ("acme", "", true),
        ("anna@mail", "", true),
        ("from:müll", "", true),
        ("from:bob", "", false),
        ("to:bob", "", true),
        ("to:dave", "", true),
        ("dave", "", false),
        ("subject:invoice from:anna", "", true),
        ("subject:hello", "hello", false),
        ("hello -paid", "hello", true),
        ("hello -paid", "hello, paid", false),
        ("hello -\"paid late\"", "hello, paid", true),
        ("hello -subject:invoice", "hello", false),
        ("hello has:attachment", "hello", false),
        ("hello -has:attachment", "hello", true),
        ("ΟΔΟΣ", "στην οδός όχι, στην οδος ναι", true),
        ("οδοσ", "ΟΔΟΣ", true),
        ("οδος", "οδοστρωτήρας", true),
        ("\"οδος\"", "οδοστρωτήρας", false),
        ("straße", "STRASSE", false),
        ("ISTANBUL", "istanbul", true),
        ("i\u{307}stanbul", "İstanbul", true),
        ("月曜", "会議は月曜日です", true),
        ("\"月曜\"", "会議は月曜日です", true),
        ("สวัสดี", "ผมสวัสดีครับ", true),
        ("поне", "в понедельник", true),
        ("недельник", "в понедельник", false),
        ("काम", "यह काम है", true),
        ("\"क\"", "यह काम है", false),
        ("don't", "I don’t know", true),
        ("a", "A", true),
    ] {
        assert_eq!(matches(query, text), is_match, "{query} in {text}");
    }
}

fn highlighted(query: &str, text: &str) -> Highlights {
    WordQuery::parse(query).unwrap().highlights(SearchedText { item: &item(), text: Some(text), attachments: &[] })
}

#[test]
fn highlights_mark_words_by_part() {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let found = highlighted("invo from:anna to:dave", "Your Invoice\r\nis\u{202e} here");
    assert_eq!(
        found,
        Highlights {
            from: texts(&["**Anna** Müller <**anna**@mail.acme.example>"]),
            recipients: texts(&["**dave**@x.example"]),
            subject: texts(&["Re: **Invo**ice 2026-11"]),
            text: texts(&["Your **Invo**ice is here"]),
            attachments: Vec::new(),
        }
    );
    assert_eq!(
        highlighted("-paid \"x example\"", "paid").recipients,
        texts(&["Bob <bob@**x**.**example**>", "carol@**x**.**example**",])
    );
    let far = format!("{0} one {0}{0} two {0}{0} three {0}{0} three {0}", "filler ".repeat(20));
    let found = highlighted("one two three", &far);
    assert_eq!(found.text.len(), 3);
    assert!(
        found.text[0].starts_with("filler") && found.text[0].contains(" **one** ") && found.text[0].ends_with("filler")
    );
    assert_eq!(highlighted("on one", "one").text, texts(&["**one**"]));
}

#[test]
fn attachments_are_parts_of_their_own() {
    let attachments = ["Total 12 €,\ndue in May".to_owned(), "Packing list".to_owned()];
    let item = item();
    for (query, is_match) in [
        ("total pack invoice hello", true),
        ("\"may packing\"", false),
        ("tal", false),
        ("hello -packing", false),
        ("subject:packing", false),
    ] {
        let message = SearchedText { item: &item, text: Some("hello"), attachments: &attachments };
        let parsed = WordQuery::parse(query).unwrap();
        assert_eq!(parsed.matches(message), is_match, "{query}");
        if is_match {
            let found = parsed.highlights(message).attachments;
            assert_eq!(found, ["**Total** 12 €, due in May", "**Pack**ing list"]);
        }
    }
}

/// Compares with a list of words, for texts of spaced words alone.
fn naive(query: &[String], text: &str) -> bool {
    let words: Vec<String> = text.split([' ', ',']).map(str::to_lowercase).collect();
    query.iter().all(|wanted| words.iter().any(|word| word.starts_with(wanted)))
}

proptest! {
    #[test]
    fn matcher_agrees_with_list_of_words(
        query in prop::collection::vec("[qaé1]{1,3}", 1..4),
        text in "([QqaÉé1]{1,4}[ ,]{1,2}){0,8}",
    ) {
        let item = MessageItem { from: String::new(), to: Vec::new(), cc: Vec::new(), subject: None, ..message_item() };
        let parsed = WordQuery::parse(&query.join(" ")).unwrap();
        let message = SearchedText { item: &item, text: Some(&text), attachments: &[] };
        prop_assert_eq!(parsed.matches(message), naive(&query, &text));
        prop_assert_eq!(!parsed.highlights(message).text.is_empty() || !naive(&query, &text), true);
    }

    /// The index and the database look for the pieces alone, so a match must contain all of them.
    #[test]
    fn matching_text_contains_every_piece(
        query in "[aσςΣİi月è\u{300} -]{1,8}",
        text in "[aAσςΣİi月è\u{300}., ]{0,24}|.{0,40}",
    ) {
        let Ok(parsed) = WordQuery::parse(&query) else { return Ok(()) };
        let item = MessageItem { from: String::new(), to: Vec::new(), cc: Vec::new(), subject: None, ..message_item() };
        let message = SearchedText { item: &item, text: Some(&text), attachments: &[] };
        if parsed.matches(message) {
            let lower = text.to_lowercase();
            prop_assert!(parsed.pieces(TermField::Any).all(|piece| lower.contains(piece)));
        }
    }

    #[test]
    fn highlights_of_any_text_are_bounded(query in "[-a:\" b月]{0,20}", text in "[ab月\u{202e}\n *]{0,400}|.{0,200}") {
        let Ok(parsed) = WordQuery::parse(&query) else { return Ok(()) };
        let item = item();
        let found = parsed.highlights(SearchedText { item: &item, text: Some(&text), attachments: &[] });
        for fragments in [&found.from, &found.recipients, &found.subject, &found.text] {
            prop_assert!(fragments.len() <= 3);
            for fragment in fragments {
                let is_clean = !fragment.contains(['\n', '\u{202e}']);
                prop_assert!(fragment.contains("**") && is_clean);
                prop_assert!(fragment.chars().count() < 1_000);
            }
        }
    }
}
