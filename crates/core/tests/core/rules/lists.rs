use std::collections::BTreeSet;

use inboxd_core::model::{EntryName, EntryType, ListDirection, ListExcerpt, ListKey, ListLevel, ListType};
use inboxd_core::rules::lists::{
    ListRefusal, ListSubject, MAX_SENDERS, MessageSenders, MessageStanding, Screening, parse_entry,
    require_allowed_recipients, screen, validate_reason,
};
use inboxd_core::testing::fixtures::{self, address, id};
use inboxd_mail::parse;
use proptest::prelude::*;

use ListDirection::{Receive, Reply, Send};
use ListType::{Allow, Block};

fn levels() -> [ListLevel; 3] {
    ListLevel::reaching(id(2), &fixtures::inbox().inbox_id)
}

/// The list of a level with all its entries; level 0 is the organization.
fn list(level: usize, direction: ListDirection, list_type: ListType, entries: &[&str]) -> ListExcerpt {
    let list = ListKey { organization_id: id(1), level: levels()[level].clone(), direction, list_type };
    let entries = entries.iter().map(|&entry| entry.to_owned()).collect();
    ListExcerpt { list, entries, authenticated: BTreeSet::new() }
}

/// Result for a recipient: `ok`, the blocking entry with its level, or the level with an allow list that lacks it.
fn sent_to(recipient: &str, lists: &[ListExcerpt]) -> String {
    let level = |key: &ListKey| levels().iter().position(|level| *level == key.level).unwrap();
    match require_allowed_recipients(lists, &levels(), &[address(recipient)]).map_err(|refused| refused.why) {
        Ok(()) => "ok".to_owned(),
        Err(ListRefusal::Blocked { list, entry }) => format!("blocked {} {}", level(&list), entry.as_str()),
        Err(ListRefusal::NotAllowed { list }) => format!("not allowed {}", level(&list)),
    }
}

#[test]
fn address_overrides_domain_then_block_overrides_allow_within_level() {
    let table: &[(&[&str], &[&str], &str)] = &[
        (&[], &[], "ok"),
        (&[], &["anna@example.org"], "blocked 0 anna@example.org"),
        (&[], &["example.org"], "blocked 0 example.org"),
        (&[], &["mail.example.org"], "ok"),
        (&[], &["other.example"], "ok"),
        (&["anna@example.org"], &[], "ok"),
        (&["example.org"], &[], "ok"),
        (&["ben@example.org"], &[], "not allowed 0"),
        (&["anna@example.org"], &["example.org"], "ok"),
        (&["example.org"], &["anna@example.org"], "blocked 0 anna@example.org"),
        (&["anna@example.org"], &["anna@example.org"], "blocked 0 anna@example.org"),
        (&["example.org"], &["example.org"], "blocked 0 example.org"),
        (&["ben@example.org"], &["example.org"], "blocked 0 example.org"),
        (&["example.org"], &["org"], "blocked 0 org"),
    ];
    for (allowed, blocked, expected) in table {
        let mut lists = Vec::new();
        lists.extend((!allowed.is_empty()).then(|| list(0, Send, Allow, allowed)));
        lists.extend((!blocked.is_empty()).then(|| list(0, Send, Block, blocked)));
        assert_eq!(sent_to("Anna@EXAMPLE.org", &lists), *expected, "{allowed:?} {blocked:?}");
    }
}

#[test]
fn domain_entry_covers_domain_and_subdomains() {
    for (recipient, expected) in [
        ("a@example.org", "blocked 0 example.org"),
        ("a@mail.Example.org", "blocked 0 example.org"),
        ("a@x.y.z.example.org", "blocked 0 example.org"),
        ("a@notexample.org", "ok"),
        ("a@example.org.evil.net", "ok"),
        ("a@org", "ok"),
    ] {
        assert_eq!(sent_to(recipient, &[list(0, Send, Block, &["example.org"])]), expected, "{recipient}");
    }
}

