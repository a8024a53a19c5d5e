//! `/console/operator/postmaster`: mail to `postmaster@` and `abuse@` that is held for the operator.

use askama::Template;
use inboxd_core::model::OperatorMailItem;
use inboxd_core::{Error, Resource};

use super::require_operator;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::text::{shown, shown_lines, size};
use crate::console::time::Moment;
use crate::path;

/// Mails of the list.
const MAILS: u32 = 100;
/// Maximum characters of the source of a mail.
const MAX_SOURCE_CHARS: usize = 200_000;

#[derive(Template)]
#[template(path = "console/postmaster.html")]
struct PostmasterPage {
    frame: Frame,
    mails: Vec<MailRow>,
}

#[derive(Template)]
#[template(path = "console/postmaster_mail.html")]
struct PostmasterMailPage {
    frame: Frame,
    mail: MailRow,
    source: String,
}

struct MailRow {
    id: String,
    at: Moment,
    from: String,
    to: String,
    subject: String,
    size: String,
}

/// Shows the newest held mails.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    require_operator(call)?;
    let mails = call.app().store.operator_mails(MAILS).await.map_err(Error::from)?;
    let frame = call.frame(Section::Operator, "Mail to postmaster@ and abuse@");
    call.render(&PostmasterPage { frame, mails: mails.iter().map(row).collect() })
}

/// Shows the source of a held mail.
pub(super) async fn show_mail(call: &ConsoleCall) -> PageResult {
    require_operator(call)?;
    let text = path::value(call.request(), "mail_id");
    let not_found = || Error::not_found(Resource::Message, path::harmless(&text));
    let mail_id = text.parse().map_err(|_| not_found())?;
    let found = call.app().store.operator_mail(mail_id).await.map_err(Error::from)?;
    let (item, content) = found.ok_or_else(not_found)?;
    let mail = row(&item);
    let source = shown_lines(&String::from_utf8_lossy(&content), MAX_SOURCE_CHARS);
    call.render(&PostmasterMailPage { frame: call.frame(Section::Operator, mail.subject.clone()), mail, source })
}

fn row(item: &OperatorMailItem) -> MailRow {
    let subject = shown(item.subject.as_deref().unwrap_or_default(), 200);
    MailRow {
        id: item.mail_id.to_string(),
        at: Moment(item.received_at),
        from: item.envelope_from.as_ref().map_or_else(|| "no sender".to_owned(), |from| shown(from.as_str(), 200)),
        to: shown(item.recipient.as_str(), 200),
        subject: if subject.is_empty() { "No subject".to_owned() } else { subject },
        size: size(item.size),
    }
}
