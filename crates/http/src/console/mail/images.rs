//! Images inside a message, which its HTML names by their Content-ID (RFC 2392).
//!
//! The frame with the HTML has an opaque origin, so its requests carry no cookie. The document holds the images itself
//! instead, from one read of the message.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_core::app::messages;
use inboxd_core::model::{Attachment, MessageItem};

use crate::console::call::ConsoleCall;
use crate::console::text::start_of;
use crate::error::ApiError;
use crate::path;

/// Maximum number of images inside a message.
const MAX_IMAGES: usize = 100;
/// Maximum bytes of the images inside a message.
const MAX_IMAGES_BYTES: usize = 10_000_000;
/// Maximum bytes of the images of a document, which can show an image more than once.
const MAX_SHOWN_BYTES: usize = 2 * MAX_IMAGES_BYTES;
/// Bytes of HTML that are searched for content ids.
const MAX_SCANNED_BYTES: usize = 2 * 1024 * 1024;
/// Content ids that are compared with those of the attachments.
const MAX_CONTENT_IDS: usize = 1_000;

/// Images of a document by Content-ID.
#[derive(Debug)]
pub(super) struct InnerImages {
    images: Vec<InnerImage>,
    /// Bytes that the document may still show.
    remaining: AtomicUsize,
}

#[derive(Debug)]
struct InnerImage {
    content_id: String,
    kind: &'static str,
    content: Vec<u8>,
}

impl Default for InnerImages {
    fn default() -> Self {
        Self { images: Vec::new(), remaining: AtomicUsize::new(MAX_SHOWN_BYTES) }
    }
}

impl InnerImages {
    /// Reads the images inside a message that its HTML names.
    ///
    /// # Errors
    /// The refusals of the API.
    pub(super) async fn read(call: &ConsoleCall, item: &MessageItem, html: &str) -> Result<Self, ApiError> {
        let named = inner_images(item, html);
        if named.is_empty() {
            return Ok(Self::default());
        }
        let ids: Vec<_> = named.iter().map(|attachment| attachment.attachment_id).collect();
        let (inbox_id, message_id) = (&item.inbox_id, &item.message_id);
        let contents = messages::attachment_contents(call.app(), &call.caller, inbox_id, message_id, &ids).await?;
        let images = contents.into_iter().filter_map(|(id, content)| {
            let attachment = named.iter().find(|attachment| attachment.attachment_id == id)?;
            Some(InnerImage { content_id: attachment.content_id.clone()?, kind: image_type(&content)?, content })
        });
        Ok(Self { images: images.collect(), ..Self::default() })
    }

    /// Returns the bytes of all images.
    pub(super) fn bytes(&self) -> usize {
        self.images.iter().map(|image| image.content.len()).sum()
    }

    /// Returns an image as a URL (RFC 2397), as long as the document may show more.
    pub(super) fn url(&self, content_id: &str) -> Option<String> {
        let decoded = path::decode(content_id);
        let image = self.images.iter().find(|image| image.content_id == decoded || image.content_id == content_id)?;
        let taken = |remaining: usize| remaining.checked_sub(image.content.len());
        self.remaining.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).ok()?;
        Some(format!("data:{};base64,{}", image.kind, STANDARD.encode(&image.content)))
    }

    #[cfg(test)]
    pub(super) fn with(content_id: &str, content: &[u8]) -> Self {
        let image = InnerImage { content_id: content_id.to_owned(), kind: "image/png", content: content.to_vec() };
        Self { images: vec![image], ..Self::default() }
    }
}

/// Returns the attachments that the HTML of a message names, within the bounds of a document.
pub(super) fn inner_images<'a>(item: &'a MessageItem, html: &str) -> Vec<&'a Attachment> {
    let named = content_ids(html);
    let mut remaining = MAX_IMAGES_BYTES;
    let is_shown = |attachment: &&Attachment| {
        let is_named = attachment.content_id.as_deref().is_some_and(|id| named.contains(id));
        let left = usize::try_from(attachment.size).ok().and_then(|size| remaining.checked_sub(size));
        remaining = if is_named { left.unwrap_or(remaining) } else { remaining };
        is_named && left.is_some()
    };
    item.attachments.iter().filter(is_shown).take(MAX_IMAGES).collect()
}

/// Returns the content ids that HTML names, in one pass over its beginning: a hostile mail has many parts and much HTML.
fn content_ids(html: &str) -> HashSet<String> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')');
    let named = start_of(html, MAX_SCANNED_BYTES).split("cid:").skip(1).take(MAX_CONTENT_IDS);
    let ids = named.filter_map(|rest| rest.split(is_end).next()).filter(|id| !id.is_empty());
    ids.flat_map(|id| [id.to_owned(), path::decode(id)]).collect()
}

/// Returns the media type of an image that browsers draw without running anything; by its first bytes. The stated
/// type does not count.
fn image_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use inboxd_core::testing::fixtures;

    use super::*;

    #[test]
    fn image_is_known_by_its_content() {
        for (content, expected) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
            (b"<html>", None),
            (b"", None),
        ] {
            assert_eq!(image_type(content), expected);
        }
    }

    #[test]
    fn image_is_found_by_its_id_until_the_document_is_full() {
        let images = InnerImages::with("a b@c", b"x");
        assert_eq!(images.url("a%20b@c").as_deref(), Some("data:image/png;base64,eA=="));
        assert_eq!(images.url("a b@c").as_deref(), Some("data:image/png;base64,eA=="));
        assert_eq!(images.url("other"), None);
        let large = InnerImages::with("a", &vec![0; MAX_IMAGES_BYTES]);
        assert_eq!((0..5).filter(|_| large.url("a").is_some()).count(), 2);
    }

    #[test]
    fn images_of_a_document_are_named_few_and_small() {
        let shown = |sizes: &[u64], html: &str| {
            let attachment = |(number, size): (u128, &u64)| Attachment {
                content_id: Some(format!("i {number}")),
                size: *size,
                ..fixtures::attachment(number)
            };
            let attachments = (0..).zip(sizes).map(attachment).collect();
            let item = MessageItem { attachments, ..fixtures::message_item() };
            let ids = inner_images(&item, html).into_iter().filter_map(|attachment| attachment.content_id.clone());
            ids.collect::<Vec<_>>()
        };
        let html =
            |count: usize| (0..count).map(|number| format!("<img src=cid:i%20{number}>")).collect::<Vec<_>>().concat();
        assert_eq!(shown(&[1, 1], "<img src='cid:i%201'>"), ["i 1"]);
        assert_eq!(shown(&[9_000_000, 2_000_000, 1_000_000], &html(3)), ["i 0", "i 2"]);
        assert_eq!(shown(&[1; 102], &html(102)).len(), MAX_IMAGES);
    }
}
