//! Tool that shows what happened to messages.

use futures_util::FutureExt;
use inboxd_core::app::trace::{self, TraceFilter};
use inboxd_core::model::TraceEntry;
use inboxd_core::model::permissions::MessageRead;
use serde_json::{Map, Value};

use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::endpoints;
use crate::mcp::results::budget::{MAX_ITEM_CHARS, bound};
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::trace_entry;

query_arguments! {
    /// Filters of a trace.
    Traced [inbox_id] {
        inbox_id: String,
        message_id: Option<String>,
        thread_id: Option<String>,
        /// Address of a correspondent.
        with: Option<String>,
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
        /// RFC 3339 time.
        start: Option<String>,
        end: Option<String>,
        ascending: Option<bool>,
    }
}

pub(super) async fn get_trace(call: ToolCall<QueryArguments<Traced>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>(arguments.text("inbox_id"))?;
    let (filter, paging) = arguments.read_list(&call.context, endpoints::trace::list::filter)?;
    let list = ListedField { tool: "get_trace", field: "trace", arguments };
    let read = |page| {
        let filter = TraceFilter { page, ..filter.clone() };
        trace::list(call.app(), &caller, &inbox_id, filter).boxed()
    };
    Ok(read_page(list, &paging, Output::of_mail, read, shown).await?.into())
}

fn shown(entry: TraceEntry) -> Map<String, Value> {
    let mut fields = shape_fields(&trace_entry(entry));
    bound(&mut fields, MAX_ITEM_CHARS);
    fields
}
