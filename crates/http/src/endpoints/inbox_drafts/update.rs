//! `PATCH /v0/inboxes/{inbox_id}/drafts/{draft_id}`

use actix_web::web::Json;
use inboxd_core::app::drafts::{self, DraftChange};
use inboxd_core::model::{AttachmentId, Permission};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::{Error, FieldError};

use crate::auth::Authenticated;
use crate::body::{Addresses, Attachments, Nullable, Strings, Timestamp, request};
use crate::endpoints::Answer;
use crate::views::Draft;

request! {
    /// What to change; what is absent stays, and null takes away what is there.
    pub(crate) struct DraftChangeRequest {
        /// The recipients; null or an empty list clears them.
        #[schema(value_type = Option<Addresses>)]
        to: Nullable<Addresses>,
        /// Those who get a copy.
        #[schema(value_type = Option<Addresses>)]
        cc: Nullable<Addresses>,
        /// Those who get a copy that nobody sees.
        #[schema(value_type = Option<Addresses>)]
        bcc: Nullable<Addresses>,
        /// Where answers go, if not to the inbox.
        #[schema(value_type = Option<Addresses>)]
        reply_to: Nullable<Addresses>,
        /// The subject.
        #[schema(value_type = Option<String>)]
        subject: Nullable<String>,
        /// The text.
        #[schema(value_type = Option<String>)]
        text: Nullable<String>,
        /// The HTML.
        #[schema(value_type = Option<String>)]
        html: Nullable<String>,
        /// When it is to be sent; null unschedules it.
        #[schema(value_type = Option<Timestamp>)]
        send_at: Nullable<Timestamp>,
        /// Attachments to add.
        add_attachments: Option<Attachments>,
        /// The ids of attachments to take away.
        remove_attachments: Option<Strings>,
        /// Labels to add.
        add_labels: Option<Strings>,
        /// Labels to take away.
        remove_labels: Option<Strings>,
    }
}

impl TryFrom<DraftChangeRequest> for DraftChange {
    type Error = Error;

    fn try_from(request: DraftChangeRequest) -> Result<Self, Error> {
        let (add, remove) = (request.add_labels.unwrap_or_default().0, request.remove_labels.unwrap_or_default().0);
        Ok(Self {
            remove_attachments: attachment_ids(&request.remove_attachments.unwrap_or_default().0)?,
            labels: LabelChange::checked(&add, &remove)?,
            to: given(request.to).map(list),
            cc: given(request.cc).map(list),
            bcc: given(request.bcc).map(list),
            reply_to: given(request.reply_to).map(list),
            subject: given(request.subject),
            text: given(request.text),
            html: given(request.html),
            send_at: given(request.send_at).map(|at| at.map(|Timestamp(at)| at)),
            add_attachments: request.add_attachments.unwrap_or_default().0,
        })
    }
}

#[expect(clippy::option_option, reason = "the use case tells what was not sent from what was sent as null")]
fn given<T>(field: Nullable<T>) -> Option<Option<T>> {
    match field {
        Nullable::Absent => None,
        Nullable::Null => Some(None),
        Nullable::Value(value) => Some(Some(value)),
    }
}

fn list(addresses: Option<Addresses>) -> Vec<inboxd_mail::Mailbox> {
    addresses.unwrap_or_default().0
}

fn attachment_ids(texts: &[String]) -> Result<Vec<AttachmentId>, Error> {
    let (mut ids, mut problems) = (Vec::new(), Vec::new());
    for (place, text) in texts.iter().enumerate() {
        match text.parse() {
            Ok(id) => ids.push(id),
            Err(_) => problems.push(FieldError::new(
                format!("remove_attachments[{place}]"),
                "is not the attachment_id of an attachment",
            )),
        }
    }
    if problems.is_empty() { Ok(ids) } else { Err(Error::Invalid(problems)) }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}",
    operation_id = "update_draft",
    tag = "Drafts",
    summary = "Change a draft",
    description = "Changes a draft; whether it answers or passes on a message is fixed. Needs `draft_update`, and `draft_send` as well when it is scheduled then.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("draft_id" = String, Path, description = "The draft")
    ),
    request_body = DraftChangeRequest,
    responses((status = 200, description = "The draft", body = Draft))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<Draft> {
    let inbox_id = call.inbox(Permission::DraftUpdate)?;
    let request: DraftChangeRequest = call.body().await?;
    let change = DraftChange::try_from(request)?;
    let draft = drafts::update(call.app(), &call.caller, &inbox_id, call.draft_id()?, change).await?;
    Ok(Json(Draft::new(draft, call.app().clock.now())))
}
