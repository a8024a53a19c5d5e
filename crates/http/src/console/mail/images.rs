//! `/console/images?token=…`: images inside a message, for the frame with its HTML.
//!
//! The frame has an opaque origin, so its requests carry no cookie. Each address is signed and short-lived instead.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use actix_web::{HttpResponse, Route};
use inboxd_core::app::App;
use inboxd_core::app::downloads::{Download, Downloaded, follow, link, verify_link};
use inboxd_core::model::MessageItem;
use inboxd_core::{Error, Resource};

use crate::auth::UnauthenticatedRequest;
use crate::console::call::PageResult;
use crate::console::links;
use crate::error::ApiError;
use crate::pages::Form;
use crate::routes::verb;

/// Path of the images. The policy of the frame names it.
pub(super) const PATH: &str = "/console/images";
/// Maximum number of images inside a message.
const MAX_IMAGES: usize = 100;

/// Addresses of the images of a message, by Content-ID.
#[derive(Debug, Clone, Default)]
pub(super) struct InnerImages(Vec<(String, String)>);

impl InnerImages {
    /// Signs an address for each part with a Content-ID.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub(super) fn of(app: &App, item: &MessageItem, base_url: &str) -> Result<Self, Error> {
        let mut found = Vec::new();
        for attachment in &item.attachments {
            let Some(content_id) = attachment.content_id.clone().filter(|_| found.len() < MAX_IMAGES) else { continue };
            let download = Download {
                organization_id: item.organization_id,
                inbox_id: item.inbox_id.clone(),
                message_id: item.message_id.clone(),
                attachment_id: Some(attachment.attachment_id),
            };
            let token = link(app, &download)?.token;
            found.push((content_id, format!("{base_url}{}", links::with_query(PATH, &[("token", &token)]))));
        }
        Ok(Self(found))
    }

    /// Returns the address of an image.
    pub(super) fn address(&self, content_id: &str) -> Option<&str> {
        let decoded = crate::path::decode(content_id);
        self.0.iter().find(|(id, _)| *id == decoded || id == content_id).map(|(_, address)| address.as_str())
    }

    #[cfg(test)]
    pub(super) fn with(content_id: &str, address: &str) -> Self {
        Self(vec![(content_id.to_owned(), address.to_owned())])
    }
}

/// Returns the route of the images.
pub(super) fn show() -> (&'static str, Route) {
    ("get", verb("get").to(respond))
}

async fn respond(call: UnauthenticatedRequest) -> PageResult {
    let query = Form::parse(call.request.query_string().as_bytes());
    let target = verify_link(call.app(), query.one("token").unwrap_or_default())?;
    call.admit(target.organization_id()).await?;
    let unknown = || ApiError::from(Error::not_found(Resource::Download, "this link"));
    let Downloaded::Attachment(file) = follow(call.app(), target).await? else { return Err(unknown()) };
    let kind = image_type(&file.content).ok_or_else(unknown)?;
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    Ok(HttpResponse::Ok()
        .content_type(kind)
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
        .insert_header((CACHE_CONTROL, "private, max-age=600"))
        .insert_header((policy, HeaderValue::from_static("cross-origin")))
        .body(file.content))
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
    fn image_is_found_by_its_id() {
        let images = InnerImages::with("a b@c", "https://h.example/x");
        assert_eq!(images.address("a%20b@c"), Some("https://h.example/x"));
        assert_eq!(images.address("a b@c"), Some("https://h.example/x"));
        assert_eq!(images.address("other"), None);
    }
}
