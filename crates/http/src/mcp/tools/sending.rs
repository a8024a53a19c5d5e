//! Tools that send mail. Each shows the sent mail with its recipients.

use inboxd_core::Error;
use inboxd_core::app::drafts::{self, SendTime};
use inboxd_core::app::messages::{self, Audience};
use inboxd_core::app::{DryRun, Letter, SendResult, problems_beside_everyone, problems_of_answer, problems_of_letter};
use inboxd_core::model::permissions::MessageSend;
use inboxd_core::model::{DraftId, IdempotencyClaim, InboxId, Permission};
use inboxd_core::rules::access;
use inboxd_mail::Mailbox;
use serde_json::{Map, Value};

use super::attached::AttachmentArguments;
use crate::body::{AddressList, StringList, Timestamp, request};
use crate::mcp::arguments::require_valid;
use crate::mcp::call::{ToolContext, message_id};
use crate::mcp::results::message::summary;
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::DryRunView;

/// What an agent does about a held message.
const HELD: &str =
    "A policy holds this message until a person approves it; do not send it again. get_draft shows the rule.";
/// Fields of a sent message that its sender does not need to see again.
const LEFT_OUT: [&str; 2] = ["size", "sentBy"];

request! {
    /// A mail to send.
    pub(crate) struct MailToSend {
        inbox_id: String,
        #[schema(value_type = Vec<String>, required = true)]
        to: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        cc: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        bcc: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        reply_to: Option<AddressList>,
        subject: Option<String>,
        text: Option<String>,
        html: Option<String>,
        #[schema(value_type = Option<Vec<String>>)]
        labels: Option<StringList>,
        attachments: Option<AttachmentArguments>,
        /// A repeat with the same key and arguments sends nothing more.
        idempotency_key: Option<String>,
        /// RFC 3339 time at which it leaves. Until then it can be cancelled.
        #[schema(value_type = Option<String>)]
        send_at: Option<Timestamp>,
        /// Seconds until it leaves, 1 to 3600, instead of sendAt.
        undo_seconds: Option<u32>,
        /// Only shows the result.
        dry_run: Option<bool>,
    }
}

request! {
    /// A message to forward.
    pub(crate) struct MailToForward {
        inbox_id: String,
        message_id: String,
        #[schema(value_type = Vec<String>, required = true)]
        to: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        cc: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        bcc: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        reply_to: Option<AddressList>,
        subject: Option<String>,
        /// Text before the forwarded one.
        text: Option<String>,
        html: Option<String>,
        #[schema(value_type = Option<Vec<String>>)]
        labels: Option<StringList>,
        attachments: Option<AttachmentArguments>,
        idempotency_key: Option<String>,
        #[schema(value_type = Option<String>)]
        send_at: Option<Timestamp>,
        undo_seconds: Option<u32>,
        /// Only shows the result.
        dry_run: Option<bool>,
    }
}

request! {
    /// A reply.
    pub(crate) struct MailToReply {
        inbox_id: String,
        message_id: String,
        /// Replies to everyone; excludes to, cc and bcc.
        reply_all: Option<bool>,
        /// The sender of the message if absent.
        #[schema(value_type = Option<Vec<String>>)]
        to: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        cc: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        bcc: Option<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        reply_to: Option<AddressList>,
        subject: Option<String>,
        text: Option<String>,
        html: Option<String>,
        #[schema(value_type = Option<Vec<String>>)]
        labels: Option<StringList>,
        attachments: Option<AttachmentArguments>,
        /// Replies to an automatic message too.
        allow_automatic: Option<bool>,
        /// Replies to a Reply-To of another domain too, although the sender is no correspondent.
        confirm_reply_to: Option<bool>,
        idempotency_key: Option<String>,
        #[schema(value_type = Option<String>)]
        send_at: Option<Timestamp>,
        undo_seconds: Option<u32>,
        /// Only shows the result.
        dry_run: Option<bool>,
    }
}