#[test]
fn recipient_must_pass_every_applicable_level() {
    let anna: &[&str] = &["anna@example.org"];
    for level in 0..3 {
        assert_eq!(sent_to(anna[0], &[list(level, Send, Block, anna)]), format!("blocked {level} anna@example.org"));
        assert_eq!(sent_to("ben@example.org", &[list(level, Send, Allow, anna)]), format!("not allowed {level}"));
        // A recipient allowed by one level can be refused by another.
        for other in (0..3).filter(|other| *other != level) {
            let lists = [list(level, Send, Allow, anna), list(other, Send, Block, &["example.org"])];
            assert_eq!(sent_to(anna[0], &lists), format!("blocked {other} example.org"));
            let lists = [list(level, Send, Allow, anna), list(other, Send, Allow, &["ben@example.org"])];
            assert_eq!(sent_to(anna[0], &lists), format!("not allowed {other}"));
        }
    }
    let all: Vec<_> = (0..3).map(|level| list(level, Send, Allow, anna)).collect();
    assert_eq!(sent_to(anna[0], &all), "ok");
}

#[test]
fn list_of_other_level_or_direction_is_ignored() {
    let mut elsewhere = list(2, Send, Block, &["anna@example.org"]);
    elsewhere.list.level = ListLevel::Pod(id(77));
    let lists = [elsewhere, list(0, Receive, Block, &["example.org"]), list(0, Reply, Allow, &["x.example"])];
    assert_eq!(sent_to("anna@example.org", &lists), "ok");
}

#[test]
fn blocked_precedes_not_allowed() {
    let lists = [list(0, Send, Allow, &["carl@example.org"]), list(1, Send, Block, &["ben@example.org"])];
    let recipients = ["anna@example.org", "carl@example.org", "ben@example.org"].map(address);
    let refused = require_allowed_recipients(&lists, &levels(), &recipients).unwrap_err();
    assert_eq!(refused.recipient, "ben@example.org");
    let refused = require_allowed_recipients(&lists, &levels(), &recipients[..2]).unwrap_err();
    assert_eq!(refused.recipient, "anna@example.org");
}

#[test]
fn entries_have_canonical_form() {
    for (text, expected) in [
        ("Anna@Example.ORG", Some("anna@example.org")),
        (" anna@example.org ", Some("anna@example.org")),
        ("\"anna\"@example.org", Some("anna@example.org")),
        ("\"an na\"@example.org", Some("\"an na\"@example.org")),
        ("a+b%c/d@example.org", Some("a+b%c/d@example.org")),
        ("Example.ORG", Some("example.org")),
        ("bücher.example", Some("xn--bcher-kva.example")),
        ("anna@Bücher.example", Some("anna@xn--bcher-kva.example")),
        ("org", Some("org")),
        ("a.b.c.d.e.f.g.h.i.example", Some("a.b.c.d.e.f.g.h.i.example")),
        ("a.b.c.d.e.f.g.h.i.j.example", None),
        ("", None),
        ("@example.org", None),
        ("*.example.org", None),
        ("Anna <anna@example.org>", None),
        ("anna@", None),
        ("a b", None),
        ("[192.0.2.1]", None),
        ("http://example.org/", None),
        ("anna@example.org\0", None),
    ] {
        assert_eq!(parse_entry(text).ok().as_ref().map(EntryName::as_str), expected, "{text:?}");
    }
    assert_eq!(parse_entry("a@b.c").unwrap().entry_type(), EntryType::Email);
    assert_eq!(parse_entry("b.c").unwrap().entry_type(), EntryType::Domain);
}

#[test]
fn reasons_are_bounded() {
    assert_eq!(validate_reason(&"ä".repeat(1000)), Ok(()));
    assert!(validate_reason(&"a".repeat(1001)).is_err() && validate_reason("a\0").is_err());
}

/// Returns whether the lists block a message without authentication.
fn is_blocked(lists: &[ListExcerpt], levels: &[ListLevel], senders: &MessageSenders, is_answer: bool) -> bool {
    screen(lists, levels, senders, MessageStanding { is_answer, is_authenticated: false }) != Screening::Passed
}

fn senders(header: &str, envelope: &str) -> MessageSenders {
    let envelope = Some(envelope).filter(|text| !text.is_empty()).map(address);
    MessageSenders::of(&parse(format!("{header}\r\n\r\nx\r\n").as_bytes()), envelope.as_ref())
}

