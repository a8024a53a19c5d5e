//! Tools of messages.

use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;
use serde_json::{Map, json};

use crate::body::request;
use crate::mcp::arguments::WholeNumber;
use crate::mcp::call::message_id;
use crate::mcp::results::Output;
use crate::mcp::results::message::{BodyRange, whole};
use crate::mcp::tool::{ToolCall, ToolResult};

request! {
    /// A message to read.
    pub(crate) struct GetMessage {
        /// Address of the inbox.
        inbox_id: String,
        /// Id of the message.
        message_id: String,
        /// Characters of the text to skip.
        #[schema(value_type = Option<u32>, minimum = 0, default = 0)]
        offset: Option<WholeNumber<0, 1_000_000_000>>,
        /// Characters of the text to return.
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 25000, default = 8000)]
        max_chars: Option<WholeNumber<1, 25_000>>,
        /// Adds the HTML body, quoted history included.
        include_html: Option<bool>,
    }
}

pub(super) async fn get_message(call: ToolCall<GetMessage>) -> ToolResult {
    let input = &call.input;
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(&input.inbox_id)?;
    let message = messages::get(call.app(), &caller, &inbox_id, &message_id(&input.message_id)).await?;
    let default = BodyRange::default();
    let range = BodyRange {
        offset: input.offset.map_or(0, WholeNumber::to_usize),
        max_chars: input.max_chars.map_or(default.max_chars, WholeNumber::to_usize),
        has_html: input.include_html == Some(true),
        ..default
    };
    let shown = whole(&message, range);
    let output = Output::of_mail(shown.fields).cut(shown.cuts);
    Ok(match shown.rest {
        None => output.into(),
        Some(offset) => {
            let next = json!({ "inboxId": inbox_id, "messageId": message.item.message_id, "offset": offset });
            output.next("get_message", next.as_object().unwrap_or(&Map::new())).into()
        }
    })
}
