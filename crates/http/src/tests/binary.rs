//! Raw messages and attachments: their links and their bytes.

use std::sync::Arc;

use inboxd_core::AttachmentTextRefusal;
use inboxd_core::model::{Content, MessageItem};
use inboxd_core::ports::{AttachedDocument, AttachmentText, ExtractedText, RawSource, TextFormat};
use inboxd_core::testing::{World, fixtures};

use super::{answer, call, options, request, server, with_key, world};

const RAW: &[u8] = b"From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
    --b\r\n\r\nText\r\n--b\r\nContent-Type: text/html; name=\"a.html\"\r\n\
    Content-Disposition: attachment; filename=\"a.html\"\r\n\r\n<b>hi</b>\r\n--b--\r\n";

fn source(content_type: &str) -> RawSource {
    let parsed = inboxd_mail::parse(RAW);
    let attachment = inboxd_core::model::Attachment {
        part: parsed.attachments[0].part,
        filename: Some("a.html".to_owned()),
        content_type: Some(content_type.to_owned()),
        ..fixtures::attachment(7)
    };
    RawSource { item: MessageItem { attachments: vec![attachment], ..fixtures::message_item() }, raw: RAW.to_vec() }
}

fn prepared() -> World {
    prepared_with("text/html")
}

/// An environment with a message that has an attachment of this media type.
fn prepared_with(content_type: &'static str) -> World {
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    world.store.expect_message_item().returning(move |_, _, _, _| Ok(Some(source(content_type).item)));
    world.store.expect_raw_message().returning(move |_, _, _, _| Ok(Some(source(content_type))));
    world.store.expect_raw_content().returning(move |_, _, _, _, _| {
        let RawSource { item, raw } = source(content_type);
        Ok(Some((item, Content::Bytes(raw))))
    });
    world
}

const BASE: &str = "/v0/inboxes/scout@inboxd.example/messages/question@example.org";

fn attachment_uri() -> String {
    format!("{BASE}/attachments/{}", fixtures::attachment(7).attachment_id)
}

#[actix_web::test]
async fn link_returns_bytes_without_key() {
    let server = server(prepared().app(), options()).await;
    for (uri, content) in [(format!("{BASE}/raw"), RAW), (attachment_uri(), &b"<b>hi</b>"[..])] {
        let link = call(&server, with_key("get", &uri)).await.json();
        assert_eq!(link["expires_at"], "2026-11-20T10:15:00.000Z");
        let url = link["download_url"].as_str().unwrap();
        let path = url.strip_prefix("https://inboxd.example").unwrap();
        let answered = call(&server, request("get", path)).await;
        assert_eq!((answered.status, answered.body.as_slice()), (200, content));
        assert_eq!(answered.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answered.header("content-security-policy"), Some("default-src 'none'; sandbox"));
        assert!(answered.header("content-disposition").unwrap().starts_with("attachment; "));
        assert_ne!(answered.header("content-type"), Some("text/html"));

        let forged = format!("{path}x");
        let refused = call(&server, request("get", &forged)).await;
        assert_eq!((refused.status, refused.code().as_str()), (404, "not_found"));
    }
}

#[actix_web::test]
async fn accept_field_selects_bytes() {
    for (accept, content_type) in [("message/rfc822", "message/rfc822"), ("*/*", "application/json")] {
        let request = with_key("get", &format!("{BASE}/raw")).insert_header(("Accept", accept));
        let answered = answer(prepared(), request).await;
        assert_eq!(answered.header("content-type"), Some(content_type));
    }
    let request = with_key("get", &attachment_uri()).insert_header(("Accept", "application/octet-stream"));
    let answered = answer(prepared(), request).await;
    assert_eq!(answered.body, b"<b>hi</b>");
    assert_eq!(answered.header("content-type"), Some("application/octet-stream"));
}

#[actix_web::test]
async fn json_file_has_one_tag_for_whole_and_parts() {
    let server = server(prepared_with("application/json").app(), options()).await;
    let link = call(&server, with_key("get", &attachment_uri())).await.json();
    let path = link["download_url"].as_str().unwrap().strip_prefix("https://inboxd.example").unwrap().to_owned();
    let whole = call(&server, request("get", &path)).await;
    assert_eq!((whole.status, whole.header("content-type")), (200, Some("application/json")));
    assert_eq!(whole.header("cache-control"), Some("no-store"));
    let tag = whole.header("etag").unwrap();
    let of_part = request("get", &path).insert_header(("Range", "bytes=0-2")).insert_header(("If-Range", tag));
    let part = call(&server, of_part).await;
    assert_eq!((part.status, part.header("etag"), part.body.as_slice()), (206, Some(tag), &b"<b>"[..]));
    let known = call(&server, request("get", &path).insert_header(("If-None-Match", tag))).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
}

#[actix_web::test]
async fn head_ignores_range_and_has_no_content() {
    let uri = format!("{BASE}/raw");
    let request = with_key("head", &uri).insert_header(("Accept", "message/rfc822"));
    let answered = answer(prepared(), request.insert_header(("Range", "bytes=0-2"))).await;
    assert_eq!((answered.status, answered.header("content-range"), answered.body.len()), (200, None, 0));
    assert!(answered.header("etag").is_some());
}

#[actix_web::test]
async fn unknown_attachments_are_not_found() {
    for id in ["att_1", "att_00000000000000000000000000000009"] {
        let answered = answer(prepared(), with_key("get", &format!("{BASE}/attachments/{id}"))).await;
        assert_eq!((answered.status, answered.code().as_str()), (404, "not_found"), "{id}");
    }
}

/// A reader that returns the length of a document.
struct LengthReader;

#[async_trait::async_trait]
impl AttachmentText for LengthReader {
    async fn extract(
        &self,
        document: AttachedDocument,
        format: TextFormat,
    ) -> Result<ExtractedText, AttachmentTextRefusal> {
        Ok(ExtractedText {
            text: format!("{format:?} {}", document.content.len()),
            is_cut: format == TextFormat::Markdown,
        })
    }
}

#[actix_web::test]
async fn text_of_attachment_is_returned_or_linked() {
    let mut world = prepared();
    world.attachment_text = Some(Arc::new(LengthReader));
    let server = server(world.app(), options()).await;
    let uri = attachment_uri();
    for (form, content_type, text, truncated) in [
        ("text", "text/plain; charset=utf-8", "Text 9", None),
        ("markdown", "text/markdown; charset=utf-8", "Markdown 9", Some("true")),
    ] {
        let answered = call(&server, with_key("get", &format!("{uri}?as={form}"))).await;
        assert_eq!((answered.status, answered.body.as_slice()), (200, text.as_bytes()));
        assert_eq!(answered.header("content-type"), Some(content_type));
        assert_eq!(answered.header("content-security-policy"), Some("default-src 'none'; sandbox"));
        assert_eq!(answered.header("x-text-truncated"), truncated);
    }
    let link = call(&server, with_key("get", &uri)).await.json();
    let path = link["text_url"].as_str().unwrap().strip_prefix("https://inboxd.example").unwrap().to_owned();
    let answered = call(&server, request("get", &path)).await;
    assert_eq!((answered.status, answered.body.as_slice()), (200, &b"Text 9"[..]));
    let refused = call(&server, with_key("get", &format!("{uri}?as=pdf"))).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "validation_error"));
}

#[actix_web::test]
async fn attachment_without_text_names_reason() {
    let server = server(prepared().app(), options()).await;
    let refused = call(&server, with_key("get", &format!("{}?as=text", attachment_uri()))).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "text_unsupported"));
}
