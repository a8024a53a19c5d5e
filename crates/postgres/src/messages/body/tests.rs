//! Frames of bodies.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use proptest::prelude::*;

use super::encode::{Content, MAX_SHARED_RAW_BYTES};
use super::*;

fn body_of(text: &str) -> MessageBody {
    MessageBody {
        text: Some(text.to_owned()),
        html: Some(format!("<p>{text}</p>")),
        extracted_text: Some(text.to_owned()),
        extracted_html: None,
        headers: vec![("Subject".to_owned(), "Offer\0".to_owned())],
        extracted: None,
        authentication: None,
        spam: None,
    }
}

fn stored(raw: &[u8], body: &MessageBody) -> StoredBody {
    let headers = serde_json::to_vec(&body.headers).unwrap();
    stored_body(raw, &fields(body, &headers), 0).unwrap()
}

fn fields<'a>(body: &'a MessageBody, headers: &'a [u8]) -> [Option<&'a [u8]>; FIELDS] {
    let texts = [&body.text, &body.html, &body.extracted_text, &body.extracted_html];
    let [text, html, extracted_text, extracted_html] = texts.map(|text| text.as_deref().map(str::as_bytes));
    [text, html, extracted_text, extracted_html, Some(headers)]
}

fn read(frame: &[u8]) -> MessageBody {
    BodyFields::of(frame.to_vec()).unwrap().body().unwrap()
}

#[test]
fn repeated_text_is_stored_once() {
    let words: Vec<String> = (0..200_u32).map(|number| number.wrapping_mul(2_654_435_761).to_string()).collect();
    let text = words.join(" ");
    let stored = stored(format!("Subject: Offer\r\n\r\n{text}").as_bytes(), &body_of(&text));
    assert_eq!(stored.body[0], COMPRESSED);
    assert!(stored.body.len() < text.len(), "{} of {}", stored.body.len(), text.len());
    assert_eq!(read(&stored.body), body_of(&text));
}

#[test]
fn large_raw_mail_has_own_frame() {
    let body = body_of("hello");
    for (bytes, is_large) in [(MAX_SHARED_RAW_BYTES, false), (MAX_SHARED_RAW_BYTES + 1, true)] {
        let raw = vec![b'x'; bytes];
        let StoredBody { body: frame, large_raw, .. } = stored(&raw, &body);
        assert_eq!(large_raw.is_some(), is_large);
        assert_eq!(raw_bytes(&frame).is_err(), is_large);
        assert_eq!(read(&frame), body);
        let of_raw = large_raw.unwrap_or(frame);
        assert_eq!(raw_bytes(&of_raw[..5]).unwrap(), bytes as u64);
        assert_eq!(raw_of(of_raw).unwrap(), raw);
    }
}

#[test]
fn body_without_content_is_read() {
    let empty = MessageBody::default();
    let StoredBody { body: frame, body_bytes, .. } = stored(b"", &empty);
    assert_eq!(body_bytes, 2, "the header fields are an empty list");
    assert_eq!(read(&frame), empty);
    assert_eq!((raw_bytes(&frame).unwrap(), raw_of(frame).unwrap()), (0, Vec::new()));
}

#[test]
fn fields_above_size_are_left_out() {
    let frame = stored(b"raw", &body_of(&"x".repeat(100))).body;
    let mut fields = BodyFields::of(frame).unwrap();
    let left_out = [BodyField::Html, BodyField::Text, BodyField::ExtractedHtml];
    let left_out = left_out.map(|field| fields.leave_out(field, 100));
    assert_eq!(left_out, [true, false, false]);
    let body = fields.body().unwrap();
    assert_eq!((body.html, body.text.unwrap().len()), (None, 100));
}

