//! Dots and the end of the content, octet by octet.

use crate::inbound::content::{Content, Fault, Memory};
use crate::inbound::dots::Dots;

fn read(input: &[u8], piece: usize) -> Option<(Vec<u8>, usize)> {
    let mut content = Content::new(1000, &Memory::new(1024 * 1024));
    let mut dots = Dots::new();
    let mut used = 0;
    for piece in input.chunks(piece) {
        if let Some(end) = dots.feed(piece, &mut content) {
            return Some((content.finish().unwrap().0, used + end));
        }
        used += piece.len();
    }
    None
}

#[test]
fn stuffed_dots_are_taken_out_and_the_end_is_found() {
    let table: [(&str, Option<(&str, usize)>); 12] = [
        (".\r\n", Some(("", 3))),
        (".\r\nrest", Some(("", 3))),
        ("\r\n.\r\n", Some(("\r\n", 5))),
        ("a\r\n.\r\nrest", Some(("a\r\n", 6))),
        ("..\r\n.\r\n", Some((".\r\n", 7))),
        ("...\r\n.\r\n", Some(("..\r\n", 8))),
        (".a\r\n.\r\n", Some(("a\r\n", 7))),
        ("a.\r\n.\r\n", Some(("a.\r\n", 7))),
        ("a\r\n..b\r\n.\r\n", Some(("a\r\n.b\r\n", 11))),
        ("a\r\n.b.\r\n.\r\n", Some(("a\r\nb.\r\n", 11))),
        ("a", None),
        ("a\r\n.\r", None),
    ];
    for (input, expected) in table {
        let expected = expected.map(|(content, used)| (content.as_bytes().to_vec(), used));
        for piece in 1..=input.len() {
            assert_eq!(read(input.as_bytes(), piece), expected, "{input:?} in pieces of {piece}");
        }
    }
}

#[test]
fn a_cr_at_the_very_end_is_bare() {
    let memory = Memory::new(1024 * 1024);
    let mut content = Content::new(10, &memory);
    content.push(b"a\r");
    assert_eq!(content.fault(), None);
    assert_eq!(content.finish().unwrap_err(), Fault::BareLineEnd);
}

#[test]
fn the_limit_is_exact() {
    let memory = Memory::new(1024 * 1024);
    let mut content = Content::new(4, &memory);
    content.push(b"ab\r\n");
    assert_eq!(content.fault(), None);
    content.push(b"c");
    assert_eq!(content.fault(), Some(Fault::TooLarge));
}

#[test]
fn mails_share_the_memory_and_give_it_back() {
    let memory = Memory::new(2000);
    let mut first = Content::new(1000, &memory);
    first.push(&[b'a'; 1000]);
    let mut second = Content::new(2000, &memory);
    second.push(b"b");
    assert_eq!(second.fault(), None);
    second.push(&[b'b'; 1024]);
    assert_eq!(second.fault(), Some(Fault::NoRoom));
    drop(first.finish());
    let mut third = Content::new(2000, &memory);
    third.push(&[b'c'; 2000]);
    assert_eq!(third.fault(), None, "both have given back what they held");
}