#[test]
fn receive_block_applies_to_all_sender_forms() {
    let lists = [list(0, Receive, Block, &["evil.example", "eve@mail.example", "xn--bcher-kva.example"])];
    for (header, envelope, expected) in [
        ("From: Eve <x@evil.example>", "bounce@good.example", true),
        ("From: good@good.example", "x@evil.example", true),
        ("From: good@good.example\r\nSender: x@evil.example", "good@good.example", true),
        ("From: a@good.example, Eve <eve@mail.example>", "a@good.example", true),
        ("From: a@good.example\r\nFrom: eve@mail.example", "a@good.example", true),
        ("From: EVE@MAIL.EXAMPLE", "", true),
        ("From: \"eve\"@mail.example", "", true),
        ("From: eve@mail.example.", "", true),
        ("From: <x@sub.evil.example>", "", true),
        ("From: x@b\u{fc}cher.example", "", true),
        ("From: x@xn--bcher-kva.example", "", true),
        ("Subject: nobody", "x@evil.example", true),
        ("From: \"x@evil.example\" <good@good.example>", "good@good.example", false),
        ("From: adam@mail.example", "adam@mail.example", false),
        ("Subject: nobody", "", false),
    ] {
        assert_eq!(is_blocked(&lists, &levels(), &senders(header, envelope), false), expected, "{header}");
    }
}

#[test]
fn blocked_sender_is_found_among_too_many() {
    let from: Vec<String> = (0..=MAX_SENDERS).map(|number| format!("n{number}@good.example")).collect();
    let crowd = senders(&format!("From: {}", from.join(", ")), "");
    assert!(is_blocked(&[list(0, Receive, Block, &["evil.example"])], &levels(), &crowd, false));
    assert!(!is_blocked(&[], &levels(), &crowd, false));
    let few = senders(&format!("From: {}", from[1..].join(", ")), "");
    assert!(!is_blocked(&[list(0, Receive, Block, &["evil.example"])], &levels(), &few, false));
    assert!(few.names().len() <= 2 * MAX_SENDERS);
}

#[test]
fn receive_allow_list_checks_authors_not_carriers() {
    let lists = [list(0, Receive, Allow, &["good.example"])];
    for (header, envelope, is_kept) in [
        ("From: a@good.example", "bounce@carrier.example", false),
        ("From: a@good.example\r\nSender: list@carrier.example", "", false),
        ("From: a@other.example", "a@good.example", true),
        ("From: a@good.example, b@other.example", "a@good.example", true),
        ("Subject: nobody", "a@good.example", false),
        ("Subject: nobody", "a@other.example", true),
        ("Subject: nobody", "", true),
        ("From: nonsense", "", true),
    ] {
        assert_eq!(is_blocked(&lists, &levels(), &senders(header, envelope), false), is_kept, "{header} {envelope}");
    }
}

#[test]
fn reply_to_own_mail_is_checked_by_reply_instead_of_receive_allow() {
    let bob: &[&str] = &["bob@example.org"];
    let ann: &[&str] = &["ann@example.org"];
    // The lists, whether new mail of bob is blocked, and whether a reply of his is.
    let table = [
        (vec![], false, false),
        (vec![list(0, Receive, Allow, ann)], true, false),
        (vec![list(0, Receive, Block, bob)], true, true),
        (vec![list(0, Reply, Block, bob)], false, true),
        (vec![list(0, Reply, Allow, ann)], false, true),
        (vec![list(0, Reply, Allow, bob)], false, false),
        (vec![list(0, Receive, Allow, ann), list(0, Reply, Allow, bob)], true, false),
        (vec![list(0, Receive, Allow, bob), list(0, Reply, Allow, ann)], false, true),
        (vec![list(0, Receive, Block, bob), list(0, Reply, Allow, bob)], true, true),
        (vec![list(1, Receive, Block, &["example.org"]), list(0, Reply, Allow, bob)], true, true),
        (vec![list(2, Reply, Block, &["example.org"])], false, true),
    ];
    let sender = senders("From: bob@example.org", "bob@example.org");
    for (lists, fresh, answer) in table {
        assert_eq!(is_blocked(&lists, &levels(), &sender, false), fresh, "{lists:?}");
        assert_eq!(is_blocked(&lists, &levels(), &sender, true), answer, "{lists:?}");
    }
}

