//! Request bodies of outgoing messages.

use inboxd_core::app::Letter;
use inboxd_core::app::drafts::SendTime;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use super::{AddressList, AttachmentList, HeaderFields, StringList, Timestamp, request};

request! {
    /// Message to send or forward. At least one of `to`, `cc` and `bcc` is required.
    pub(crate) struct SendRequest {
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
        /// Additional header fields.
        headers: Option<HeaderFields>,
        /// Labels of the sent message.
        labels: Option<StringList>,
        /// Time at which the message leaves, at most 366 days from now. Until then it can be cancelled.
        send_at: Option<Timestamp>,
        /// Seconds until the message leaves. Until then it can be cancelled. Excludes `send_at`.
        #[schema(minimum = 1, maximum = 3600)]
        undo_seconds: Option<u32>,
        /// Whether the response only shows the result that the send would have. Nothing is stored or sent.
        dry_run: Option<bool>,
    }
    unsupported { track_opens: "false" }
}

request! {
    /// Reply to a message. Without `to`, `cc` and `bcc` it goes to the sender of the message.
    pub(crate) struct ReplyRequest {
        /// Recipients (To).
        to: Option<AddressList>,
        /// Recipients of a copy (Cc).
        cc: Option<AddressList>,
        /// Recipients of a blind copy (Bcc).
        bcc: Option<AddressList>,
        /// Whether the reply goes to the sender and all recipients of the message. If true, `to`, `cc` and `bcc` are
        /// refused.
        reply_all: Option<bool>,
        /// Addresses for replies (Reply-To); by default the inbox.
        reply_to: Option<AddressList>,
        /// Subject; by default that of the message.
        subject: Option<String>,
        /// Plain text body.
        text: Option<String>,
        /// HTML body.
        html: Option<String>,
        /// Attachments.
        attachments: Option<AttachmentList>,
        /// Additional header fields.
        headers: Option<HeaderFields>,
        /// Labels of the sent message.
        labels: Option<StringList>,
        /// Whether a reply to an automatic message or bulk mail is permitted. Without it such a reply is refused.
        allow_automatic: Option<bool>,
        /// Whether the reply may go to the Reply-To of an unknown sender that is of another domain. Without it such a
        /// reply is refused.
        confirm_reply_to: Option<bool>,
        /// Time at which the message leaves, at most 366 days from now. Until then it can be cancelled.
        send_at: Option<Timestamp>,
        /// Seconds until the message leaves. Until then it can be cancelled. Excludes `send_at`.
        #[schema(minimum = 1, maximum = 3600)]
        undo_seconds: Option<u32>,
        /// Whether the response only shows the result that the send would have. Nothing is stored or sent.
        dry_run: Option<bool>,
    }
    unsupported { track_opens: "false" }
}

request! {
    /// Reply to the sender and all recipients of a message, except the inbox itself.
    pub(crate) struct ReplyAllRequest {
        /// Must be empty: the message determines the recipients.
        #[schema(schema_with = no_recipients)]
        to: Option<AddressList>,
        /// Must be empty, like `to`.
        #[schema(schema_with = no_recipients)]
        cc: Option<AddressList>,
        /// Must be empty, like `to`.
        #[schema(schema_with = no_recipients)]
        bcc: Option<AddressList>,
        /// Addresses for replies (Reply-To); by default the inbox.
        reply_to: Option<AddressList>,
        /// Subject; by default that of the message.
        subject: Option<String>,
        /// Plain text body.
        text: Option<String>,
        /// HTML body.
        html: Option<String>,
        /// Attachments.
        attachments: Option<AttachmentList>,
        /// Additional header fields.
        headers: Option<HeaderFields>,
        /// Labels of the sent message.
        labels: Option<StringList>,
        /// Whether a reply to an automatic message or bulk mail is permitted. Without it such a reply is refused.
        allow_automatic: Option<bool>,
        /// Whether the reply may go to the Reply-To of an unknown sender that is of another domain. Without it such a
        /// reply is refused.
        confirm_reply_to: Option<bool>,
        /// Time at which the message leaves, at most 366 days from now. Until then it can be cancelled.
        send_at: Option<Timestamp>,
        /// Seconds until the message leaves. Until then it can be cancelled. Excludes `send_at`.
        #[schema(minimum = 1, maximum = 3600)]
        undo_seconds: Option<u32>,
        /// Whether the response only shows the result that the send would have. Nothing is stored or sent.
        dry_run: Option<bool>,
    }
    unsupported { track_opens: "false" }
}

/// Builds the letter of a request. The three kinds of requests have these fields in common.
macro_rules! letter {
    ($request:ident, allow_automatic: $allow_automatic:expr, confirm_reply_to: $confirm_reply_to:expr) => {
        Letter {
            to: list($request.to),
            cc: list($request.cc),
            bcc: list($request.bcc),
            reply_to: list($request.reply_to),
            subject: $request.subject,
            text: $request.text,
            html: $request.html,
            calendar: None,
            attachments: $request.attachments.unwrap_or_default().0,
            headers: $request.headers.unwrap_or_default().0,
            labels: $request.labels.unwrap_or_default().0,
            allow_automatic: $allow_automatic,
            confirm_reply_to: $confirm_reply_to,
            time: SendTime { send_at: $request.send_at.map(|Timestamp(at)| at), undo_seconds: $request.undo_seconds },
        }
    };
}

impl From<SendRequest> for Letter {
    fn from(request: SendRequest) -> Self {
        // A new message replies to nobody.
        letter!(request, allow_automatic: false, confirm_reply_to: false)
    }
}

impl From<ReplyRequest> for Letter {
    fn from(request: ReplyRequest) -> Self {
        letter!(
            request,
            allow_automatic: request.allow_automatic == Some(true),
            confirm_reply_to: request.confirm_reply_to == Some(true)
        )
    }
}

impl From<ReplyAllRequest> for Letter {
    fn from(request: ReplyAllRequest) -> Self {
        letter!(
            request,
            allow_automatic: request.allow_automatic == Some(true),
            confirm_reply_to: request.confirm_reply_to == Some(true)
        )
    }
}

/// Returns the schema of an empty list or null.
fn no_recipients() -> Schema {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(null).item(ArrayBuilder::new().max_items(Some(0))).into()
}

fn list(addresses: Option<AddressList>) -> Vec<inboxd_mail::Mailbox> {
    addresses.unwrap_or_default().0
}
