//! `/console/inboxes/{inbox_id}/messages/{message_id}/source`: header fields and raw text of a message, and its files.

use askama::Template;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;

use super::rows::subject;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::text::{shown, shown_lines};
use crate::endpoints::downloads::binary::{attached_file, attached_text, read_raw_mail, wanted_text};
use crate::endpoints::downloads::ranged::read_start;

/// Maximum bytes of the raw text on the page. The file has all of them.
const MAX_SOURCE_BYTES: usize = 200_000;
/// Maximum number of header fields in the table.
const MAX_FIELDS: usize = 200;
/// Maximum characters of a header field.
const MAX_FIELD_CHARS: usize = 1_000;

#[derive(Template)]
#[template(path = "console/message_source.html")]
struct SourcePage {
    frame: Frame,
    subject: String,
    thread: String,
    raw: String,
    fields: Vec<(String, String)>,
    source: String,
    bytes: u64,
    is_cut: bool,
}

/// Shows the source of a message.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let (_, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let message_id = call.message_id(&inbox_id).await?;
    let found = messages::download_raw(call.app(), &call.caller, &inbox_id, &message_id).await?;
    let bytes = found.content.size();
    let start = read_start(call.app(), found.content, MAX_SOURCE_BYTES).await?;
    messages::note_download(call.app(), &call.caller, &found.item);
    let text = String::from_utf8_lossy(&start);
    let template = SourcePage {
        frame: call.frame(Section::Mail, "Source of a message"),
        subject: subject(found.item.subject.as_deref()),
        thread: links::thread(&inbox_id, found.item.thread_id),
        raw: links::message(&inbox_id, &found.item.message_id, "raw"),
        fields: fields(&text),
        source: shown_lines(&text, MAX_SOURCE_BYTES),
        bytes,
        is_cut: u64::try_from(start.len()).is_ok_and(|read| read < bytes),
    };
    call.render(&template)
}

/// Returns the file with the unchanged message.
pub(super) async fn raw(call: &ConsoleCall) -> PageResult {
    let (_, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let message_id = call.message_id(&inbox_id).await?;
    let source = messages::download_raw(call.app(), &call.caller, &inbox_id, &message_id).await?;
    read_raw_mail(call, source).await
}

/// Returns an attachment, which browsers store and never open.
pub(super) async fn attachment(call: &ConsoleCall) -> PageResult {
    let (_, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let (message_id, attachment_id) = (call.message_id(&inbox_id).await?, call.attachment_id()?);
    if let Some(format) = wanted_text(call)? {
        let text = messages::attachment_text(call.app(), &call.caller, &inbox_id, &message_id, attachment_id, format);
        return Ok(attached_text(text.await?));
    }
    let file = messages::attachment(call.app(), &call.caller, &inbox_id, &message_id, attachment_id).await?;
    attached_file(call.request(), call.app(), file).await
}

/// Returns the header fields, unfolded (RFC 5322, section 2.2.3).
fn fields(source: &str) -> Vec<(String, String)> {
    let mut unfolded: Vec<(&str, String)> = Vec::new();
    for line in source.lines().take_while(|line| !line.is_empty()) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = unfolded.last_mut() {
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            if unfolded.len() == MAX_FIELDS {
                break;
            }
            unfolded.push((name, value.to_owned()));
        }
    }
    let clean = |(name, value): (&str, String)| (shown(name, MAX_FIELD_CHARS), shown(&value, MAX_FIELD_CHARS));
    unfolded.into_iter().map(clean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_fields_are_unfolded() {
        let source = "From: a@b.example\r\nSubject: one\r\n two\r\nbroken\r\nX-A:  b\u{202e}c\r\n\r\nTo: body\r\n";
        let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(fields(source), [owned("From", "a@b.example"), owned("Subject", "one two"), owned("X-A", "bc")]);
        assert_eq!(fields(&"A: b\n".repeat(MAX_FIELDS + 1)).len(), MAX_FIELDS);
    }
}