request! {
    /// A send to cancel.
    pub(crate) struct SendToCancel {
        inbox_id: String,
        message_id: String,
    }
}

/// Takes the letter and its attachments out of the input of a tool.
macro_rules! letter {
    ($input:ident $(, $allow_automatic:ident, $confirm_reply_to:ident)?) => {
        letter!($input $(, $allow_automatic, $confirm_reply_to)?; SendTime::default())
    };
    ($input:ident $(, $allow_automatic:ident, $confirm_reply_to:ident)?; $time:expr) => {{
        let attachments = $input.attachments.unwrap_or_default();
        let letter = Letter {
            to: mailboxes($input.to),
            cc: mailboxes($input.cc),
            bcc: mailboxes($input.bcc),
            reply_to: mailboxes($input.reply_to),
            subject: $input.subject,
            text: $input.text,
            html: $input.html,
            calendar: None,
            attachments: attachments.unresolved(),
            headers: Vec::new(),
            labels: $input.labels.unwrap_or_default().0,
            allow_automatic: false $(|| $input.$allow_automatic == Some(true))?,
            confirm_reply_to: false $(|| $input.$confirm_reply_to == Some(true))?,
            time: $time,
        };
        (letter, attachments)
    }};
}
pub(super) use letter;

/// Returns the mailboxes of an argument.
pub(super) fn mailboxes(addresses: Option<AddressList>) -> Vec<Mailbox> {
    addresses.unwrap_or_default().0
}

fn send_time(send_at: Option<Timestamp>, undo_seconds: Option<u32>) -> SendTime {
    SendTime { send_at: send_at.map(|Timestamp(at)| at), undo_seconds }
}

pub(super) async fn send_message(call: ToolCall<MailToSend>) -> ToolResult {
    let ToolCall { input, context } = call;
    let (caller, inbox_id) = context.authorize_inbox::<MessageSend>(&input.inbox_id)?;
    let (mut letter, attachments) = letter!(input; send_time(input.send_at, input.undo_seconds));
    require_valid(problems_of_letter(&letter))?;
    letter.attachments = attachments.resolve(&context, &inbox_id).await?;
    let (app, from) = (context.app().clone(), inbox_id.clone());
    if input.dry_run == Some(true) {
        return show_dry_run(&context, messages::dry_run_send(&app, &caller, &from, letter)).await;
    }
    let run = move |claim| async move { messages::send(&app, &caller, &from, letter, claim).await };
    send_and_show(&context, &inbox_id, input.idempotency_key, run).await
}

pub(super) async fn forward_message(call: ToolCall<MailToForward>) -> ToolResult {
    let ToolCall { input, context } = call;
    let (caller, inbox_id) = context.authorize_inbox::<MessageSend>(&input.inbox_id)?;
    let (mut letter, attachments) = letter!(input; send_time(input.send_at, input.undo_seconds));
    require_valid(problems_of_letter(&letter))?;
    letter.attachments = attachments.resolve(&context, &inbox_id).await?;
    let (app, from, forwarded) = (context.app().clone(), inbox_id.clone(), message_id(&input.message_id));
    if input.dry_run == Some(true) {
        let dry_run = messages::dry_run_forward(&app, &caller, &from, &forwarded, letter);
        return show_dry_run(&context, dry_run).await;
    }
    let run = move |claim| async move { messages::forward(&app, &caller, &from, &forwarded, letter, claim).await };
    send_and_show(&context, &inbox_id, input.idempotency_key, run).await
}

