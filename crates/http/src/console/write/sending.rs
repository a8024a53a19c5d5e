//! `…/drafts/{draft_id}/sending`: the page after "Send", from which the send can be undone.

use askama::Template;
use inboxd_core::app::inboxes;
use inboxd_core::model::SendStatus;
use inboxd_core::model::permissions::InboxRead;

use super::draft::find;
use super::{Held, recipients, subject};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::time::Moment;
use crate::error::ErrorCode;

#[derive(Template)]
#[template(path = "console/sending.html")]
struct SendingPage {
    frame: Frame,
    /// The draft; `None` once it has left.
    draft: Option<Waiting>,
    inbox_path: String,
    sent_path: String,
}

/// A draft that has not left yet.
struct Waiting {
    path: String,
    subject: String,
    recipients: String,
    send_at: Option<Moment>,
    seconds: i64,
    status: Option<SendStatus>,
    held: Option<Held>,
    thread_path: Option<String>,
}

impl Waiting {
    fn is(&self, status: SendStatus) -> bool {
        self.status == Some(status)
    }
}

pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let now = call.app().clock.now();
    let draft = match find(call).await {
        Ok(draft) => Some(draft.item),
        Err(error) if error.code == ErrorCode::NotFound => {
            let (caller, inbox_id) = call.authorize_inbox::<InboxRead>()?;
            inboxes::get(call.app(), &caller, &inbox_id).await?;
            None
        }
        Err(error) => return Err(error),
    };
    let draft = draft.map(|item| Waiting {
        path: links::draft(&item.inbox_id, item.draft_id),
        subject: subject(&item),
        recipients: recipients(&item),
        send_at: item.dispatch.send_at.map(Moment),
        seconds: item.dispatch.send_at.map_or(0, |at| (at - now).whole_seconds().max(0)),
        status: item.dispatch.status(now),
        held: Held::of(call, &item),
        thread_path: item.thread_id().map(|thread_id| links::thread(&item.inbox_id, thread_id)),
    });
    let title = match draft.as_ref().map(|draft| draft.status) {
        None => "Sent",
        Some(Some(SendStatus::Failed)) => "Not sent",
        Some(None) => "Draft",
        Some(Some(SendStatus::Scheduled | SendStatus::Sending)) => "Sending",
    };
    let inbox_path = links::inbox(&call.inbox_id());
    let page = SendingPage {
        frame: call.frame(Section::Mail, title),
        draft,
        sent_path: links::with_query(&inbox_path, &[("view", "sent")]),
        inbox_path,
    };
    call.render(&page)
}
