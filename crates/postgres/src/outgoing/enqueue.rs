//! Statement that queues messages, a part of the commit batch.

use inboxd_core::model::QueuedMail;
use inboxd_core::model::outgoing::RawMail;
use inboxd_core::ports::StoreError;
use inboxd_mail::EmailAddress;

use super::rows::{route_name, stored_attempts};
use crate::array_params::{Column, Values, names, text_list, unnest_rows};
use crate::cte::CteFragment;
use crate::sql::Sql;

/// Columns of a new row of `outgoing`.
const MAIL: &[Column<QueuedMail>] = &[
    ("organization_id", Values::Uuid(|mail| mail.organization_id.0)),
    ("outgoing_id", Values::Uuid(|mail| mail.outgoing_id.0)),
    ("pod_id", Values::OptionalUuid(|mail| mail.message.as_ref().map(|message| message.pod_id.0))),
    ("inbox_id", Values::OptionalText(|mail| mail.message.as_ref().map(|message| message.inbox_id.as_str()))),
    ("thread_id", Values::OptionalUuid(|mail| mail.message.as_ref().map(|message| message.thread_id.0))),
    ("message_id", Values::OptionalText(|mail| mail.message.as_ref().map(|message| message.message_id.as_str()))),
    ("route", Values::Text(|mail| route_name(mail.route))),
    ("envelope_from", Values::Text(|mail| mail.envelope_from.as_str())),
    ("recipients", Values::Texts(|mail| text_list(mail.recipients.iter().map(EmailAddress::as_str)))),
    ("sealed", Values::OptionalBytes(sealed)),
    ("attempts", Values::Integer(|mail| stored_attempts(mail.attempts))),
    ("created_at", Values::Time(|mail| mail.created_at)),
    ("due_at", Values::Time(|mail| mail.due_at)),
    ("destination", Values::Text(|mail| &mail.destination)),
    ("claim_id", Values::OptionalUuid(|mail| mail.claim_id)),
    ("is_delay_told", Values::Bool(|mail| mail.is_delay_told)),
    ("is_code", Values::Bool(|mail| mail.is_code)),
    ("traceparent", Values::OptionalComputedText(|mail| mail.traceparent.map(|context| context.to_string()))),
];

fn sealed(mail: &QueuedMail) -> Option<&[u8]> {
    match &mail.raw {
        RawMail::OfMessage => None,
        RawMail::Sealed(sealed) => Some(sealed),
    }
}

/// Inserts queued messages. For remote messages their recipients are recorded for reports. Local recipients send no
/// reports, and service messages have no stored message.
pub(crate) fn insert_queued() -> CteFragment {
    let (columns, given) = (names(MAIL), unnest_rows(MAIL));
    let tables = format!(
        "queued AS (
            INSERT INTO outgoing ({columns}) {given}
            RETURNING organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, route, recipients
        ), leaving AS (
            INSERT INTO return_paths (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients, told)
            SELECT organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, recipients,
                array_fill(0::smallint, ARRAY[cardinality(recipients)])
            FROM queued WHERE route = 'remote' AND message_id IS NOT NULL
        )"
    );
    CteFragment { tables, counted: "queued" }
}

/// Binds the rows of [`insert_queued`].
pub(crate) fn bind<'a>(statement: Sql<'a>, mails: &'a [QueuedMail]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(MAIL, mails)
}
