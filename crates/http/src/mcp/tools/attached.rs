//! Attachments that a tool is given: content in base64, a URL to fetch, a file, or the attachment of a message.

use inboxd_core::app::messages::{attachment, find_attachment};
use inboxd_core::app::{AttachmentSource, LetterAttachment};
use inboxd_core::model::{AttachmentId, InboxId, MessageId};
use inboxd_core::{Error, FieldError};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::body::{AttachmentList, BodyProblems, BodyValue};
use crate::error::ApiError;
use crate::mcp::arguments::camel_case;
use crate::mcp::call::ToolContext;
use crate::path;

/// Number of stored attachments of one message at most.
const MAX_STORED: usize = 20;
/// Size of the stored attachments of one message together, in bytes.
const MAX_STORED_BYTES: u64 = 25_000_000;
/// Names of the fields of an attachment.
const FIELDS: [&str; 9] = [
    "filename",
    "content_type",
    "content_disposition",
    "content_id",
    "content",
    "url",
    "file_id",
    "message_id",
    "attachment_id",
];

/// An attachment: exactly one of content (base64), url, fileId of a file in this inbox, or messageId with attachmentId of
/// a message in this inbox. Prefer the last three: base64 beyond 30 KB gets lost.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this struct only describes arguments")]
pub(crate) struct AttachmentShape {
    filename: Option<String>,
    content_type: Option<String>,
    content_disposition: Option<String>,
    content_id: Option<String>,
    content: Option<String>,
    url: Option<String>,
    file_id: Option<String>,
    message_id: Option<String>,
    attachment_id: Option<String>,
}

/// Attachments of a message to write.
#[derive(Debug, Clone, Default, ToSchema)]
#[schema(value_type = Vec<AttachmentShape>)]
pub(crate) struct AttachmentArguments(Vec<GivenAttachment>);

#[derive(Debug, Clone)]
struct GivenAttachment {
    /// The attachment, without content where it is a stored one.
    attachment: LetterAttachment,
    stored: Option<StoredReference>,
}

/// Name of an attachment of a stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StoredReference {
    message_id: MessageId,
    attachment_id: AttachmentId,
}

impl BodyValue for AttachmentArguments {
    fn shape(mut value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        let mut stored = Vec::new();
        for (place, element) in value.as_array_mut().into_iter().flatten().enumerate() {
            let path = format!("{path}[{place}]");
            let fields = element.as_object_mut();
            stored.push(fields.and_then(|fields| take_reference(fields, &path, problems)));
        }
        if stored.iter().flatten().count() > MAX_STORED {
            problems.note(path, format!("a message has at most {MAX_STORED} attachments of stored messages"));
        }
        let AttachmentList(attachments) = AttachmentList::shape(value, path, problems)?;
        let given = attachments.into_iter().zip(stored);
        Some(Self(given.map(|(attachment, stored)| GivenAttachment { attachment, stored }).collect()))
    }
}

/// Takes the reference out of an attachment, and leaves empty content in its place.
fn take_reference(fields: &mut Map<String, Value>, path: &str, problems: &mut BodyProblems) -> Option<StoredReference> {
    for unknown in fields.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
        let known = FIELDS.map(camel_case).join(", ");
        problems.note(&format!("{path}.{unknown}"), format!("is none of {known}"));
    }
    fields.retain(|name, value| FIELDS.contains(&name.as_str()) && !value.is_null());
    let ids = ["message_id", "attachment_id"].map(|name| fields.remove(name));
    let (message_id, attachment_id) = match ids {
        [None, None] => return None,
        [Some(Value::String(message_id)), Some(Value::String(attachment_id))] => (message_id, attachment_id),
        _ => {
            problems.note(path, "needs both messageId and attachmentId, which are strings");
            fields.entry("content").or_insert_with(|| Value::from(""));
            return None;
        }
    };
    if ["content", "url", "file_id"].iter().any(|source| fields.contains_key(*source)) {
        problems.note(path, "has content, url or fileId beside messageId and attachmentId; one source is needed");
    }
    fields.remove("url");
    fields.remove("file_id");
    fields.insert("content".to_owned(), Value::from(""));
    let Ok(attachment_id) = attachment_id.parse() else {
        problems.note(&format!("{path}.attachment_id"), "is not the attachment_id of an attachment");
        return None;
    };
    Some(StoredReference { message_id: path::message_id(&message_id), attachment_id })
}

