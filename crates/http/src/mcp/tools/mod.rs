//! The tools, in the order of `tools/list`.
//!
//! An entry names the function, whose name is that of the tool, then the title, the hints as letters (`R`ead-only,
//! `D`estructive, `I`dempotent, `O`pen world), the permissions that a caller needs, the fields of the result, and the
//! description for models. All else follows from the function, `async fn(ToolCall<Input>) -> ToolResult`:
//!
//! - `Input` is declared with [`request!`](crate::body::request), like a request body of the API: fields by their API
//!   names, which models see in camelCase. A required text is a `String`, any other field an `Option`. Doc comments
//!   become descriptions of the arguments, `#[schema(value_type = …)]` states a simpler type. All bad arguments are
//!   reported at once.
//! - [`Output`](super::results::Output) holds the fields. The entry lists them with their types after `->`, the root alone:
//!   `messages:object[] nextPageToken?:string`, where `?` marks a field that may be absent.
//! - Refusals are those of the API. The caller is authorized by [`ToolContext`](super::call::ToolContext) before a use
//!   case is called. The permissions of the entry are checked before the arguments.
//!
//! The list stays under 40 KB and has at most 40 tools: clients load all of it into the context of a model.

mod connection;
mod inboxes;
mod messages;

use std::sync::LazyLock;

use inboxd_core::model::Permission;

use super::tool::{Tool, ToolFacts, ToolHints};

/// Declares the table.
macro_rules! tools {
    ($($module:ident::$function:ident $title:literal $hints:ident [$($permission:ident),*] -> $outputs:literal
        $description:literal;)+) => {
        /// All tools, in the order of the list.
        pub(super) static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| vec![$(Tool::new(
            ToolFacts {
                name: stringify!($function),
                title: $title,
                description: $description,
                hints: ToolHints::of(stringify!($hints)),
                permissions: &[$(Permission::$permission),*],
                outputs: $outputs,
            },
            $module::$function,
        )),+]);
    };
}

/// Returns the tool of a name.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.facts.name == name)
}

tools! {
    inboxes::list_inboxes "List inboxes" RI [InboxRead] -> "count:integer limit:integer nextPageToken?:string inboxes:object[]"
        "Lists the inboxes that you can use, newest first.";
    messages::get_message "Read a message" RIO [MessageRead] -> "notice:string messageId:string threadId:string from:string subject?:string extractedText?:string"
        "Reads one message: its new text without quoted history, codes and links found in it, attachments, and facts about whether the sender is genuine. For text beyond maxChars call again with offset.";
    connection::connection_info "Connection info" RI [] -> "organizationId:string scopeType:string scopeId:string granted:string[] expiresAt?:string organization?:object"
        "Shows your organization, the inboxes and permissions of this connection, its expiry, and limits with their present use.";
}
