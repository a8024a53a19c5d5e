//! Attachments of an outgoing message: `content` in base64, a `url` to fetch, or a stored file by `file_id`.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use inboxd_core::app::{AttachmentSource, LetterAttachment};
use inboxd_core::model::FileId;
use inboxd_mail::Disposition;
use serde_json::Value;
use utoipa::ToSchema;

use super::fields::mismatch;
use super::{BodyProblems, BodyRequest, BodyValue, request};

/// Number of attachments of one outgoing message at most.
const MAX_ATTACHMENTS: usize = 100;
/// Fields of which an attachment has exactly one.
const SOURCES: [&str; 3] = ["content", "url", "file_id"];

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD_BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL_SAFE_BASE64: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

request! {
    /// Attachment to send, with exactly one of `content`, `url` and `file_id`.
    pub(crate) struct SendAttachment {
        /// File name.
        filename: Option<String>,
        /// Media type.
        content_type: Option<String>,
        /// Placement: within the text (`inline`) or beside it (`attachment`).
        #[schema(value_type = Option<DispositionName>)]
        content_disposition: Option<Disposition>,
        /// Content-ID by which the HTML refers to the attachment: `cid:…`.
        content_id: Option<String>,
        /// Content in base64.
        #[schema(value_type = Option<String>, content_encoding = "base64")]
        content: Option<Base64Content>,
        /// http or https URL that the content is fetched from before the message is sent.
        url: Option<String>,
        /// Id of a ready file of the inbox, with its name and media type unless others are given. Requires `file_read`.
        #[schema(value_type = Option<String>)]
        file_id: Option<FileId>,
    }
}

/// Placement of an attachment.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it only describes what is read into a `Disposition`")]
pub(crate) enum DispositionName {
    /// Within the text.
    Inline,
    /// Beside it.
    Attachment,
}

/// Attachments of an outgoing message.
#[derive(Debug, Clone, Default, ToSchema)]
#[schema(as = Attachments)]
#[schema(value_type = Vec<SendAttachment>)]
pub(crate) struct AttachmentList(pub(crate) Vec<LetterAttachment>);

impl BodyValue for AttachmentList {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let Value::Array(values) = value else { return mismatch("an array of attachments", &value, path, problems) };
        if values.len() > MAX_ATTACHMENTS {
            problems.note(path, format!("has more than {MAX_ATTACHMENTS} attachments"));
            return None;
        }
        let read = values
            .into_iter()
            .enumerate()
            .map(|(place, value)| attachment(value, &format!("{path}[{place}]"), problems));
        Some(Self(read.collect()))
    }
}

/// Reads an attachment. Unreadable parts stay empty, so that later attachments keep their indexes.
fn attachment(value: Value, path: &str, problems: &mut BodyProblems) -> LetterAttachment {
    let mut object = match value {
        Value::Object(object) => object,
        other => {
            mismatch::<()>("an object", &other, path, problems);
            return LetterAttachment {
                filename: None,
                content_type: None,
                content_disposition: None,
                content_id: None,
                source: AttachmentSource::Content(Vec::new()),
            };
        }
    };
    let is_given = |name: &&&str| object.get(**name).is_some_and(|value| !value.is_null());
    match SOURCES.iter().filter(is_given).count() {
        0 => problems.note(path, "needs one of content, url and file_id"),
        1 => {}
        _ => problems.note(path, "has more than one of content, url and file_id; one of them is needed"),
    }
    let mut inner = BodyProblems::default();
    let read = SendAttachment::take(&mut object, &mut inner);
    for problem in inner.found {
        problems.note(&format!("{path}.{}", problem.path), problem.message);
    }
    for name in object.keys() {
        problems.ignore(&format!("{path}.{name}"));
    }
    LetterAttachment {
        filename: read.filename,
        content_type: read.content_type,
        content_disposition: read.content_disposition,
        content_id: read.content_id,
        source: match (read.url, read.file_id) {
            (Some(url), _) => AttachmentSource::Url(url),
            (None, Some(file_id)) => AttachmentSource::File(file_id),
            (None, None) => AttachmentSource::Content(read.content.map(|content| content.0).unwrap_or_default()),
        },
    }
}

fn refuse<T>(message: &str, path: &str, problems: &mut BodyProblems) -> Option<T> {
    problems.note(path, message);
    None
}

/// Bytes decoded from base64.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Base64Content(Vec<u8>);

impl BodyValue for Base64Content {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let mut text = String::shape(value, path, problems)?;
        if text.contains(|c: char| c.is_ascii_whitespace()) {
            text.retain(|c| !c.is_ascii_whitespace());
        }
        let is_url_safe = text.contains(['-', '_']);
        let decoded = if is_url_safe { URL_SAFE_BASE64.decode(text) } else { STANDARD_BASE64.decode(text) };
        match decoded {
            Ok(bytes) => Some(Self(bytes)),
            Err(error) => refuse(&format!("is not base64: {error}"), path, problems),
        }
    }
}

impl BodyValue for FileId {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let id = String::shape(value, path, problems)?.parse().ok();
        if id.is_none() {
            problems.note(path, "is not the file_id of a file");
        }
        id
    }
}

impl BodyValue for Disposition {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let text = String::shape(value, path, problems)?;
        let known = [Self::Inline, Self::Attachment].into_iter().find(|known| known.as_str() == text);
        if known.is_none() {
            problems.note(path, "must be inline or attachment");
        }
        known
    }
}
