//! Binary responses with foreign content: always a download, never a page that a browser would run.

use std::fmt::Write as _;

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use inboxd_core::app::downloads::{AttachedFile, Download, Link, RawDownload, StoredAttachment, link};
use inboxd_core::app::drafts::DraftFile;
use inboxd_core::app::files::DownloadedFile;
use inboxd_core::app::{App, AttachedText, messages};
use inboxd_core::model::{Attachment, Content, InboxId, MessageItem};
use inboxd_core::ports::TextFormat;
use inboxd_core::rules::attachment_text::may_have_text;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::ranged::ranged;
use super::ranges::entity_tag;
use crate::auth::AuthenticatedRequest;
use crate::clean::clean;
use crate::error::ApiError;
use crate::query::formats::choice;
use crate::query::query_params;
use crate::views::AttachmentLink;

/// Binary body in the OpenAPI document.
pub(crate) struct BinaryBody;

impl PartialSchema for BinaryBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
            .into()
    }
}

impl ToSchema for BinaryBody {
    fn name() -> std::borrow::Cow<'static, str> {
        "Octets".into()
    }
}

query_params! {
    /// Form of an attachment.
    pub(crate) struct AttachmentFormParams {
        /// Returns the words of the document as `text` or `markdown` instead of a link to its bytes: PDF, DOCX, XLSX,
        /// PPTX, ODF, RTF, HTML, CSV, calendars, contact cards, mails and text; the files of an archive are listed. The
        /// first 1,000,000 characters and 2,000 pages are read; `X-Text-Truncated: true` says that more was cut.
        r#as: Option<TextFormat> = choice([("text", TextFormat::Text), ("markdown", TextFormat::Markdown)]),
    }
}

/// Media type that no browser runs.
const OCTET_STREAM: &str = "application/octet-stream";
/// Parts of media types that a browser may run as a page or a program.
const ACTIVE: [&str; 8] = ["html", "xml", "svg", "script", "multipart", "message/", "text/css", "cache-manifest"];
/// Header of a text whose document has more than the limits.
const TEXT_TRUNCATED: HeaderName = HeaderName::from_static("x-text-truncated");
/// Length of a media type that is passed on.
const MAX_CONTENT_TYPE_BYTES: usize = 200;

