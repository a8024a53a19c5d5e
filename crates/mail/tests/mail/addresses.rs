//! Addresses and mailboxes.

use std::collections::{BTreeSet, HashSet};

use inboxd_mail::{
    AddressError, Composition, EmailAddress, HeaderAddress, Mailbox, compose, normalized_address, parse,
};

#[test]
fn addresses_are_accepted_or_rejected_with_cause() {
    let long_local = format!("{}@b.c", "a".repeat(250));
    let long = format!("a@{}c", "b23456789.".repeat(26));
    let long_label = format!("a@{}.c", "b".repeat(64));
    // A letter of two bytes with three in lower case.
    let grows = format!("{}@b.example", "Ⱥ".repeat(115));
    let label_grows = format!("a@{}.c", "Ⱥ".repeat(31));
    for (text, expected) in [
        ("a@b", Ok(())),
        ("a@b.c", Ok(())),
        (" a@b.c ", Ok(())),
        ("first.last+tag@example.org", Ok(())),
        ("!#$%&'*+-/=?^_`{|}~@example.org", Ok(())),
        ("\"a b@c\"@example.org", Ok(())),
        ("\"a\\\"b\"@example.org", Ok(())),
        ("grüße@münchen.example", Ok(())),
        ("用户@例子.example", Ok(())),
        ("a@xn--mnchen-3ya.example", Ok(())),
        ("a@1.2.3.example", Ok(())),
        ("a@mail_1.example", Ok(())),
        ("a@[127.0.0.1]", Ok(())),
        ("a@[IPv6:2001:db8::1]", Ok(())),
        (long_local.as_str(), Ok(())),
        ("", Err(AddressError::Empty)),
        ("  ", Err(AddressError::Empty)),
        ("ab", Err(AddressError::NoAt)),
        ("@b.c", Err(AddressError::LocalPart)),
        (".a@b.c", Err(AddressError::LocalPart)),
        ("a.@b.c", Err(AddressError::LocalPart)),
        ("a..b@b.c", Err(AddressError::LocalPart)),
        ("a b@b.c", Err(AddressError::LocalPart)),
        ("a@b@c", Err(AddressError::LocalPart)),
        ("<a@b.c>", Err(AddressError::LocalPart)),
        ("\"a@b.c", Err(AddressError::LocalPart)),
        ("\"a\"b\"@b.c", Err(AddressError::LocalPart)),
        ("a,b@c.d", Err(AddressError::LocalPart)),
        ("a@", Err(AddressError::Domain)),
        ("a@b..c", Err(AddressError::Domain)),
        ("a@.b", Err(AddressError::Domain)),
        ("a@b.", Err(AddressError::Domain)),
        ("a@-b.c", Err(AddressError::Domain)),
        ("a@b-.c", Err(AddressError::Domain)),
        ("a@[127.0.0]", Err(AddressError::Domain)),
        ("a@[IPv6:127.0.0.1]", Err(AddressError::Domain)),
        ("a@[example.org]", Err(AddressError::Domain)),
        ("a@127.0.0.1", Err(AddressError::Domain)),
        ("a@b.c>", Err(AddressError::Domain)),
        ("a@b c", Err(AddressError::Domain)),
        (long_label.as_str(), Err(AddressError::Domain)),
        (long.as_str(), Err(AddressError::TooLong)),
        (grows.as_str(), Err(AddressError::TooLong)),
        (label_grows.as_str(), Err(AddressError::Domain)),
        ("a\r\n@b.c", Err(AddressError::ControlCharacter)),
        ("a@b.c\r\nBcc: d@e.f", Err(AddressError::ControlCharacter)),
        ("a\0@b.c", Err(AddressError::ControlCharacter)),
        ("a\u{202e}@b.c", Err(AddressError::ControlCharacter)),
        ("a\u{200b}@b.c", Err(AddressError::ControlCharacter)),
    ] {
        assert_eq!(text.parse::<EmailAddress>().map(drop), expected, "{text:?}");
    }
}

