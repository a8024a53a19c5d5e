//! The page with the composer.

use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::app::{inboxes, messages};
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::model::{Draft, DraftId, DraftKind, InboxId, MessageId, Permission, SendStatus};
use serde::Serialize;

use super::fields::{Problem, Typed};
use super::{Held, author, is_of_agent};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::{shown, shown_lines, size};
use crate::console::time::Moment;

/// Characters of the message that a reply or forward shows.
const MAX_CONTEXT_CHARS: usize = 20_000;

/// Kind of a new message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    New,
    Reply,
    ReplyAll,
    Forward,
}

/// The message that the composer writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A new message, to or of another one. `key` makes its creation repeatable.
    New { kind: Kind, message_id: Option<MessageId>, key: String },
    /// A stored draft.
    Draft(DraftId),
}

/// The composer with its fields.
pub(super) struct Composer<'a> {
    pub(super) target: &'a Target,
    /// The stored draft, once there is one.
    pub(super) draft: Option<&'a Draft>,
    pub(super) typed: Typed,
    pub(super) problems: Vec<Problem>,
    /// Whether the stored draft was changed elsewhere since the page was made.
    pub(super) is_conflict: bool,
}

#[derive(Template)]
#[template(path = "console/compose.html")]
struct ComposerPage<'a> {
    frame: Frame,
    path: &'a str,
    /// Where the script saves; `None` for a scheduled draft, which must not leave half typed, and for a held one, whose
    /// approval a change voids.
    autosave: Option<String>,
    /// Inbox and person that send.
    from: String,
    hidden: Vec<(&'static str, String)>,
    typed: &'a Typed,
    problems: &'a [Problem],
    is_conflict: bool,
    draft: Option<ShownDraft>,
    context: Option<Context>,
    may_send: bool,
    may_discard: bool,
    back: String,
}

/// A stored draft beside its fields.
struct ShownDraft {
    path: String,
    stored: Typed,
    created_by: String,
    updated_by: String,
    updated_at: Moment,
    is_by_agent: bool,
    /// Addresses of replies, if not the inbox.
    reply_to: String,
    has_html: bool,
    send_at: Option<Moment>,
    status: Option<SendStatus>,
    held: Option<Held>,
    attachments: Vec<ShownAttachment>,
}

/// An attachment of a draft.
#[derive(Debug, Serialize)]
pub(super) struct ShownAttachment {
    id: String,
    name: String,
    size: String,
    path: String,
}

/// The message that a draft replies to or forwards.
struct Context {
    is_forward: bool,
    subject: String,
    from: String,
    at: Moment,
    path: String,
    text: String,
}

impl Kind {
    /// Returns the kind of a name; a new message for any other name.
    pub(super) fn named(name: Option<&str>) -> Self {
        let kinds = [Self::Reply, Self::ReplyAll, Self::Forward];
        kinds.into_iter().find(|kind| Some(kind.name()) == name).unwrap_or(Self::New)
    }

    fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Reply => "reply",
            Self::ReplyAll => "reply-all",
            Self::Forward => "forward",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::New => "New message",
            Self::Reply => "Reply",
            Self::ReplyAll => "Reply to all",
            Self::Forward => "Forward",
        }
    }
}

impl ShownDraft {
    fn new(call: &ConsoleCall, draft: &Draft) -> Self {
        let item = &draft.item;
        Self {
            path: links::draft(&item.inbox_id, item.draft_id),
            stored: Typed::of_draft(draft),
            created_by: author(&item.created_by),
            updated_by: author(&item.updated_by),
            updated_at: Moment(item.updated_at),
            is_by_agent: is_of_agent(item),
            reply_to: item.reply_to.join(", "),
            has_html: draft.html.is_some(),
            send_at: item.dispatch.send_at.map(Moment),
            status: item.dispatch.status(call.app().clock.now()),
            held: Held::of(call, item),
            attachments: attachments(draft),
        }
    }

    fn is(&self, status: SendStatus) -> bool {
        self.status == Some(status)
    }
}

/// Returns the attachments of a draft.
pub(super) fn attachments(draft: &Draft) -> Vec<ShownAttachment> {
    let path = links::draft(&draft.item.inbox_id, draft.item.draft_id);
    let shown = draft.item.attachments.iter().map(|attachment| ShownAttachment {
        id: attachment.attachment_id.to_string(),
        name: shown(attachment.filename.as_deref().unwrap_or("Without a name"), 100),
        size: size(attachment.size),
        path: format!("{path}/attachments/{}", attachment.attachment_id),
    });
    shown.collect()
}

