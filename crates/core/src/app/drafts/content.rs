//! Validation of a draft's content.
//!
//! Each write validates the draft, so a send cannot fail because of its content.

use inboxd_mail::{AttachmentPart, Composition, compose, preview, text_from_html};
use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::app::letter::{AttachmentSource, LetterAttachment};
use crate::app::messages::mailboxes;
use crate::app::submit::{FetchOrder, FetchPurpose};
use crate::model::{Attachment, Caller, Draft, DraftItem, DraftKind, Inbox, OrganizationId, Permission, StoredBlob};
use crate::ports::{DraftContent, WorkOwner};
use crate::rules::access;

/// Bytes of a base64 line with its line break (RFC 2045, section 6.8), and the bytes that it encodes.
const LINE: usize = 78;
const IN_LINE: usize = 57;
/// Reason for the refusal of an attachment by URL.
const URL_REFUSED: &str = "needs the permission to send, since the URL leaves the server at once; give the content, or \
    the ids of a stored attachment; a person may add it by URL";

/// Returns new attachments of a draft as metadata and as content.
pub(super) fn attached(
    app: &App,
    parts: Vec<AttachmentPart>,
    now: OffsetDateTime,
) -> (Vec<Attachment>, Vec<DraftContent>) {
    parts
        .into_iter()
        .map(|part| {
            let attachment = Attachment {
                attachment_id: app.mint(now),
                part: 0,
                filename: part.filename,
                content_type: part.content_type,
                content_disposition: Some(part.disposition),
                content_id: part.content_id,
                size: u64::try_from(part.content.len()).unwrap_or(u64::MAX),
            };
            let attachment_id = attachment.attachment_id;
            (attachment, DraftContent { attachment_id, content: part.content, blob: None })
        })
        .unzip()
}

/// Stores large contents of new attachments outside their rows, before any unit of work: all of them or none.
pub(in crate::app) async fn upload_contents(
    app: &App,
    organization_id: OrganizationId,
    contents: Vec<DraftContent>,
) -> Result<Vec<DraftContent>, Error> {
    let largest = contents.iter().map(|content| content.content.len()).max().unwrap_or_default();
    let upload = |DraftContent { attachment_id, content, .. }: DraftContent| async move {
        let (content, blob) = app.upload(organization_id, content).await?;
        Ok::<_, Error>(((attachment_id, content), blob))
    };
    let uploads: Vec<_> = contents.into_iter().map(upload).collect();
    let uploaded = app.upload_all(uploads, largest).await?;
    let content = |((attachment_id, content), blob)| DraftContent { attachment_id, content, blob };
    Ok(uploaded.into_iter().map(content).collect())
}

/// Returns the objects of new contents.
pub(in crate::app) fn objects_of(contents: &[DraftContent]) -> Vec<&StoredBlob> {
    contents.iter().filter_map(|content| content.blob.as_ref()).collect()
}

/// Refuses attachments by URL for a caller with a connection that cannot send: the fetch of a URL carries the text of the
/// URL out of the server.
pub(super) fn require_fetchable(caller: &Caller, field: &str, attachments: &[LetterAttachment]) -> Result<(), Error> {
    let may_send = [Permission::MessageSend, Permission::DraftSend].iter().any(|sends| access::holds(caller, *sends));
    if caller.connection.is_none() || may_send {
        return Ok(());
    }
    let is_url = |attachment: &LetterAttachment| matches!(attachment.source, AttachmentSource::Url(_));
    match attachments.iter().position(is_url) {
        Some(place) => Err(Error::invalid(format!("{field}[{place}].url"), URL_REFUSED)),
        None => Ok(()),
    }
}

/// Returns the order to fetch attachments of a draft. Of a draft, only the URLs leave now, with the caller as their author.
pub(super) fn draft_fetch<'a>(
    caller: &'a Caller,
    inbox: &'a Inbox,
    kind: &DraftKind,
    field: &'a str,
) -> FetchOrder<'a> {
    let thread_id = match kind {
        DraftKind::Reply { thread_id, .. } => Some(*thread_id),
        DraftKind::Plain | DraftKind::Forward { .. } => None,
    };
    FetchOrder { caller, author: &caller.actor, inbox, purpose: FetchPurpose::Draft, field, thread_id }
}

/// Checks that the draft can be composed as a message, and adds the preview of its text.
pub(super) async fn checked(app: &App, inbox: &Inbox, draft: Draft) -> Result<Draft, Error> {
    let bytes = [&draft.text, &draft.html].into_iter().flatten().map(String::len).sum();
    let owner = WorkOwner::Organization(inbox.organization_id);
    let (inbox, limit) = (inbox.clone(), app.settings.max_message_bytes);
    let checked = move || {
        let draft = previewed(draft);
        check(limit, &inbox, &draft)?;
        Ok(draft)
    };
    app.compute(owner, bytes, checked).await?
}

/// Returns the draft with the preview of its text.
fn previewed(draft: Draft) -> Draft {
    let text = match (&draft.text, &draft.html) {
        (Some(text), _) => preview(text),
        (None, Some(html)) => preview(&text_from_html(html)),
        (None, None) => String::new(),
    };
    let item = DraftItem { preview: Some(text).filter(|text| !text.is_empty()), ..draft.item };
    Draft { item, ..draft }
}

/// Checks that the draft can be composed as a message: valid header fields and an allowed size.
fn check(limit: usize, inbox: &Inbox, draft: &Draft) -> Result<(), Error> {
    let item = &draft.item;
    let from = inbox.mailbox().ok_or_else(|| Error::Internal(format!("{} is no address", inbox.inbox_id)))?;
    // A message has no Bcc field, so Bcc is checked as part of Cc.
    let copies = item.cc.iter().chain(&item.bcc).cloned().collect::<Vec<_>>();
    let mail = compose(&Composition {
        reply_to: mailboxes(&item.reply_to),
        to: mailboxes(&item.to),
        cc: mailboxes(&copies),
        subject: item.subject.clone(),
        text: draft.text.clone(),
        html: draft.html.clone(),
        attachments: item.attachments.iter().map(without_content).collect(),
        ..Composition::new(from, "<draft@localhost>".to_owned())
    })?;
    let attached = item.attachments.iter().map(|attachment| encoded(attachment.size));
    let size = attached.fold(mail.len(), usize::saturating_add);
    if size > limit { Err(Error::TooLarge { size, limit }) } else { Ok(()) }
}

fn without_content(attachment: &Attachment) -> AttachmentPart {
    AttachmentPart {
        filename: attachment.filename.clone(),
        content_type: attachment.content_type.clone(),
        disposition: attachment.content_disposition.unwrap_or(inboxd_mail::Disposition::Attachment),
        content_id: attachment.content_id.clone(),
        content: Vec::new(),
    }
}

/// Returns the bytes that an attachment occupies in a message.
fn encoded(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX).div_ceil(IN_LINE).saturating_mul(LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_takes_a_third_more_and_its_line_ends() {
        for (size, expected) in [(0, 0), (1, 78), (57, 78), (58, 156), (57_000, 78_000), (u64::MAX, usize::MAX)] {
            assert_eq!(encoded(size), expected, "{size}");
        }
    }
}
