//! `PATCH …/drafts/{draft_id}`

use actix_web::web::Json;
use inboxd_core::app::drafts::{self, DraftChange};
use inboxd_core::model::permissions::DraftUpdate;
use inboxd_core::rules::labels::LabelChange;

use crate::authorized::Authorized;
use crate::body::{AddressList, AttachmentIds, AttachmentList, LabelNames, Nullable, StringList, Timestamp, request};
use crate::endpoints::JsonResult;
use crate::views::DraftView;

request! {
    /// Changes of a draft; absent fields keep their value, and null clears it.
    pub(crate) struct DraftChangeRequest {
        /// Recipients (To); null or an empty list clears them.
        #[schema(value_type = Option<AddressList>)]
        to: Nullable<AddressList>,
        /// Recipients of a copy (Cc).
        #[schema(value_type = Option<AddressList>)]
        cc: Nullable<AddressList>,
        /// Recipients of a blind copy (Bcc).
        #[schema(value_type = Option<AddressList>)]
        bcc: Nullable<AddressList>,
        /// Addresses for replies (Reply-To); by default the inbox.
        #[schema(value_type = Option<AddressList>)]
        reply_to: Nullable<AddressList>,
        /// Subject.
        #[schema(value_type = Option<String>)]
        subject: Nullable<String>,
        /// Plain text body.
        #[schema(value_type = Option<String>)]
        text: Nullable<String>,
        /// HTML body.
        #[schema(value_type = Option<String>)]
        html: Nullable<String>,
        /// Scheduled time of sending; null removes the schedule.
        #[schema(value_type = Option<Timestamp>)]
        send_at: Nullable<Timestamp>,
        /// Attachments to add.
        add_attachments: Option<AttachmentList>,
        /// Ids of attachments to remove.
        remove_attachments: Option<AttachmentIds>,
        /// Labels to add.
        add_labels: Option<StringList>,
        /// Labels to remove.
        remove_labels: Option<StringList>,
    }
}

impl DraftChangeRequest {
    /// Returns the change and its labels, which are validated separately.
    fn into_parts(self) -> (DraftChange, LabelNames) {
        let change = DraftChange {
            to: self.to.sent().map(mailboxes),
            cc: self.cc.sent().map(mailboxes),
            bcc: self.bcc.sent().map(mailboxes),
            reply_to: self.reply_to.sent().map(mailboxes),
            subject: self.subject.sent(),
            text: self.text.sent(),
            html: self.html.sent(),
            send_at: self.send_at.sent().map(|at| at.map(|Timestamp(at)| at)),
            add_attachments: self.add_attachments.unwrap_or_default().0,
            remove_attachments: self.remove_attachments.unwrap_or_default().0,
            labels: LabelChange::default(),
            expected_revision: None,
        };
        (change, LabelNames::new(self.add_labels, self.remove_labels))
    }
}

fn mailboxes(addresses: Option<AddressList>) -> Vec<inboxd_mail::Mailbox> {
    addresses.unwrap_or_default().0
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}",
    operation_id = "update_draft",
    tag = "Drafts",
    summary = "Update draft",
    description = "Changes a draft. Whether it is a reply or a forward is fixed. Also requires `draft_send` for a scheduled draft.",
    request_body = DraftChangeRequest,
    responses((status = 200, description = "The draft", body = DraftView))
)]
pub(crate) async fn handle(mut call: Authorized<DraftUpdate>) -> JsonResult<DraftView> {
    let now = call.app().clock.now();
    let read = call.letter::<DraftChangeRequest>().await?.map(DraftChangeRequest::into_parts);
    let (change, labels) = read.checked(|(change, labels)| {
        drafts::problems_of_change(change, now).into_iter().chain(labels.problems()).collect()
    })?;
    let change = DraftChange { labels: labels.change()?, ..change };
    let draft = drafts::update(call.app(), &call.caller, &call.inbox_id(), call.draft_id()?, change).await?;
    Ok(Json(DraftView::new(draft, call.app().clock.now())))
}
