//! Request bodies of outgoing messages.

use inboxd_core::app::Letter;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};

use super::{AddressList, AttachmentList, HeaderFields, StringList, request};

request! {
    /// A mail to send or to pass on. At least one of `to`, `cc` and `bcc` is needed.
    pub(crate) struct SendRequest {
        /// The recipients.
        to: Option<AddressList>,
        /// Those who get a copy.
        cc: Option<AddressList>,
        /// Those who get a copy that nobody sees.
        bcc: Option<AddressList>,
        /// Where answers go, if not to the inbox.
        reply_to: Option<AddressList>,
        /// The subject.
        subject: Option<String>,
        /// The text.
        text: Option<String>,
        /// The HTML.
        html: Option<String>,
        /// The attachments.
        attachments: Option<AttachmentList>,
        /// Further header fields.
        headers: Option<HeaderFields>,
        /// Labels of the sent message.
        labels: Option<StringList>,
    }
    unsupported { track_opens: "false" }
}

request! {
    /// An answer. Without `to`, `cc` and `bcc` it goes to whoever wrote the message.
    pub(crate) struct ReplyRequest {
        /// The recipients.
        to: Option<AddressList>,
        /// Those who get a copy.
        cc: Option<AddressList>,
        /// Those who get a copy that nobody sees.
        bcc: Option<AddressList>,
        /// Answers everyone who wrote or received the message; then no recipients are named.
        reply_all: Option<bool>,
        /// Where answers go, if not to the inbox.
        reply_to: Option<AddressList>,
        /// The subject, if not that of the message.
        subject: Option<String>,
        /// The text.
        text: Option<String>,
        /// The HTML.
        html: Option<String>,
        /// The attachments.
        attachments: Option<AttachmentList>,
        /// Further header fields.
        headers: Option<HeaderFields>,
        /// Labels of the sent message.
        labels: Option<StringList>,
        /// Answers an automatic answer or bulk mail, too, which is refused otherwise.
        allow_automatic: Option<bool>,
    }
    unsupported { track_opens: "false" }
}

request! {
    /// An answer to everyone who wrote or received the message, but for the inbox itself.
    pub(crate) struct ReplyAllRequest {
        /// Nobody: the message says whom the answer goes to.
        #[schema(schema_with = nobody)]
        to: Option<AddressList>,
        /// Nobody, as `to`.
        #[schema(schema_with = nobody)]
        cc: Option<AddressList>,
        /// Nobody, as `to`.
        #[schema(schema_with = nobody)]
        bcc: Option<AddressList>,
        /// Where answers go, if not to the inbox.
        reply_to: Option<AddressList>,
        /// The subject, if not that of the message.
        subject: Option<String>,
        /// The text.
        text: Option<String>,
        /// The HTML.
        html: Option<String>,
        /// The attachments.
        attachments: Option<AttachmentList>,
        /// Further header fields.
        headers: Option<HeaderFields>,
        /// Labels of the sent message.
        labels: Option<StringList>,
        /// Answers an automatic answer or bulk mail, too, which is refused otherwise.
        allow_automatic: Option<bool>,
    }
    unsupported { track_opens: "false" }
}

impl From<SendRequest> for Letter {
    fn from(request: SendRequest) -> Self {
        Self {
            to: list(request.to),
            cc: list(request.cc),
            bcc: list(request.bcc),
            reply_to: list(request.reply_to),
            subject: request.subject,
            text: request.text,
            html: request.html,
            attachments: request.attachments.unwrap_or_default().0,
            headers: request.headers.unwrap_or_default().0,
            labels: request.labels.unwrap_or_default().0,
            // A new message replies to no automatic message.
            allow_automatic: false,
        }
    }
}

impl From<ReplyRequest> for Letter {
    fn from(request: ReplyRequest) -> Self {
        let allow_automatic = request.allow_automatic == Some(true);
        let ReplyRequest { to, cc, bcc, reply_to, subject, text, html, attachments, headers, labels, .. } = request;
        let letter = SendRequest { to, cc, bcc, reply_to, subject, text, html, attachments, headers, labels };
        Self { allow_automatic, ..letter.into() }
    }
}

impl From<ReplyAllRequest> for Letter {
    fn from(request: ReplyAllRequest) -> Self {
        let allow_automatic = request.allow_automatic == Some(true);
        let ReplyAllRequest { to, cc, bcc, reply_to, subject, text, html, attachments, headers, labels, .. } = request;
        let letter = SendRequest { to, cc, bcc, reply_to, subject, text, html, attachments, headers, labels };
        Self { allow_automatic, ..letter.into() }
    }
}

/// Returns the schema of an empty list or null.
fn nobody() -> Schema {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(null).item(ArrayBuilder::new().max_items(Some(0))).into()
}

fn list(addresses: Option<AddressList>) -> Vec<inboxd_mail::Mailbox> {
    addresses.unwrap_or_default().0
}
