//! Pages of lists that fit into a result.

use futures_util::future::BoxFuture;
use inboxd_core::Error;
use inboxd_core::model::{Page, PageRequest};
use serde_json::{Map, Value};

use super::query::QueryArguments;
use crate::error::ApiError;
use crate::mcp::results::Output;
use crate::mcp::results::budget::{MAX_RESULT_CHARS, RESERVED_CHARS, Truncation, json_length};
use crate::query::Paging;

/// A list in the arguments and in the result of a tool.
pub(crate) struct ListedField<'a, S> {
    /// Name of the tool.
    pub(crate) tool: &'a str,
    /// Field of the result.
    pub(crate) field: &'a str,
    /// Arguments of the call.
    pub(crate) arguments: &'a QueryArguments<S>,
}

/// Reads a page and shows as many of its items as a result holds.
///
/// A page that does not fit is read again with a smaller limit, so that its token leads to the first item left out.
///
/// # Errors
/// The errors of the read.
pub(crate) async fn read_page<'a, S, T>(
    list: ListedField<'_, S>,
    paging: &Paging,
    output: fn(Map<String, Value>) -> Output,
    mut read: impl FnMut(PageRequest) -> BoxFuture<'a, Result<Page<T>, Error>>,
    show: impl Fn(T) -> Map<String, Value>,
) -> Result<Output, ApiError> {
    let request = paging.request.clone();
    let page = read(request.clone()).await?;
    let (mut next, total) = (page.next, page.items.len());
    let mut items: Vec<Value> = page.items.into_iter().map(&show).map(Value::Object).collect();
    let fitting = fitting(&items);
    if fitting < total {
        let smaller = PageRequest { limit: u32::try_from(fitting).unwrap_or(1), ..request };
        let page = read(smaller).await?;
        next = page.next;
        items = page.items.into_iter().map(&show).map(Value::Object).collect();
    }
    let returned = items.len();
    let mut output =
        output(Map::new()).with("count", returned).with("limit", paging.request.limit).with(list.field, items);
    if returned < total {
        output = output.cut([Truncation { field: list.field.to_owned(), returned, total }]);
    }
    if let Some(token) = paging.next(next.as_ref()) {
        output = output.next(list.tool, list.arguments.next(&token)).with("nextPageToken", token);
    }
    Ok(output)
}

/// Returns the number of items that a result holds, at least one.
fn fitting(items: &[Value]) -> usize {
    let mut left = MAX_RESULT_CHARS - RESERVED_CHARS;
    let fits = |item: &&Value| {
        let length = json_length(item) + 1;
        let has_room = length <= left;
        left = left.saturating_sub(length);
        has_room
    };
    items.iter().take_while(fits).count().max(1).min(items.len())
}
