//! Tools of inboxes.

use inboxd_core::app::inboxes;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use crate::body::request;
use crate::mcp::call::PageLimit;
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::InboxList;

request! {
    /// A page of inboxes.
    pub(crate) struct ListInboxes {
        /// Inboxes per page.
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 100, default = 10)]
        limit: Option<PageLimit>,
        /// nextPageToken of the page before.
        page_token: Option<String>,
    }
}

pub(super) async fn list_inboxes(call: ToolCall<ListInboxes>) -> ToolResult {
    let caller = call.authorize_all::<InboxRead>()?;
    let paging = call.paging(call.input.limit, call.input.page_token.as_deref(), Direction::Descending)?;
    let page = inboxes::list(call.app(), &caller, paging.request.clone()).await?;
    Ok(Output::new(shape_fields(&InboxList::new(page, &paging))).into())
}