/// Returns whether the request accepts bytes instead of a link to them.
pub(crate) fn wants_binary(request: &HttpRequest) -> bool {
    let accepts = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    let ranges = accepts.flat_map(|value| value.split(','));
    let named = ranges.map(|range| range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    let first = named.into_iter().find(|range| {
        matches!(range.as_str(), "application/octet-stream" | "message/rfc822" | "application/json" | "*/*")
    });
    first.is_some_and(|range| matches!(range.as_str(), "application/octet-stream" | "message/rfc822"))
}

/// Reads the form of the text that the query requests; `None` for the attachment itself.
pub(crate) fn wanted_text(call: &AuthenticatedRequest) -> Result<Option<TextFormat>, ApiError> {
    let mut query = call.query();
    let AttachmentFormParams { r#as: format } = AttachmentFormParams::read(&mut query);
    query.finish()?;
    Ok(format)
}

/// Returns the response with the text of an attachment.
pub(crate) fn attached_text(text: AttachedText) -> HttpResponse {
    let (content_type, extension) = match text.format {
        TextFormat::Text => ("text/plain; charset=utf-8", "txt"),
        TextFormat::Markdown => ("text/markdown; charset=utf-8", "md"),
    };
    let filename = format!("{}.{extension}", text.attachment.filename.as_deref().unwrap_or("attachment"));
    let mut response = content_head(StatusCode::OK, content_type, &filename).body(text.extracted.text.into_bytes());
    if text.extracted.is_cut {
        response.headers_mut().insert(TEXT_TRUNCATED, HeaderValue::from_static("true"));
    }
    response
}

/// Returns the response to a request for an attachment link.
pub(crate) fn attachment_link(
    call: &AuthenticatedRequest,
    inbox_id: InboxId,
    found: StoredAttachment,
) -> Result<HttpResponse, ApiError> {
    let download = Download {
        organization_id: call.caller.organization.organization_id,
        inbox_id,
        message_id: found.message_id,
        attachment_id: Some(found.attachment.attachment_id),
        text: None,
    };
    let link = link(call.app(), &download)?;
    let text = text_link(call.app(), download, &found.attachment)?;
    Ok(HttpResponse::Ok().json(AttachmentLink::new(found.attachment, &link, text.as_ref(), &call.state().base_url)))
}

/// Creates the link to the text of an attachment; `None` for a kind without text.
pub(crate) fn text_link(app: &App, download: Download, attachment: &Attachment) -> Result<Option<Link>, ApiError> {
    if !may_have_text(attachment) {
        return Ok(None);
    }
    Ok(Some(link(app, &Download { text: Some(TextFormat::Text), ..download })?))
}

/// Returns the response with the unchanged bytes of a message, or a part of them, and notes the read. A request that gets no
/// bytes because of an error is none.
pub(crate) async fn read_raw_mail(call: &AuthenticatedRequest, source: RawDownload) -> Result<HttpResponse, ApiError> {
    let RawDownload { item, content } = source;
    let response = raw_mail(call.request(), call.app(), &item, content).await?;
    messages::note_download(call.app(), &call.caller, &item);
    Ok(response)
}

/// Returns the response with the unchanged bytes of a message, or a part of them.
pub(super) async fn raw_mail(
    request: &HttpRequest,
    app: &App,
    item: &MessageItem,
    content: Content,
) -> Result<HttpResponse, ApiError> {
    let MessageItem { organization_id, inbox_id, message_id, created_at, .. } = item;
    // A message with the same id may be stored again after its deletion.
    let created_at = created_at.unix_timestamp_nanos().to_be_bytes();
    let (inbox_id, message_id) = (inbox_id.as_str().as_bytes(), message_id.as_str().as_bytes());
    let tag = entity_tag(&[organization_id.0.as_bytes(), inbox_id, message_id, &created_at]);
    ranged(request, app, &tag, ("message/rfc822", "message.eml"), content).await
}

/// Returns the response with an attachment, or a part of it.
pub(crate) async fn attached_file(
    request: &HttpRequest,
    app: &App,
    file: AttachedFile,
) -> Result<HttpResponse, ApiError> {
    attached(request, app, &file.attachment, Content::Bytes(file.content)).await
}

/// Returns the response with an attachment of a draft, or a part of it.
pub(crate) async fn draft_file(request: &HttpRequest, app: &App, file: DraftFile) -> Result<HttpResponse, ApiError> {
    attached(request, app, &file.attachment, file.content).await
}

/// Returns the response with a file of an inbox, or a part of it.
pub(super) async fn inbox_file(
    request: &HttpRequest,
    app: &App,
    DownloadedFile { file, content }: DownloadedFile,
) -> Result<HttpResponse, ApiError> {
    let kind = harmless(Some(&file.content_type));
    ranged(request, app, &entity_tag(&[&file.sha256]), (kind, file.name()), content).await
}

async fn attached(
    request: &HttpRequest,
    app: &App,
    attachment: &Attachment,
    content: Content,
) -> Result<HttpResponse, ApiError> {
    let content_type = harmless(attachment.content_type.as_deref());
    let filename = attachment.filename.as_deref().unwrap_or("attachment");
    let tag = entity_tag(&[attachment.attachment_id.0.as_bytes()]);
    ranged(request, app, &tag, (content_type, filename), content).await
}

/// Begins a response with foreign content.
pub(super) fn content_head(status: StatusCode, content_type: &str, filename: &str) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response.content_type(content_type);
    response.insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"));
    if let Ok(disposition) = HeaderValue::from_str(&disposition(filename)) {
        response.insert_header((CONTENT_DISPOSITION, disposition));
    }
    response
}

/// Returns the media type, or `OCTET_STREAM` if a browser may run content of that type.
fn harmless(content_type: Option<&str>) -> &str {
    let Some(given) = content_type.map(str::trim) else { return OCTET_STREAM };
    let lowered = given.to_ascii_lowercase();
    let essence = lowered.split(';').next().unwrap_or_default().trim();
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
    let is_type = essence.split_once('/').is_some_and(|(main, sub)| {
        !main.is_empty() && !sub.is_empty() && main.chars().all(token) && sub.chars().all(token)
    });
    let is_active = ACTIVE.iter().any(|active| essence.contains(active));
    let is_fit = given.len() <= MAX_CONTENT_TYPE_BYTES && given.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    if is_type && is_fit && !is_active { given } else { OCTET_STREAM }
}

/// Formats a file name twice: in ASCII for old clients, and in full (RFC 6266, section 5). Characters that reorder or hide
/// text are left out: they could show another extension than the file has.
fn disposition(filename: &str) -> String {
    let name: String = clean(filename).chars().filter(|c| !c.is_control()).take(200).collect();
    let ascii: String =
        name.chars().map(|c| if c.is_ascii() && !matches!(c, '"' | '\\' | '/' | '%') { c } else { '_' }).collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn active_types_become_plain_bytes() {
        for given in ["image/png", "application/pdf", "text/plain; charset=utf-8", "application/vnd.ms-excel"] {
            assert_eq!(harmless(Some(given)), given);
        }
        for given in [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "image/svg+xml",
            "application/xhtml+xml",
            "text/xml",
            "application/javascript",
            "text/ecmascript",
            "message/rfc822",
            "multipart/x-mixed-replace",
            "text",
            "a/b\r\nSet-Cookie: c=d",
            "a/b/c",
            "/",
            "",
        ] {
            assert_eq!(harmless(Some(given)), OCTET_STREAM, "{given}");
        }
        assert_eq!(harmless(None), OCTET_STREAM);
    }

    #[test]
    fn file_names_stay_in_their_header() {
        for (name, expected) in [
            ("notes.txt", r#"attachment; filename="notes.txt"; filename*=UTF-8''notes.txt"#),
            ("a\u{202e}fdp.exe\u{200b}", r#"attachment; filename="afdp.exe"; filename*=UTF-8''afdp.exe"#),
            ("Grüße 1.pdf", r#"attachment; filename="Gr__e 1.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%201.pdf"#),
            (
                "a\"\r\nX: b\\/%.txt",
                r#"attachment; filename="a_X: b___.txt"; filename*=UTF-8''a%22X%3A%20b%5C%2F%25.txt"#,
            ),
        ] {
            assert_eq!(disposition(name), expected);
            assert!(HeaderValue::from_str(&disposition(name)).is_ok());
        }
    }

    #[test]
    fn bytes_are_requested_by_media_type() {
        for (accept, expected) in [
            ("application/octet-stream", true),
            ("message/rfc822", true),
            ("text/html, Message/RFC822;q=0.9", true),
            ("*/*", false),
            ("application/json, application/octet-stream", false),
            ("text/html", false),
        ] {
            let request = TestRequest::default().insert_header((ACCEPT, accept)).to_http_request();
            assert_eq!(wants_binary(&request), expected, "{accept}");
        }
    }
}
