//! `/console/inboxes/{inbox_id}/threads/{thread_id}`: a thread, newest message first.

use actix_web::HttpRequest;
use askama::Template;
use inboxd_core::app::members;
use inboxd_core::app::threads::{self, ThreadChange, ThreadPage};
use inboxd_core::model::permissions::{MessageRead, MessageUpdate};
use inboxd_core::model::{Direction, Member, Message, PageRequest, Permission, Thread};
use inboxd_core::ports::WorkOwner;
use inboxd_core::rules::access;
use inboxd_core::rules::labels::LabelChange;

use super::inbox::may_compose;
use super::message::MessageCard;
use super::rows::{LabelBadge, badges, name_of, subject};
use super::start::form_id;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::text::shown_lines;
use crate::console::time::Moment;
use crate::error::ApiError;
use crate::query::{PAGE_TOKEN, QueryReader};

/// Messages of a page.
const PAGE_MESSAGES: &str = "10";

#[derive(Template)]
#[template(path = "console/thread.html")]
#[expect(clippy::struct_excessive_bools, reason = "a template asks for each by its name")]
struct ThreadTemplate<'a> {
    frame: Frame,
    address: String,
    inbox: String,
    path: String,
    messages: Vec<MessageCard>,
    count: u64,
    older: Option<String>,
    is_first: bool,
    labels: Vec<LabelBadge>,
    is_trashed: bool,
    assignee: Option<String>,
    assignees: Vec<Choice>,
    notes: Vec<NoteField>,
    drafts: Vec<DraftLink>,
    may_compose: bool,
    may_update: bool,
    may_delete: bool,
    /// Idempotency key of a new note.
    client_id: String,
    note: &'a str,
    label: &'a str,
    problem: Option<&'a Problem>,
}

/// A note of the thread.
struct NoteField {
    id: String,
    author: String,
    moment: Moment,
    text: String,
    may_delete: bool,
}

/// A draft of a reply in the thread.
struct DraftLink {
    href: String,
    author: String,
    moment: Moment,
}

/// Shows a thread. Its messages are read from then on.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Shows a thread, with the problem of a form.
pub(super) async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let paging = reader(call).page(call, Direction::Descending)?;
    let thread_id = call.thread_id()?;
    let (limit, after) = (paging.request.limit, paging.request.after.as_ref());
    let ThreadPage { thread, messages, notes, drafts } =
        threads::get(call.app(), &caller, thread_id, limit, after).await?;
    let path = links::thread(&inbox_id, thread_id);
    let cards = cards(call, messages.items).await?;
    let is_unrestricted = access::is_unrestricted(&call.caller);
    let own_id = call.caller.actor.id();
    let may_update = call.may(Permission::MessageUpdate);
    let typed = |name| call.form.one(name).filter(|_| problem.is_some()).unwrap_or_default();
    let template = ThreadTemplate {
        frame: call.frame(Section::Mail, subject(thread.subject.as_deref())),
        address: inbox_id.to_string(),
        inbox: links::inbox(&inbox_id),
        messages: cards,
        count: thread.message_count,
        older: paging.next(messages.next.as_ref()).map(|token| links::with_query(&path, &[(PAGE_TOKEN, &token)])),
        is_first: call.query.one(PAGE_TOKEN).is_none(),
        labels: badges(&thread.labels),
        is_trashed: thread.labels.contains("trash"),
        assignee: thread.assignee.as_ref().map(name_of),
        assignees: if may_update { assignees(call, &thread).await? } else { Vec::new() },
        notes: notes
            .into_iter()
            .map(|note| NoteField {
                id: note.note_id.to_string(),
                may_delete: may_update && (is_unrestricted || note.created_by.id() == own_id),
                author: name_of(&note.created_by),
                moment: Moment(note.created_at),
                text: shown_lines(&note.text, 10_000),
            })
            .collect(),
        drafts: drafts
            .into_iter()
            .map(|draft| DraftLink {
                href: links::draft(&inbox_id, draft.item.draft_id),
                author: name_of(&draft.item.created_by),
                moment: Moment(draft.item.updated_at),
            })
            .collect(),
        may_compose: may_compose(call),
        may_update,
        may_delete: call.may(Permission::MessageDelete),
        client_id: form_id(call),
        note: typed("note"),
        label: typed("label"),
        path,
        problem,
    };
    let response = render_form(call, problem, &template)?;
    mark_read(call, &thread).await;
    Ok(response)
}

