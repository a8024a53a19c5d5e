//! Tools of drafts.

use futures_util::FutureExt;
use inboxd_core::Resource;
use inboxd_core::app::Letter;
use inboxd_core::app::drafts::{self, DraftChange, DraftFilter, NewDraft, SendTime};
use inboxd_core::model::permissions::{DraftCreate, DraftDelete, DraftRead, DraftSend, DraftUpdate};
use inboxd_core::model::{Draft, DraftId};
use inboxd_core::rules::labels::LabelChange;
use serde_json::json;

use super::attached::AttachmentArguments;
use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use super::sending::{self, letter, mailboxes};
use crate::body::{AddressList, AttachmentIds, LabelNames, Nullable, StringList, Timestamp, request};
use crate::endpoints;
use crate::mcp::arguments::{WholeNumber, require_valid};
use crate::mcp::call::{ToolContext, message_id, parse_id};
use crate::mcp::results::Output;
use crate::mcp::results::budget::DEFAULT_BODY_CHARS;
use crate::mcp::results::draft::{summary, whole};
use crate::mcp::results::message::BodyRange;
use crate::mcp::tool::{ToolCall, ToolReply, ToolResult};

query_arguments! {
    /// Filters of drafts.
    DraftsListed [inbox_id] {
        inbox_id: String,
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
        labels: Option<Vec<String>>,
        /// RFC 3339 time.
        before: Option<String>,
        after: Option<String>,
        ascending: Option<bool>,
    }
}

request! {
    /// A draft to read.
    pub(crate) struct DraftToRead {
        inbox_id: String,
        draft_id: String,
        /// Characters of the bodies to skip.
        #[schema(value_type = Option<u32>, minimum = 0, default = 0)]
        offset: Option<WholeNumber<0, 1_000_000_000>>,
        #[schema(value_type = Option<u32>, minimum = 1, maximum = 25000, default = 8000)]
        max_chars: Option<WholeNumber<1, 25_000>>,
    }
}

request! {
    /// A draft.
    pub(crate) struct NamedDraft {
        inbox_id: String,
        draft_id: String,
    }
}

request! {
    /// A draft to write.
    pub(crate) struct DraftToCreate {
        inbox_id: String,
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
        /// Message to reply to; it gives recipients and subject.
        in_reply_to: Option<String>,
        /// With inReplyTo: replies to everyone.
        reply_all: Option<bool>,
        /// Message to forward.
        forward_of: Option<String>,
        /// RFC 3339 time at which it is sent without another call.
        #[schema(value_type = Option<String>)]
        send_at: Option<Timestamp>,
        /// Idempotency key: a repeat returns the same draft.
        client_id: Option<String>,
    }
}

request! {
    /// Changes of a draft.
    pub(crate) struct DraftToUpdate {
        inbox_id: String,
        draft_id: String,
        /// null clears this and each following field.
        #[schema(value_type = Option<Vec<String>>)]
        to: Nullable<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        cc: Nullable<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        bcc: Nullable<AddressList>,
        #[schema(value_type = Option<Vec<String>>)]
        reply_to: Nullable<AddressList>,
        #[schema(value_type = Option<String>)]
        subject: Nullable<String>,
        #[schema(value_type = Option<String>)]
        text: Nullable<String>,
        #[schema(value_type = Option<String>)]
        html: Nullable<String>,
        #[schema(value_type = Option<String>)]
        send_at: Nullable<Timestamp>,
        add_attachments: Option<AttachmentArguments>,
        #[schema(value_type = Option<Vec<String>>)]
        remove_attachments: Option<AttachmentIds>,
        #[schema(value_type = Option<Vec<String>>)]
        add_labels: Option<StringList>,
        #[schema(value_type = Option<Vec<String>>)]
        remove_labels: Option<StringList>,
    }
}

request! {
    /// A draft to send.
    pub(crate) struct DraftToSend {
        inbox_id: String,
        draft_id: String,
        #[schema(value_type = Option<Vec<String>>)]
        add_labels: Option<StringList>,
        #[schema(value_type = Option<Vec<String>>)]
        remove_labels: Option<StringList>,
        /// Replies to an automatic message too.
        allow_automatic: Option<bool>,
        /// A repeat with the same key and arguments sends nothing more.
        idempotency_key: Option<String>,
        /// Only shows the result.
        dry_run: Option<bool>,
    }
}

pub(super) async fn list_drafts(call: ToolCall<QueryArguments<DraftsListed>>) -> ToolResult {
    let arguments = &call.input;
    let (caller, _) = call.authorize_inbox::<DraftRead>(arguments.text("inbox_id"))?;
    let (filter, paging) = arguments.read_list(&call.context, endpoints::drafts::list::filter)?;
    let list = ListedField { tool: "list_drafts", field: "drafts", arguments };
    let read = |page| drafts::list(call.app(), &caller, DraftFilter { page, ..filter.clone() }).boxed();
    let now = call.app().clock.now();
    Ok(read_page(list, &paging, Output::of_mail, read, |item| summary(item, now)).await?.into())
}

