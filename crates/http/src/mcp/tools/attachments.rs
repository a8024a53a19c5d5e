//! The tool that reads an attachment.

use inboxd_core::app::threads;
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{Attachment, AttachmentId, ThreadId};
use inboxd_core::ports::TextFormat;
use inboxd_core::rules::attachment_text::may_have_text;
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::{AttachmentTextRefusal, Error, Resource, app::App};
use serde_json::{Map, Value};

use super::links;
use crate::body::request;
use crate::clean::clean;
use crate::error::ApiError;
use crate::mcp::arguments::WholeNumber;
use crate::mcp::call::parse_id;
use crate::mcp::results::budget::{
    DEFAULT_BODY_CHARS, MAX_ITEM_CHARS, MAX_RESULT_CHARS, RESERVED_CHARS, Truncation, bound, excerpt,
};
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolReply, ToolResult};

request! {
    /// An attachment.
    pub(crate) struct AttachmentToRead {
        inbox_id: String,
        thread_id: String,
        attachment_id: String,
        /// Characters of its text to skip.
        #[schema(value_type = Option<u32>, minimum = 0, default = 0)]
        offset: Option<WholeNumber<0, 1_000_000_000>>,
        /// Characters of its text to return.
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 25000, default = 8000)]
        max_chars: Option<WholeNumber<1, 25_000>>,
    }
}

pub(super) async fn get_attachment(call: ToolCall<AttachmentToRead>) -> ToolResult {
    let input = &call.input;
    let (caller, _) = call.authorize_inbox::<MessageRead>(&input.inbox_id)?;
    let thread_id: ThreadId = parse_id(&input.thread_id, Resource::Thread)?;
    let attachment_id: AttachmentId = parse_id(&input.attachment_id, Resource::Attachment)?;
    let (inbox_id, found) = threads::find_attachment(call.app(), &caller, thread_id, attachment_id).await?;
    let text = text_of(call.app(), &caller, thread_id, &found.attachment).await?;
    let message_id = found.message_id.to_string();
    let (view, file) = links::attachment(&call.context, &inbox_id, &found.message_id, found.attachment)?;
    let mut fields = shape_fields(&view);
    bound(&mut fields, MAX_ITEM_CHARS);
    let mut output = Output::of_mail(fields).with("messageId", message_id);
    if let Some(Err(refusal)) = text {
        output = output.with("textProblem", format!("{refusal}; the bytes are at downloadUrl"));
    }
    if let Some(Ok(text)) = text {
        let offset = input.offset.map_or(0, WholeNumber::to_usize);
        let limit = input.max_chars.map_or(DEFAULT_BODY_CHARS, WholeNumber::to_usize);
        let room = MAX_RESULT_CHARS - RESERVED_CHARS - MAX_ITEM_CHARS;
        let part = excerpt(&clean(&text), offset, limit.min(room));
        if part.returned < part.total {
            output = output.cut([Truncation { field: "text".to_owned(), returned: part.returned, total: part.total }]);
        }
        let end = offset + part.returned;
        if end < part.total {
            output = output.next("get_attachment", rest(input, end));
        }
        output = output.with("text", part.text);
    }
    Ok(ToolReply::from(output).with_link(file))
}

/// Returns the arguments that read the text of an attachment on.
fn rest(input: &AttachmentToRead, offset: usize) -> Map<String, Value> {
    let mut next = Map::new();
    for (name, id) in
        [("inboxId", &input.inbox_id), ("threadId", &input.thread_id), ("attachmentId", &input.attachment_id)]
    {
        next.insert(name.to_owned(), Value::from(id.as_str()));
    }
    next.insert("offset".to_owned(), offset.into());
    if let Some(max_chars) = input.max_chars {
        next.insert("maxChars".to_owned(), max_chars.to_usize().into());
    }
    next
}

/// Returns the text of an attachment, or the reason why there is none; `None` for a kind without text.
async fn text_of(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    thread_id: ThreadId,
    attachment: &Attachment,
) -> Result<Option<Result<String, AttachmentTextRefusal>>, ApiError> {
    if !may_have_text(attachment) {
        return Ok(None);
    }
    match threads::attachment_text(app, caller, thread_id, attachment.attachment_id, TextFormat::Text).await {
        Ok(text) => Ok(Some(Ok(text.extracted.text))),
        Err(Error::AttachmentText(refusal)) => Ok(Some(Err(refusal))),
        Err(error) => Err(error.into()),
    }
}