impl Composer<'_> {
    /// Renders the page.
    ///
    /// # Errors
    /// When the inbox is gone or out of reach, or storage fails.
    pub(super) async fn render(&self, call: &ConsoleCall, status: StatusCode) -> PageResult {
        let (caller, inbox_id) = call.authorize_inbox::<InboxRead>()?;
        let inbox = inboxes::get(call.app(), &caller, &inbox_id).await?;
        let mut draft = self.draft.map(|draft| ShownDraft::new(call, draft));
        if let (Some(stored), Some(held)) = (self.draft, draft.as_mut().and_then(|draft| draft.held.as_mut())) {
            held.read(call, stored.item.draft_id).await?;
        }
        let path = draft.as_ref().map_or_else(|| links::in_inbox(&inbox_id, "compose"), |draft| draft.path.clone());
        let is_fixed = |draft: &Draft| draft.item.dispatch.send_at.is_some() || draft.item.awaits_approval();
        let is_fixed = self.draft.is_some_and(is_fixed);
        let page = ComposerPage {
            frame: call.frame(self.section(), self.title()),
            autosave: (!is_fixed && !self.is_conflict).then(|| format!("{path}/autosave")),
            path: &path,
            from: inbox.mailbox().map_or_else(|| inbox_id.to_string(), |mailbox| mailbox.to_string()),
            hidden: self.hidden(),
            typed: &self.typed,
            problems: &self.problems,
            is_conflict: self.is_conflict,
            context: self.context(call, &inbox_id).await,
            may_send: call.may(Permission::DraftSend),
            may_discard: call.may(Permission::DraftDelete),
            back: links::inbox(&inbox_id),
            draft,
        };
        call.render_with(status, &page)
    }

    fn section(&self) -> Section {
        if self.draft.is_some() { Section::Drafts } else { Section::Mail }
    }

    fn title(&self) -> &'static str {
        match (self.draft.map(|draft| &draft.item.kind), self.target) {
            (None, Target::New { kind, .. }) => kind.title(),
            (Some(DraftKind::Reply { .. }), _) => "Draft of a reply",
            (Some(DraftKind::Forward { .. }), _) => "Draft of a forward",
            _ => "Draft",
        }
    }

    fn hidden(&self) -> Vec<(&'static str, String)> {
        match (self.draft, self.target) {
            (Some(draft), _) => vec![("revision", draft.item.dispatch.revision.to_string())],
            (None, Target::New { kind, message_id, key }) => {
                let message_id = message_id.as_ref().map(ToString::to_string).unwrap_or_default();
                vec![("kind", kind.name().to_owned()), ("message_id", message_id), ("idempotency_key", key.clone())]
            }
            (None, Target::Draft(_)) => Vec::new(),
        }
    }

    /// Returns the message that is answered or forwarded; `None` without one, or without the right to read it.
    async fn context(&self, call: &ConsoleCall, inbox_id: &InboxId) -> Option<Context> {
        let (message_id, is_forward) = match (self.draft.map(|draft| &draft.item.kind), self.target) {
            (Some(DraftKind::Reply { in_reply_to, .. }), _) => (in_reply_to, false),
            (Some(DraftKind::Forward { forward_of }), _) => (forward_of, true),
            (None, Target::New { kind, message_id: Some(message_id), .. }) => (message_id, *kind == Kind::Forward),
            _ => return None,
        };
        let message = messages::get(call.app(), &call.caller, inbox_id, message_id).await.ok()?;
        let item = &message.item;
        Some(Context {
            is_forward,
            subject: shown(item.subject.as_deref().unwrap_or("No subject"), 200),
            from: shown(&item.from, 200),
            at: Moment(item.timestamp),
            path: links::thread(inbox_id, item.thread_id),
            text: shown_lines(message.body.text.as_deref().unwrap_or_default(), MAX_CONTEXT_CHARS),
        })
    }
}

impl ComposerPage<'_> {
    /// Returns the problem of a field.
    fn problem(&self, field: &str) -> Option<&str> {
        self.problems.iter().find(|problem| problem.field == field).map(|problem| problem.text.as_str())
    }
}
