//! `/console/inboxes/{inbox_id}/messages/{message_id}/body`: the HTML of a message, as a document of its own.
//!
//! The thread shows it in a frame with the attribute `sandbox`. The response says the same, for browsers that open it
//! directly: no script, no form, no request except for images inside the message. Remote images load on request.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, ContentType, X_FRAME_OPTIONS};
use askama::Template;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::ports::WorkOwner;

use super::html::{ShownImages, document};
use super::images::InnerImages;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::console::text::shown_lines;
use crate::error::ApiError;

/// Maximum characters of the text in place of HTML.
const MAX_TEXT_CHARS: usize = 200_000;

/// The text of a message whose HTML is not shown.
#[derive(Template)]
#[template(path = "console/message_text.html")]
struct TextDocument<'a> {
    text: &'a str,
    source: &'a str,
    has_html: bool,
}

/// Shows the HTML of a message, or its text where the HTML is too large or too deep.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let (_, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let message_id = call.message_id(&inbox_id).await?;
    let message = messages::get(call.app(), &call.caller, &inbox_id, &message_id).await?;
    let is_remote = call.query.one("images") == Some("1");
    let body = message.body;
    let has_html = body.html.is_some();
    let document = match body.html {
        Some(html) => {
            let inner = InnerImages::read(call, &message.item, &html).await?;
            sanitized(call, html, ShownImages { inner, is_remote }).await?
        }
        None => None,
    };
    let document = match document {
        Some(document) => document,
        None => text_document(&TextDocument {
            text: &shown_lines(&body.text.or(body.extracted_text).unwrap_or_default(), MAX_TEXT_CHARS),
            source: &links::message(&inbox_id, &message.item.message_id, "source"),
            has_html,
        })?,
    };
    Ok(framed(document, is_remote))
}

/// Shows HTML without images of its own, such as that of a draft.
pub(in crate::console) async fn show_html(call: &ConsoleCall, html: String) -> PageResult {
    let images = ShownImages { inner: InnerImages::default(), is_remote: false };
    let document = if let Some(document) = sanitized(call, html, images).await? {
        document
    } else {
        let text = "The formatted version is too large or too deeply nested to be shown.";
        text_document(&TextDocument { text, source: "", has_html: false })?
    };
    Ok(framed(document, false))
}

/// Returns the document with the HTML, computed off the workers where it is large.
async fn sanitized(call: &ConsoleCall, html: String, images: ShownImages) -> Result<Option<String>, ApiError> {
    let owner = WorkOwner::Organization(call.caller.organization.organization_id);
    let bytes = html.len().saturating_add(images.inner.bytes());
    Ok(call.app().compute(owner, bytes, move || document(&html, images)).await?)
}

fn text_document(template: &TextDocument<'_>) -> Result<String, ApiError> {
    template.render().map_err(|error| ApiError::internal(error.to_string()))
}

/// Responds with a document for a frame of this server.
fn framed(html: String, shows_remote: bool) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, policy(shows_remote)))
        .insert_header((X_FRAME_OPTIONS, "SAMEORIGIN"))
        .body(html)
}

/// Returns the policy of the document. Only it decides which images load.
fn policy(shows_remote: bool) -> String {
    let remote = if shows_remote { " https:" } else { "" };
    format!(
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; \
         img-src data:{remote}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_images_load_on_request_alone() {
        let images = |shows_remote| {
            let policy = policy(shows_remote);
            assert!(policy.starts_with("sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';"));
            policy.split("; ").find(|part| part.starts_with("img-src")).map(str::to_owned)
        };
        assert_eq!(images(false).as_deref(), Some("img-src data:"));
        assert_eq!(images(true).as_deref(), Some("img-src data: https:"));
    }
}