impl AttachmentArguments {
    /// Returns the attachments without the content of stored ones, for validation.
    pub(super) fn unresolved(&self) -> Vec<LetterAttachment> {
        self.0.iter().map(|given| given.attachment.clone()).collect()
    }

    /// Reads stored attachments from messages of the inbox, as far as the caller may read them.
    ///
    /// # Errors
    /// 403 without `message_read`, 404 for an unknown attachment, 422 for too large ones.
    pub(super) async fn resolve(
        self,
        context: &ToolContext,
        inbox_id: &InboxId,
    ) -> Result<Vec<LetterAttachment>, ApiError> {
        let (app, caller) = (context.app(), context.caller());
        let mut bytes = 0;
        for StoredReference { message_id, attachment_id } in self.0.iter().filter_map(|given| given.stored.as_ref()) {
            let found = find_attachment(app, caller, inbox_id, message_id, *attachment_id).await;
            bytes += context.with_fix(found)?.attachment.size;
        }
        if bytes > MAX_STORED_BYTES {
            let message = "the attachments of stored messages have more than 25 MB together";
            return Err(Error::Invalid(vec![FieldError::new("attachments", message)]).into());
        }
        let mut resolved = Vec::with_capacity(self.0.len());
        for GivenAttachment { attachment: given, stored } in self.0 {
            let Some(StoredReference { message_id, attachment_id }) = stored else {
                resolved.push(given);
                continue;
            };
            let file = attachment(app, caller, inbox_id, &message_id, attachment_id).await?;
            resolved.push(LetterAttachment {
                filename: given.filename.or(file.attachment.filename),
                content_type: given.content_type.or(file.attachment.content_type),
                content_disposition: given.content_disposition.or(file.attachment.content_disposition),
                content_id: given.content_id.or(file.attachment.content_id),
                source: AttachmentSource::Content(file.content),
            });
        }
        Ok(resolved)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use inboxd_core::model::FileId;
    use inboxd_core::testing::fixtures;
    use serde_json::json;

    use super::*;
    use crate::body::ReadBody;

    fn read(value: Value) -> Result<AttachmentArguments, Error> {
        let mut problems = BodyProblems::default();
        let read = AttachmentArguments::shape(value, "attachments", &mut problems);
        ReadBody::new(read.unwrap_or_default(), problems).whole()
    }

    #[test]
    fn each_source_is_read() {
        let id = fixtures::id::<AttachmentId>(7).to_string();
        let file_id = fixtures::id::<FileId>(8);
        let read = read(json!([
            { "content": "aGk=", "filename": "a.txt" },
            { "url": "https://files.example/a" },
            { "file_id": file_id.to_string() },
            { "message_id": "<a@b>", "attachment_id": id, "filename": "b.txt", "content": null },
        ]));
        let AttachmentArguments(given) = read.unwrap();
        assert!(matches!(&given[0].attachment.source, AttachmentSource::Content(content) if content == b"hi"));
        assert!(matches!(given[1].attachment.source, AttachmentSource::Url(_)));
        assert!(matches!(given[2].attachment.source, AttachmentSource::File(id) if id == file_id));
        assert_eq!(given[3].stored.as_ref().unwrap().message_id.as_str(), "<a@b>");
        assert_eq!(given[3].attachment.filename.as_deref(), Some("b.txt"));
        assert!(given[..3].iter().all(|given| given.stored.is_none()));
    }

    #[test]
    fn unclear_sources_are_refused() {
        let id = fixtures::id::<AttachmentId>(7).to_string();
        let file_id = fixtures::id::<FileId>(8).to_string();
        for value in [
            json!("x"),
            json!([1]),
            json!([{}]),
            json!([{ "message_id": "<a@b>" }]),
            json!([{ "attachment_id": id }]),
            json!([{ "message_id": "<a@b>", "attachment_id": "x" }]),
            json!([{ "message_id": "<a@b>", "attachment_id": id, "content": "aGk=" }]),
            json!([{ "message_id": "<a@b>", "attachment_id": id, "url": "https://files.example" }]),
            json!([{ "message_id": "<a@b>", "attachment_id": id, "file_id": file_id }]),
            json!([{ "content": "aGk=", "file_id": file_id }]),
            json!([{ "file_id": "x" }]),
            json!([{ "content": "aGk=", "path": "/etc/passwd" }]),
            json!(vec![json!({ "message_id": "<a@b>", "attachment_id": id }); 21]),
        ] {
            let Err(Error::Invalid(problems)) = read(value.clone()) else { panic!("{value}") };
            assert_eq!(problems.len(), 1, "{value}: {problems:?}");
        }
    }
}