#[test]
fn address_case_is_ignored_but_preserved() {
    let written: EmailAddress = "Scout+Tag@Example.ORG".parse().unwrap();
    let other: EmailAddress = "scout+tag@example.org".parse().unwrap();
    assert_eq!(written, other);
    assert_eq!(HashSet::from([written.clone(), other.clone()]).len(), 1);
    assert_eq!(BTreeSet::from([written.clone(), other]).len(), 1);
    assert_eq!(written.to_string(), "Scout+Tag@Example.ORG");
    assert_eq!(written.as_str(), "Scout+Tag@Example.ORG");
    assert_eq!(written.local(), "Scout+Tag");
    assert_eq!(written.domain(), "example.org");
    assert_eq!(written.normalized(), "scout+tag@example.org");
}

#[test]
fn tags_are_removed_from_local_part() {
    for (text, expected) in [
        ("Scout+a+b@Example.org", "scout@example.org"),
        ("scout@example.org", "scout@example.org"),
        ("+a@example.org", "+a@example.org"),
        ("\"a+b\"@example.org", "a@example.org"),
        ("\"a +b\"@example.org", "\"a +b\"@example.org"),
    ] {
        assert_eq!(text.parse::<EmailAddress>().unwrap().without_tag(), expected);
    }
}

#[test]
fn needless_quotes_and_escapes_are_ignored() {
    for (text, expected) in [
        ("\"PostMaster\"@example.org", "postmaster@example.org"),
        ("\"a.b\"@example.org", "a.b@example.org"),
        ("\"\\p\\ostmaster\"@example.org", "postmaster@example.org"),
        ("\"a \\b\"@example.org", "\"a b\"@example.org"),
        ("\"a\\\"b\"@example.org", "\"a\\\"b\"@example.org"),
        ("\"a\\\\b\"@example.org", "\"a\\\\b\"@example.org"),
        ("\"a..b\"@example.org", "\"a..b\"@example.org"),
        ("\"\"@example.org", "\"\"@example.org"),
    ] {
        let address: EmailAddress = text.parse().unwrap();
        assert_eq!((address.as_str(), address.normalized().as_str()), (text, expected));
        assert_eq!(normalized_address(text), expected);
        assert_eq!(Ok(address), expected.parse());
    }
    assert_eq!(normalized_address(" Not An Address "), "not an address");
}

#[test]
fn mailboxes_parse_in_every_usual_form() {
    for (text, name, address) in [
        ("a@b.c", None, "a@b.c"),
        ("<a@b.c>", None, "a@b.c"),
        (" < a@b.c > ", None, "a@b.c"),
        ("Anna <a@b.c>", Some("Anna"), "a@b.c"),
        ("Anna Müller <a@b.c>", Some("Anna Müller"), "a@b.c"),
        ("\"Müller, Anna\" <a@b.c>", Some("Müller, Anna"), "a@b.c"),
        ("\"A \\\"B\\\" C\" <a@b.c>", Some("A \"B\" C"), "a@b.c"),
        ("\"\" <a@b.c>", None, "a@b.c"),
        ("a@b.c <a@b.c>", Some("a@b.c"), "a@b.c"),
        ("\"<x@y.z>\" <a@b.c>", Some("<x@y.z>"), "a@b.c"),
    ] {
        let mailbox: Mailbox = text.parse().unwrap();
        assert_eq!(mailbox.name.as_deref(), name, "{text:?}");
        assert_eq!(mailbox.address.as_str(), address, "{text:?}");
    }
}

#[test]
fn other_than_one_mailbox_is_rejected() {
    for text in [
        "",
        "Anna",
        "a@b.c, d@e.f",
        "a@b.c, d <d@e.f>",
        "Müller, Anna <a@b.c>",
        "<a@b.c> <d@e.f>",
        "Anna <a@b.c",
        "Anna a@b.c>",
        "\"Anna <a@b.c>",
        "An\"na <a@b.c>",
        "Anna\r\nBcc: x <a@b.c>",
        "An\0na <a@b.c>",
        "Anna <a@b.c>\n",
        "Group: a@b.c;",
    ] {
        assert!(text.parse::<Mailbox>().is_err(), "{text:?}");
    }
}

#[test]
fn mailboxes_display_in_readable_form() {
    for (text, shown) in [("a@b.c", "a@b.c"), ("\"Müller, Anna\" <A@b.c>", "Müller, Anna <A@b.c>")] {
        assert_eq!(text.parse::<Mailbox>().unwrap().to_string(), shown);
    }
}

