//! `/console/operator/captured`: mail that was stored instead of sent (`INBOXD_DELIVERY=capture`).

use askama::Template;
use inboxd_core::app::{self, OpenedMail};

use super::require_operator;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::text::{shown, shown_lines, start_of};
use crate::console::time::Moment;

/// Mails of the page.
const MAILS: u32 = 20;
/// Maximum bytes of a mail that is read.
const MAX_MAIL_BYTES: u32 = 256 * 1024;
/// Maximum bytes of the source of a mail.
const MAX_SOURCE_BYTES: usize = 20_000;

#[derive(Template)]
#[template(path = "console/captured.html")]
struct CapturedPage {
    frame: Frame,
    mails: Vec<MailRow>,
}

struct MailRow {
    at: Moment,
    from: String,
    to: String,
    subject: String,
    source: String,
}

/// Shows the newest captured mails.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    require_operator(call)?;
    let mut mails: Vec<MailRow> = app::captured(call.app(), MAILS, MAX_MAIL_BYTES).await?.iter().map(row).collect();
    mails.reverse();
    call.render(&CapturedPage { frame: call.frame(Section::Operator, "Captured mail"), mails })
}

fn row(mail: &OpenedMail) -> MailRow {
    let text = String::from_utf8_lossy(mail.raw.get(..MAX_SOURCE_BYTES).unwrap_or(&mail.raw));
    let header = text.split("\r\n\r\n").next().unwrap_or_default();
    let subject = inboxd_mail::parse(format!("{}\r\n\r\n", start_of(header, MAX_SOURCE_BYTES)).as_bytes()).subject;
    MailRow {
        at: Moment(mail.captured_at),
        from: shown(&mail.envelope_from, 200),
        to: shown(&mail.recipients.join(", "), 500),
        subject: subject.map_or_else(String::new, |subject| shown(&subject, 200)),
        source: shown_lines(&text, MAX_SOURCE_BYTES),
    }
}
