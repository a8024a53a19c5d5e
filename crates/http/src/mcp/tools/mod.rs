//! The tools, in the order of `tools/list`.
//!
//! An entry names the function, which names the tool, then the title, the hints as letters (`R`ead-only,
//! `D`estructive, `I`dempotent, `O`pen world, `G`rowing), the permissions that a caller needs, the fields of the result,
//! and the description for models. All else follows from the function, `async fn(ToolCall<Input>) -> ToolResult`:
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

mod attached;
mod attachments;
mod connection;
mod domains;
mod drafts;
mod events;
mod inboxes;
pub(super) mod links;
mod lists;
pub(super) mod messages;
mod mistakes;
mod page;
mod query;
mod sending;
#[cfg(test)]
mod tests;
mod threads;
mod trace;

use std::sync::LazyLock;

use inboxd_core::model::Permission;

pub(super) use self::mistakes::refusal;
use super::tool::{Tool, ToolFacts, ToolHints};

/// Declares the table.
macro_rules! tools {
    ($($module:ident::$function:ident $title:literal $hints:tt [$($permission:ident),*] -> $outputs:literal
        $description:literal;)+) => {
        /// All tools, in the order of the list.
        pub(super) static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| vec![$(Tool::new(
            ToolFacts {
                name: stringify!($function),
                title: $title,
                description: $description,
                hints: ToolHints(stringify!($hints)),
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
    connection::connection_info "Show connection" RI [] -> "organizationId:string scopeType:string granted:string[] inboxes?:string[] sending?:object expiresAt?:string organization?:object"
        "Shows your organization, the inboxes and permissions of this connection, when it ends, and how many mails may still be sent today.";

    inboxes::list_inboxes "List inboxes" RI [InboxRead] -> "count:integer inboxes:object[] nextPageToken?:string"
        "Lists the inboxes that you can use, newest first. The inboxId of an inbox is its address.";
    inboxes::get_inbox "Get inbox" RI [InboxRead] -> "inboxId:string displayName?:string status:string metadata?:object"
        "Gets an inbox with its display name, status and metadata.";
    inboxes::create_inbox "Create inbox" G [InboxCreate] -> "inboxId:string"
        "Creates an inbox, an address that sends and receives. Without arguments the address is random.";
    inboxes::update_inbox "Update inbox" DIG [InboxUpdate] -> "inboxId:string"
        "Changes the display name or metadata of an inbox. Metadata is merged; null removes a pair.";
    inboxes::delete_inbox "Delete inbox" DI [InboxDelete] -> "deleted:boolean inboxId:string"
        "Deletes an inbox with all of its mail for good. Ask the user first.";

    threads::list_threads "List threads" RIO [MessageRead] -> "notice:string count:integer threads:object[] nextPageToken?:string"
        "Lists conversations of an inbox, newest first; every filter must match. Spam and trash are left out unless included.";
    threads::search_threads "Search threads" RIO [MessageRead] -> "notice:string count:integer threads:object[] nextPageToken?:string"
        "Lists conversations with a message that contains q in sender, recipients, subject or body.";
    threads::get_thread "Read thread" RIO [MessageRead] -> "notice:string threadId:string messages:object[] notes:object[] drafts:object[] nextPageToken?:string"
        "Reads a conversation: its newest messages, oldest of them first, each with its new text without quoted history, and notes and drafts of colleagues.";
    threads::update_thread "Update thread" DIG [MessageUpdate] -> "notice:string threadId:string labels:string[]"
        "Adds or removes labels of all messages of a thread, or assigns the thread to a person or key.";
    threads::delete_thread "Delete thread" D [MessageDelete] -> "deleted:boolean threadId:string"
        "Deletes a thread with its messages for good. To be able to undo it, add the label trash with update_thread instead.";
    threads::create_note "Write note" G [MessageUpdate] -> "noteId:string text:string"
        "Writes an internal note beside a thread for colleagues. It is never mailed.";
    threads::delete_note "Delete note" DI [MessageUpdate] -> "deleted:boolean noteId:string"
        "Deletes a note.";

    messages::list_messages "List messages" RIO [MessageRead] -> "notice:string count:integer messages:object[] nextPageToken?:string"
        "Lists messages of an inbox without bodies, newest first; every filter must match. Spam and trash are left out unless included.";
    messages::search_messages "Search messages" RIO [MessageRead] -> "notice:string count:integer messages:object[] nextPageToken?:string"
        "Lists messages that contain q in sender, recipients, subject or body, with match words also what matched.";
    messages::get_message "Read message" RIO [MessageRead] -> "notice:string messageId:string threadId:string from:string subject?:string extractedText?:string attachments?:object[]"
        "Reads a message: new text without quoted history, verification codes and links as fields, attachments with short-lived download URLs, and facts about the sender (SPF, DKIM, DMARC, spam, hidden text). Read on with offset.";
    events::wait_for_message "Wait for message" RIO [MessageRead] -> "notice?:string found:boolean messageId?:string"
        "Waits until a message that matches arrives, and reads it. Set after to a time before you caused the mail. If found is false, nothing came in time: call again with the same after.";
    messages::get_raw_message "Get raw message" RIO [MessageRead] -> "notice:string messageId:string downloadUrl:string expiresAt:string"
        "Gets a short-lived URL of the complete mail (RFC 5322), with all headers.";
    messages::update_message "Update message" DIG [MessageUpdate] -> "messageId:string labels:string[]"
        "Adds or removes labels of a message, such as unread or trash.";
    messages::delete_message "Delete message" DI [MessageDelete] -> "deleted:boolean messageId:string"
        "Deletes a message for good. To be able to undo it, add the label trash with update_message instead.";
    attachments::get_attachment "Get attachment" RIO [MessageRead] -> "notice:string attachmentId:string downloadUrl:string expiresAt:string text?:string textProblem?:string textUrl?:string"
        "Gets name, type, size and a short-lived download URL of an attachment, and the text of a text file.";

    sending::send_message "Send message" DOG [MessageSend] -> "notice:string messageId?:string threadId?:string to?:string[] dryRun?:boolean result?:string"
        "Sends a mail, now unless sendAt or undoSeconds delays it, and shows it with its recipients. What has left cannot be recalled. Set idempotencyKey, and repeat the same call with it after a timeout.";
    sending::reply_to_message "Reply to message" DOG [MessageSend] -> "notice:string messageId?:string threadId?:string to?:string[] dryRun?:boolean result?:string"
        "Replies in the thread of a message, to its sender, to all with replyAll, or to the recipients that you name. Cannot be recalled.";
    sending::forward_message "Forward message" DOG [MessageSend, MessageRead] -> "notice:string messageId?:string threadId?:string to?:string[] dryRun?:boolean result?:string"
        "Forwards a message with its text and attachments. Cannot be recalled.";
    sending::cancel_message "Cancel send" I [MessageSend] -> "cancelled:boolean messageId:string draftId:string"
        "Cancels a send with sendAt or undoSeconds that has not left. Its content stays as a draft.";

    drafts::create_draft "Write draft" G [DraftCreate] -> "notice:string draftId:string"
        "Writes a draft that a person can check. It is mailed only by send_draft, or at sendAt.";
    drafts::update_draft "Update draft" DIG [DraftUpdate] -> "notice:string draftId:string"
        "Changes a draft; absent fields stay.";
    drafts::list_drafts "List drafts" RI [DraftRead] -> "notice:string count:integer drafts:object[] nextPageToken?:string"
        "Lists drafts of an inbox without bodies, the last changed first.";
    drafts::get_draft "Read draft" RI [DraftRead] -> "notice:string draftId:string text?:string html?:string"
        "Reads a draft.";
    drafts::delete_draft "Delete draft" DI [DraftDelete] -> "deleted:boolean draftId:string"
        "Deletes a draft; its scheduled send is cancelled.";
    drafts::send_draft "Send draft" DOG [DraftSend] -> "notice:string messageId?:string threadId?:string to?:string[] dryRun?:boolean result?:string"
        "Sends a draft now and deletes it. Cannot be recalled.";

    events::list_events "List events" RIO [EventRead] -> "notice:string count:integer events:object[] nextPageToken?:string"
        "Lists events: mail received, sent, delivered, bounced, rejected. Newest first, or oldest first after afterEventId.";

    trace::get_trace "Trace messages" RIO [MessageRead] -> "notice:string count:integer trace:object[] nextPageToken?:string"
        "Shows what happened to mail of an inbox, newest first: received or refused, judged, read and labelled by whom, and delivery attempts with replies of servers.";

    lists::list_list_entries "List allow or block list" RI [ListEntryRead] -> "count:integer entries:object[] nextPageToken?:string"
        "Lists the addresses and domains that a list allows or blocks.";
    lists::create_list_entry "Add to allow or block list" G [ListEntryCreate] -> "entry:string"
        "Adds an address or domain to an allow or block list. An allow list with entries blocks all others.";
    lists::delete_list_entry "Remove from allow or block list" DI [ListEntryDelete] -> "deleted:boolean entry:string"
        "Removes an address or domain from an allow or block list.";

    domains::list_domains "List domains" RI [DomainRead] -> "count:integer domains:object[] nextPageToken?:string"
        "Lists custom domains with their status and the DNS records that they need.";
    domains::create_domain "Add domain" G [DomainCreate] -> "domainId:string records:object[]"
        "Adds a custom domain and shows the DNS records to create. Then call verify_domain.";
    domains::verify_domain "Verify domain" I [DomainUpdate] -> "domainId:string status:string records:object[]"
        "Checks the DNS records of a domain and shows which are missing or wrong.";

    connection::agent_verify "Confirm owner address" _ [OrganizationUpdate] -> "verified:boolean inboxDomain:string"
        "Confirms the owner's address with the six-digit code that was mailed to the owner. It lifts the limits of a new organization.";
}