#[test]
fn display_name_over_256_characters_is_rejected() {
    let named = |length: usize| format!("{} <a@b.c>", "\u{fc}".repeat(length)).parse::<Mailbox>();
    assert_eq!(named(256).unwrap().name.unwrap().chars().count(), 256);
    assert_eq!(named(257), Err(AddressError::NameTooLong));
}

#[test]
fn header_address_is_bounded() {
    let cut = |from: String| parse(format!("From: {from}\r\n\r\n").as_bytes()).from;
    let long_name = cut(format!("{} end <a@b.c>", "\u{fc}".repeat(255)));
    assert_eq!(long_name[0].name.as_deref(), Some("\u{fc}".repeat(255).as_str()), "cut and trimmed");
    assert_eq!(long_name[0].address, "a@b.c");
    // A cut address must not be a valid address, or a reply would reach another person.
    for long in [format!("<{}@b.c>", "a".repeat(60_000)), format!("a@{}", "b.".repeat(30_000)), "x".repeat(60_000)] {
        let found = cut(long);
        assert_eq!((found.len(), found[0].address.len(), &found[0].name), (1, 320, &None));
        assert!(found[0].address.parse::<EmailAddress>().is_err());
    }
}

#[test]
fn address_list_is_bounded_in_total() {
    let bytes = |list: &[HeaderAddress]| list.iter().map(|one| one.to_string().len()).sum::<usize>();
    let field = |name: &str| format!("{name}: {}\r\n", vec![format!("{} <a@b.c>", "n".repeat(240)); 240].join(","));
    let raw = ["To", "To", "Cc", "Cc", "Bcc", "Reply-To", "From"].map(field).concat();
    let mail = parse(format!("{raw}\r\n").as_bytes());
    for list in [&mail.to, &mail.cc, &mail.bcc, &mail.reply_to, &mail.from] {
        assert!((50_000..=64 * 1024).contains(&bytes(list)), "{}", bytes(list));
    }
    let crowd = (0..1_000).map(|number| format!("guest{number}@example.org")).collect::<Vec<_>>().join(", ");
    assert_eq!(parse(format!("To: {crowd}\r\n\r\n").as_bytes()).to.len(), 1_000, "an honest crowd is whole");
}

#[test]
fn comments_inside_addresses_are_removed() {
    let read = |field: &str, value: &str| {
        let mail = parse(format!("{field}: {value}\r\n\r\n").as_bytes());
        let list = if field == "Cc" { mail.cc } else { mail.to };
        list.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    // RFC 5322, appendix A.5.
    assert_eq!(
        read("To", "Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>"),
        ["Pete <pete@silly.test>"]
    );
    assert_eq!(
        read(
            "To",
            "A Group(Some people)\r\n     :Chris Jones <c@(Chris's host.)public.example>,\r\n         \
             joe@example.org,\r\n  John <jdoe@one.test> (my dear friend); (the end of the group)"
        ),
        ["Chris Jones <c@public.example>", "joe@example.org", "John <jdoe@one.test>"]
    );
    assert_eq!(read("Cc", "(Empty list)(start)Hidden recipients  :(nobody(that I know))  ;"), [""; 0]);
    for (value, expected) in [
        ("<a(\">(b)\\))@b.example>", "a@b.example"),
        ("a(x)@b.example (Anna \\(A\\))", "x Anna (A) <a@b.example>"),
        ("<\"a(b)\"@c.example>", "\"a(b)\"@c.example"),
        ("Anna <a(b@c.example>", "Anna <a(b@c.example>"),
    ] {
        assert_eq!(read("To", value), [expected], "{value}");
    }
}

#[test]
fn space_in_quotes_is_a_part_of_the_address() {
    for address in ["\"a b\"@c.example", "\"a  b\"@c.example", "\"a\\\" b\"@c.example"] {
        for to in [address.to_owned(), format!("Anna <{address}>")] {
            let from: Mailbox = "s@b.example".parse().unwrap();
            let composition = Composition {
                to: vec![to.parse().unwrap()],
                text: Some("x".to_owned()),
                ..Composition::new(from, "<1@b.example>".to_owned())
            };
            let mail = parse(&compose(&composition).unwrap());
            assert_eq!(mail.to[0].address, address, "{to}");
        }
    }
    let spaced = parse(b"To: Anna < \"a b\" @ c.example >\r\n\r\n");
    assert_eq!(spaced.to[0].address, "\"a b\"@c.example");
}