/// Returns the query with the number of messages of a page.
fn reader(call: &ConsoleCall) -> QueryReader {
    let page_token = call.query.one(PAGE_TOKEN).map(|token| (PAGE_TOKEN.to_owned(), token.to_owned()));
    QueryReader::of_pairs(page_token.into_iter().chain([("limit".to_owned(), PAGE_MESSAGES.to_owned())]).collect())
}

/// Returns the messages, newest first.
async fn cards(call: &ConsoleCall, messages: Vec<Message>) -> Result<Vec<MessageCard>, ApiError> {
    let owner = WorkOwner::Organization(call.caller.organization.organization_id);
    let bytes = messages.iter().map(bytes_of).sum();
    let cards =
        move || messages.iter().rev().enumerate().map(|(place, message)| MessageCard::new(message, place)).collect();
    Ok(call.app().compute(owner, bytes, cards).await?)
}

/// Returns the bytes of the bodies that a card is made of.
fn bytes_of(message: &Message) -> usize {
    let body = &message.body;
    [&body.text, &body.html, &body.extracted_text].into_iter().flatten().map(String::len).sum()
}

/// Returns the people that the thread can be assigned to.
async fn assignees(call: &ConsoleCall, thread: &Thread) -> Result<Vec<Choice>, ApiError> {
    let chosen = thread.assignee.as_ref().map(inboxd_core::model::Actor::id).unwrap_or_default();
    let own_id = call.caller.actor.id();
    let mut choices = vec![
        Choice::new("none", "Nobody", |_| chosen.is_empty()),
        Choice::new("me", "Me", |_| !chosen.is_empty() && chosen == own_id),
    ];
    if let Some(other) = thread.assignee.as_ref().filter(|other| other.id() != own_id) {
        choices.push(Choice::new(other.id(), &name_of(other), |_| true));
    }
    if call.may(Permission::MemberRead) {
        let page = PageRequest { limit: PageRequest::MAX_LIMIT, ..PageRequest::default() };
        let found = members::list(call.app(), &call.caller, page).await?.items;
        let others = found.into_iter().filter(Member::is_active).map(|member| member.actor());
        for member in others.filter(|member| member.id() != own_id && member.id() != chosen) {
            choices.push(Choice::new(member.id(), &name_of(&member), |_| false));
        }
    }
    Ok(choices)
}

/// Removes `unread` from the messages of a shown thread. The page is there even if that fails.
async fn mark_read(call: &ConsoleCall, thread: &Thread) {
    let may = call.may(Permission::MessageUpdate) && call.app().capacity.has_space();
    if !thread.labels.contains("unread") || !may || is_prefetch(call.request()) {
        return;
    }
    let Ok((caller, _)) = call.authorize_inbox::<MessageUpdate>() else { return };
    let labels = LabelChange { add: Vec::new(), remove: vec!["unread".to_owned()] };
    let change = ThreadChange { labels, assignee: None };
    if let Err(error) = threads::update(call.app(), &caller, thread.thread_id, change).await {
        tracing::debug!(%error, thread_id = %thread.thread_id, "thread not marked read");
    }
}

/// Returns whether the browser loads the page before a person opens it.
fn is_prefetch(request: &HttpRequest) -> bool {
    let purpose = request.headers().get("sec-purpose").and_then(|value| value.to_str().ok());
    purpose.is_some_and(|purpose| purpose.contains("prefetch"))
}