pub(super) async fn reply_to_message(call: ToolCall<MailToReply>) -> ToolResult {
    let ToolCall { input, context } = call;
    let (caller, inbox_id) = context.authorize_inbox::<MessageSend>(&input.inbox_id)?;
    let audience = if input.reply_all == Some(true) { Audience::Everyone } else { Audience::Sender };
    let time = send_time(input.send_at, input.undo_seconds);
    let (mut letter, attachments) = letter!(input, allow_automatic, confirm_reply_to; time);
    let mut problems = problems_of_answer(&letter);
    if audience == Audience::Everyone {
        problems.extend(problems_beside_everyone(&letter));
    }
    require_valid(problems)?;
    letter.attachments = attachments.resolve(&context, &inbox_id).await?;
    let (app, from, answered) = (context.app().clone(), inbox_id.clone(), message_id(&input.message_id));
    if input.dry_run == Some(true) {
        let dry_run = messages::dry_run_reply(&app, &caller, &from, &answered, audience, letter);
        return show_dry_run(&context, dry_run).await;
    }
    let run =
        move |claim| async move { messages::reply(&app, &caller, &from, &answered, audience, letter, claim).await };
    send_and_show(&context, &inbox_id, input.idempotency_key, run).await
}

pub(super) async fn cancel_message(call: ToolCall<SendToCancel>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageSend>(&call.input.inbox_id)?;
    let message_id = message_id(&call.input.message_id);
    let draft = drafts::cancel(call.app(), &caller, &inbox_id, &message_id).await?;
    let output = Output::new(Map::new()).with("cancelled", true).with("messageId", message_id.to_string());
    Ok(output.with("draftId", draft.item.draft_id.to_string()).into())
}

/// Returns the result of a dry run.
///
/// # Errors
/// The errors of the dry run.
pub(super) async fn show_dry_run(
    context: &ToolContext,
    dry_run: impl Future<Output = Result<DryRun, Error>>,
) -> ToolResult {
    let view = DryRunView::new(context.with_fix(dry_run.await)?, &context.state().base_url);
    Ok(Output::of_mail(shape_fields(&view)).into())
}

/// Sends at most once for an idempotency key, and returns the sent message.
///
/// # Errors
/// The errors of [`ToolContext::send_once`].
pub(super) async fn send_and_show<Sending: Future<Output = Result<SendResult, Error>>>(
    context: &ToolContext,
    inbox_id: &InboxId,
    idempotency_key: Option<String>,
    run: impl FnOnce(Option<IdempotencyClaim>) -> Sending,
) -> ToolResult {
    let sent = context.send_once(idempotency_key, run).await?;
    shown(context, inbox_id, &sent).await
}

/// Returns what became of a message that a policy holds.
fn held(inbox_id: &InboxId, sent: &SendResult, draft_id: DraftId) -> Output {
    let fields = [
        ("status", "awaiting_approval".to_owned()),
        ("inboxId", inbox_id.to_string()),
        ("draftId", draft_id.to_string()),
        ("messageId", sent.message_id.to_string()),
        ("threadId", sent.thread_id.to_string()),
        ("advice", HELD.to_owned()),
    ];
    Output::of_mail(fields.map(|(name, value)| (name.to_owned(), Value::from(value))).into_iter().collect())
}

/// Returns the sent message.
///
/// A caller without `message_read` sees its ids alone, because recipients and subject of a reply are those of a message.
async fn shown(context: &ToolContext, inbox_id: &InboxId, sent: &SendResult) -> ToolResult {
    if let Some(draft_id) = sent.held {
        return Ok(held(inbox_id, sent, draft_id).into());
    }
    let mut fields = Map::new();
    if access::holds(context.caller(), Permission::MessageRead) {
        match messages::item(context.app(), context.caller(), inbox_id, &sent.message_id).await {
            Ok(item) => fields = summary(&item),
            // The mail is sent, even if its stored copy is gone.
            Err(error) => tracing::debug!(?error, "sent message not shown"),
        }
        fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    }
    let ids = [
        ("inboxId", inbox_id.to_string()),
        ("messageId", sent.message_id.to_string()),
        ("threadId", sent.thread_id.to_string()),
    ];
    fields.extend(ids.map(|(name, id)| (name.to_owned(), Value::from(id))));
    Ok(Output::of_mail(fields).into())
}