#[test]
fn damaged_frame_is_an_error() {
    let frame = stored(b"raw", &body_of(&"x".repeat(1000))).body;
    for length in 0..frame.len() {
        assert!(BodyFields::of(frame[..length].to_vec()).is_err(), "{length}");
    }
    for length in 0..HEADER_BYTES + LENGTH_BYTES {
        assert!(text_of(&frame[..length]).is_err(), "{length}");
    }
    let plain = |fields: &[Option<&[u8]>]| Content::of(fields, Some(b"raw")).unwrap().plain();
    let whole = plain(&[None; FIELDS]);
    let cut = &whole[..whole.len() - 1];
    let too_long = b"\x00\x00\x00\x00\x04raw".as_slice();
    let negative = b"\x00\xff\xff\xff\xfe".as_slice();
    let no_zstd = b"\x01\x00\x00\x00\x00\xff".as_slice();
    let (too_few, too_many) = (plain(&[None; FIELDS - 1]), plain(&[None; FIELDS + 1]));
    for frame in [cut, too_long, negative, no_zstd, &too_few, &too_many, b"\x02\xff\xff\xff\xff"] {
        assert!(BodyFields::of(frame.to_vec()).is_err(), "{frame:?}");
    }
    assert!(raw_bytes(b"\x00\xff\xff\xff\xff").is_err() && raw_bytes(b"\x00\x00").is_err());
}

/// A zstd frame that states a content of 2^40 bytes (RFC 8878, section 3.1.1.1).
#[test]
fn stated_size_is_bounded() {
    let frame = b"\x01\x00\x00\x00\x00\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00";
    assert!(BodyFields::of(frame.to_vec()).is_err());
    assert!(text_of(frame).is_err());
    assert_eq!(decompressed_bytes(frame), frame.len());
}

#[test]
fn text_is_read_without_what_follows() {
    let random: Vec<u8> = (0..300_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let mut body = body_of("hello");
    body.html = Some(random.iter().map(|byte| char::from(byte & 127)).collect());
    let frame = stored(b"raw", &body).body;
    assert_eq!(frame[0], COMPRESSED);
    let beginning = &frame[..frame.len() / 2];
    assert_eq!(text_of(beginning).unwrap().as_deref(), Some("hello"));
    assert!(BodyFields::of(beginning.to_vec()).is_err());
    // The next frame is not mixed with the rest of that one.
    assert_eq!(text_of(&stored(b"raw", &MessageBody::default()).body).unwrap(), None);
    assert_eq!(text_of(&stored(b"raw", &body_of("")).body).unwrap().as_deref(), Some(""));
}

#[tokio::test]
async fn large_content_is_compressed_in_steps() {
    let raw: Vec<u8> = (0..MAX_INLINE_BYTES * 3).map(|number| number.to_be_bytes()[6]).collect();
    let html = "<p>hello</p>".repeat(MAX_INLINE_BYTES / 6);
    let fields = [None, Some(html.as_bytes()), None, None, Some(b"[]".as_slice())];
    for content in
        [Content::of(&[], Some(raw.as_slice())).unwrap(), Content::of(&fields, Some(raw.as_slice())).unwrap()]
    {
        let frame = content.compressed_in_steps().await.unwrap();
        assert!(frame[0] == COMPRESSED && frame.len() < raw.len() / 2, "{}", frame.len());
        assert_eq!(decompressed_bytes(&frame), decompressed_bytes(&content.compressed().unwrap()));
        let stored_html = BodyFields::of(frame.clone()).unwrap().text(BodyField::Html).unwrap();
        assert!(stored_html.is_none_or(|stored| stored == html));
        assert!(raw_of(frame).unwrap() == raw);
    }
}

proptest! {
    #[test]
    fn any_body_survives_round_trip(
        raw in proptest::collection::vec(any::<u8>(), 0..2000),
        texts in proptest::array::uniform4(proptest::option::of("[^\\x00]{0,200}")),
        headers in proptest::collection::vec((".{0,20}", ".{0,40}"), 0..5),
    ) {
        let [text, html, extracted_text, extracted_html] = texts;
        let body = MessageBody {
            text, html, extracted_text, extracted_html, headers, extracted: None, authentication: None, spam: None,
        };
        let headers = serde_json::to_vec(&body.headers).unwrap();
        let plain = Content::of(&fields(&body, &headers), Some(&raw)).unwrap().plain();
        for frame in [plain, stored(&raw, &body).body] {
            prop_assert_eq!(read(&frame), body.clone());
            prop_assert_eq!(text_of(&frame).unwrap(), body.text.clone());
            prop_assert_eq!(raw_of(frame).unwrap(), raw.clone());
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for form in [PLAIN, COMPRESSED] {
            let frame = [&[form][..], &bytes[..]].concat();
            let _ = (decompressed_bytes(&frame), raw_bytes(&frame).is_ok(), text_of(&frame).is_ok());
            let _ = BodyFields::of(frame).is_ok();
        }
    }
}