#[test]
fn entry_that_requires_authentication_admits_proved_mail_only() {
    use Screening::{Blocked, Passed, Unproved};
    let strict = |direction, entries| {
        let list = list(0, direction, Allow, entries);
        ListExcerpt { authenticated: list.entries.clone(), ..list }
    };
    let anna: &[&str] = &["anna@example.org"];
    let domain: &[&str] = &["example.org"];
    // The lists, and the results for mail of anna with and without authentication.
    for (lists, proved, unproved) in [
        (vec![strict(Receive, anna)], Passed, Unproved),
        (vec![strict(Receive, domain)], Passed, Unproved),
        (vec![strict(Receive, &["other.example"])], Blocked, Blocked),
        (vec![strict(Receive, anna), list(0, Receive, Block, anna)], Blocked, Blocked),
        // An address that counts as not listed leaves the decision to the entry of its domain.
        (vec![strict(Receive, anna), list(0, Receive, Block, domain)], Passed, Unproved),
        (vec![strict(Receive, anna), list(1, Receive, Allow, anna)], Passed, Unproved),
        (vec![strict(Receive, anna), list(1, Receive, Allow, &["other.example"])], Blocked, Blocked),
        (vec![list(0, Receive, Allow, anna)], Passed, Passed),
        (vec![strict(Reply, anna)], Passed, Passed),
    ] {
        let sender = senders("From: anna@example.org", "bounce@carrier.example");
        let of = |is_authenticated| {
            screen(&lists, &levels(), &sender, MessageStanding { is_answer: false, is_authenticated })
        };
        assert_eq!((of(true), of(false)), (proved, unproved), "{lists:?}");
    }
    let sender = senders("From: anna@example.org", "");
    let answer = MessageStanding { is_answer: true, is_authenticated: false };
    assert_eq!(screen(&[strict(Reply, anna)], &levels(), &sender, answer), Unproved);
    let mut mixed = strict(Receive, anna);
    mixed.entries.insert("example.org".to_owned());
    let fresh = MessageStanding { is_answer: false, is_authenticated: false };
    assert_eq!(screen(&[mixed], &levels(), &sender, fresh), Passed, "the entry of the domain asks for nothing");
}

const NAMES: [&str; 6] = ["a@x.example", "b@x.example", "x.example", "example", "sub.x.example", "a@y.example"];

fn lists() -> impl Strategy<Value = Vec<ListExcerpt>> {
    let some = (0..3_usize, any::<bool>(), proptest::collection::btree_set(0..NAMES.len(), 1..4));
    proptest::collection::vec(some, 0..6).prop_map(|lists| {
        let mut known = BTreeSet::new();
        let lists = lists.into_iter().filter(|(level, is_allow, _)| known.insert((*level, *is_allow)));
        let of = |(level, is_allow, entries): (usize, bool, BTreeSet<usize>)| {
            let entries: Vec<&str> = entries.into_iter().map(|place| NAMES[place]).collect();
            list(level, Send, if is_allow { Allow } else { Block }, &entries)
        };
        lists.map(of).collect()
    })
}

proptest! {
    #[test]
    fn additional_lists_only_restrict(lists in lists(), more in lists(), who in 0..3_usize) {
        let who = ["a@x.example", "b@sub.x.example", "a@y.example"][who];
        // A sender refused at one level is also refused with lists at other levels.
        let only = |level: usize| lists.iter().filter(|list| list.list.level == levels()[level]).cloned().collect::<Vec<_>>();
        let passes_each = (0..3).all(|level| sent_to(who, &only(level)) == "ok");
        prop_assert_eq!(sent_to(who, &lists) == "ok", passes_each);
        // A new list at a level without one never permits more.
        let had: BTreeSet<_> = lists.iter().map(|list| list.list.level.clone()).collect();
        let added: Vec<_> = more.into_iter().filter(|list| !had.contains(&list.list.level)).collect();
        if sent_to(who, &lists) != "ok" {
            prop_assert_ne!(sent_to(who, &[lists, added].concat()), "ok");
        }
    }

    #[test]
    fn blocked_name_blocks_addresses_with_it(name in "[a-z]{1,8}", domain in "[a-z]{1,8}(\\.[a-z]{1,8}){0,4}") {
        let who = format!("{name}@{domain}");
        let party = ListSubject::of(&address(&who));
        let names: Vec<String> = party.names().map(str::to_owned).collect();
        prop_assert_eq!(&names[0], &who);
        prop_assert_eq!(names.len(), 2 + domain.matches('.').count());
        for name in names {
            prop_assert!(sent_to(&who, &[list(1, Send, Block, &[&name])]).starts_with("blocked 1"));
            let stored = parse_entry(&name).unwrap();
            prop_assert_eq!(stored.as_str(), name.as_str());
        }
    }

    #[test]
    fn any_header_value_yields_few_list_subjects(text in ".{0,300}") {
        prop_assert!(ListSubject::from_header(&text).names().count() <= 11);
        let _ = parse_entry(&text);
    }
}