pub(super) async fn get_draft(call: ToolCall<DraftToRead>) -> ToolResult {
    let input = &call.input;
    let (caller, _) = call.authorize_inbox::<DraftRead>(&input.inbox_id)?;
    let draft_id: DraftId = parse_id(&input.draft_id, Resource::Draft)?;
    let draft = drafts::get(call.app(), &caller, draft_id).await?;
    let range = BodyRange {
        offset: input.offset.map_or(0, WholeNumber::to_usize),
        max_chars: input.max_chars.map_or(DEFAULT_BODY_CHARS, WholeNumber::to_usize),
        ..BodyRange::default()
    };
    Ok(shown(&call.context, draft, range))
}

/// Returns a draft and the call that reads its rest.
fn shown(context: &ToolContext, draft: Draft, range: BodyRange) -> ToolReply {
    let (inbox_id, draft_id) = (draft.item.inbox_id.to_string(), draft.item.draft_id.to_string());
    let shown = whole(draft, range, context.app().clock.now());
    let output = Output::of_mail(shown.fields).cut(shown.cuts);
    match shown.rest {
        None => output.into(),
        Some(offset) => {
            let next = json!({ "inboxId": inbox_id, "draftId": draft_id, "offset": offset });
            output.next("get_draft", next).into()
        }
    }
}

pub(super) async fn create_draft(call: ToolCall<DraftToCreate>) -> ToolResult {
    let ToolCall { input, context } = call;
    let (caller, inbox_id) = context.authorize_inbox::<DraftCreate>(&input.inbox_id)?;
    let now = context.app().clock.now();
    let (letter, attachments) = letter!(input);
    let mut new = NewDraft {
        letter,
        in_reply_to: input.in_reply_to.as_deref().map(message_id),
        reply_all: input.reply_all == Some(true),
        forward_of: input.forward_of.as_deref().map(message_id),
        send_at: input.send_at.map(|Timestamp(at)| at),
        client_id: input.client_id,
    };
    require_valid(drafts::problems_of_new(&new, now))?;
    new.letter.attachments = attachments.resolve(&context, &inbox_id).await?;
    let draft = drafts::create(context.app(), &caller, &inbox_id, new).await?;
    Ok(shown(&context, draft, BodyRange::default()))
}

pub(super) async fn update_draft(call: ToolCall<DraftToUpdate>) -> ToolResult {
    let ToolCall { input, context } = call;
    let (caller, inbox_id) = context.authorize_inbox::<DraftUpdate>(&input.inbox_id)?;
    let now = context.app().clock.now();
    let added = input.add_attachments.unwrap_or_default();
    let labels = LabelNames::new(input.add_labels, input.remove_labels);
    let mut change = DraftChange {
        to: input.to.sent().map(mailboxes),
        cc: input.cc.sent().map(mailboxes),
        bcc: input.bcc.sent().map(mailboxes),
        reply_to: input.reply_to.sent().map(mailboxes),
        subject: input.subject.sent(),
        text: input.text.sent(),
        html: input.html.sent(),
        send_at: input.send_at.sent().map(|at| at.map(|Timestamp(at)| at)),
        add_attachments: added.unresolved(),
        remove_attachments: input.remove_attachments.unwrap_or_default().0,
        labels: LabelChange::default(),
        expected_revision: None,
    };
    require_valid(drafts::problems_of_change(&change, now).into_iter().chain(labels.problems()).collect())?;
    change.labels = labels.change()?;
    change.add_attachments = added.resolve(&context, &inbox_id).await?;
    let draft_id = parse_id(&input.draft_id, Resource::Draft)?;
    let draft = drafts::update(context.app(), &caller, &inbox_id, draft_id, change).await?;
    Ok(shown(&context, draft, BodyRange::default()))
}

pub(super) async fn delete_draft(call: ToolCall<NamedDraft>) -> ToolResult {
    let (caller, inbox_id) = call.authorize_inbox::<DraftDelete>(&call.input.inbox_id)?;
    let draft_id: DraftId = parse_id(&call.input.draft_id, Resource::Draft)?;
    drafts::delete(call.app(), &caller, &inbox_id, draft_id).await?;
    Ok(Output::deleted("draftId", draft_id.to_string()).into())
}

pub(super) async fn send_draft(call: ToolCall<DraftToSend>) -> ToolResult {
    let ToolCall { input, context } = call;
    let (caller, inbox_id) = context.authorize_inbox::<DraftSend>(&input.inbox_id)?;
    let labels = LabelNames::new(input.add_labels, input.remove_labels);
    require_valid(labels.problems())?;
    let (change, draft_id) = (labels.change()?, parse_id(&input.draft_id, Resource::Draft)?);
    let (app, from, is_allowed) = (context.app().clone(), inbox_id.clone(), input.allow_automatic == Some(true));
    if input.dry_run == Some(true) {
        let dry_run = drafts::dry_run_send(&app, &caller, &from, draft_id, &change, is_allowed);
        return Box::pin(sending::show_dry_run(&context, dry_run)).await;
    }
    let run =
        move |claim| async move { drafts::send(&app, &caller, &from, draft_id, &change, is_allowed, claim).await };
    sending::send_and_show(&context, &inbox_id, input.idempotency_key, run).await
}
