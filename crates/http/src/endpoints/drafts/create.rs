//! `POST …/drafts`

use actix_web::web::Json;
use inboxd_core::app::Letter;
use inboxd_core::app::drafts::{self, NewDraft, SendTime};
use inboxd_core::model::permissions::DraftCreate;

use crate::authorized::Authorized;
use crate::body::{AddressList, AttachmentList, ClientId, StringList, Timestamp, request};
use crate::endpoints::JsonResult;
use crate::path;
use crate::views::DraftView;

request! {
    /// Draft to create. With `in_reply_to` it is a reply, with `forward_of` a forward; this cannot be changed.
    pub(crate) struct NewDraftRequest {
        /// Recipients (To).
        to: Option<AddressList>,
        /// Recipients of a copy (Cc).
        cc: Option<AddressList>,
        /// Recipients of a blind copy (Bcc).
        bcc: Option<AddressList>,
        /// Addresses for replies (Reply-To); by default the inbox.
        reply_to: Option<AddressList>,
        /// Subject.
        subject: Option<String>,
        /// Plain text body.
        text: Option<String>,
        /// HTML body.
        html: Option<String>,
        /// Attachments.
        attachments: Option<AttachmentList>,
        /// Labels of the draft. The sent message inherits them.
        labels: Option<StringList>,
        /// Id of the message to reply to. Absent recipients and an absent subject are derived from it at once.
        in_reply_to: Option<String>,
        /// Whether the reply goes to the sender and all recipients of that message. If true, `to`, `cc` and `bcc` are
        /// refused.
        reply_all: Option<bool>,
        /// Id of the message to forward. Its text and attachments are added when the draft is sent.
        forward_of: Option<String>,
        /// Scheduled time of sending.
        send_at: Option<Timestamp>,
        /// Idempotency key: a repeat returns the draft created before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

impl From<NewDraftRequest> for NewDraft {
    fn from(request: NewDraftRequest) -> Self {
        let list = |addresses: Option<AddressList>| addresses.unwrap_or_default().0;
        Self {
            letter: Letter {
                to: list(request.to),
                cc: list(request.cc),
                bcc: list(request.bcc),
                reply_to: list(request.reply_to),
                subject: request.subject,
                text: request.text,
                html: request.html,
                calendar: None,
                attachments: request.attachments.unwrap_or_default().0,
                headers: Vec::new(),
                labels: request.labels.unwrap_or_default().0,
                allow_automatic: false,
                confirm_reply_to: false,
                time: SendTime::default(),
            },
            in_reply_to: request.in_reply_to.as_deref().map(path::message_id),
            reply_all: request.reply_all == Some(true),
            forward_of: request.forward_of.as_deref().map(path::message_id),
            send_at: request.send_at.map(|Timestamp(at)| at),
            client_id: request.client_id,
        }
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/drafts",
    operation_id = "create_draft",
    tag = "Drafts",
    summary = "Create draft",
    description = "Creates a draft, or returns the one that the same `client_id` created before. Also requires `message_read` to reply or forward, and `draft_send` to schedule.",
    request_body = NewDraftRequest,
    responses((status = 200, description = "The draft", body = DraftView))
)]
pub(crate) async fn handle(mut call: Authorized<DraftCreate>) -> JsonResult<DraftView> {
    let now = call.app().clock.now();
    let read = call.letter::<NewDraftRequest>().await?.map(NewDraft::from);
    let new = read.checked(|new| drafts::problems_of_new(new, now))?;
    let draft = drafts::create(call.app(), &call.caller, &call.inbox_id(), new).await?;
    Ok(Json(DraftView::new(draft, call.app().clock.now())))
}
