//! The fields of the composer, and their changes of a draft.

use std::str::FromStr;

use inboxd_core::app::drafts::DraftChange;
use inboxd_core::app::{AttachmentSource, Letter, LetterAttachment};
use inboxd_core::model::{AttachmentId, Draft};
use inboxd_mail::{Mailbox, text_from_html};
use time::{Duration, OffsetDateTime, UtcOffset};

use super::addresses;
use crate::error::{ApiError, ErrorCode, ErrorExtra};
use crate::pages::{Form, UploadedFile, sentence};
use crate::query::instant;

/// Largest distance of a time zone from UTC in minutes.
const MAX_ZONE_MINUTES: i64 = 24 * 60;
/// Form fields with addresses.
const ADDRESS_FIELDS: [&str; 3] = ["to", "cc", "bcc"];

/// The fields as they are shown and typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) to: String,
    pub(super) cc: String,
    pub(super) bcc: String,
    pub(super) subject: String,
    pub(super) text: String,
    /// Local time of the send, `2026-11-28T14:03`.
    pub(super) send_at: String,
    /// Minutes from that local time to UTC; empty for UTC.
    pub(super) send_at_offset: String,
}

/// A problem of a field, or of the whole form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Name of the field; empty for the whole form.
    pub(super) field: &'static str,
    pub(super) text: String,
}

/// The content of the fields. `None` is a field that cannot be read.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    addresses: [Option<Vec<Mailbox>>; 3],
    subject: String,
    text: String,
    files: Vec<LetterAttachment>,
    removed: Option<AttachmentId>,
}

impl Typed {
    /// Returns the fields of a form.
    pub(super) fn of_form(form: &Form) -> Self {
        let field = |name| form.one(name).unwrap_or_default().to_owned();
        Self {
            to: field("to"),
            cc: field("cc"),
            bcc: field("bcc"),
            subject: field("subject"),
            text: lines(form.one("text").unwrap_or_default()),
            send_at: field("send_at"),
            send_at_offset: field("send_at_offset"),
        }
    }

    /// Returns the fields of a stored draft.
    pub(super) fn of_draft(draft: &Draft) -> Self {
        let item = &draft.item;
        Self {
            to: addresses::typed(&item.to),
            cc: addresses::typed(&item.cc),
            bcc: addresses::typed(&item.bcc),
            subject: item.subject.clone().unwrap_or_default(),
            text: text_of(draft),
            send_at: item.dispatch.send_at.map(local).unwrap_or_default(),
            send_at_offset: String::new(),
        }
    }

    /// Returns the fields of a new message.
    pub(super) fn of_letter(letter: &Letter) -> Self {
        let [to, cc, bcc] = [&letter.to, &letter.cc, &letter.bcc]
            .map(|list| addresses::typed(&list.iter().map(ToString::to_string).collect::<Vec<_>>()));
        Self { to, cc, bcc, subject: letter.subject.clone().unwrap_or_default(), ..Self::default() }
    }

    /// Reads the fields, and the files of the form.
    pub(super) fn read(&self, form: &Form) -> (Content, Vec<Problem>) {
        let mut problems = Vec::new();
        let lists = [&self.to, &self.cc, &self.bcc].into_iter().zip(ADDRESS_FIELDS);
        let mut lists = lists
            .map(|(text, field)| addresses::parse(text).map_err(|text| problems.push(Problem { field, text })).ok());
        let addresses = [lists.next().flatten(), lists.next().flatten(), lists.next().flatten()];
        drop(lists);
        let content = Content {
            addresses,
            subject: self.subject.trim().to_owned(),
            text: self.text.clone(),
            files: form.files("files").map(attachment).collect(),
            removed: form.one("remove").and_then(|id| AttachmentId::from_str(id).ok()),
        };
        (content, problems)
    }

    /// Returns the time of the send in UTC.
    pub(super) fn send_at(&self) -> Option<OffsetDateTime> {
        // `datetime-local` sends seconds only where they are not zero.
        let seconds = if self.send_at.len() == "2026-11-28T14:03".len() { ":00Z" } else { "Z" };
        let local = instant(&format!("{}{seconds}", self.send_at))?;
        let minutes = if self.send_at_offset.is_empty() { 0 } else { self.send_at_offset.parse::<i64>().ok()? };
        if minutes.abs() > MAX_ZONE_MINUTES {
            return None;
        }
        local.checked_add(Duration::minutes(minutes))
    }
}

impl Content {
    /// Returns whether a message with it would have a recipient. An unreadable list counts as one.
    pub(super) fn has_recipient(&self) -> bool {
        self.addresses.iter().any(|list| list.as_ref().is_none_or(|list| !list.is_empty()))
    }

    /// Returns the content of a new draft.
    pub(super) fn letter(&self) -> Letter {
        let [to, cc, bcc] = self.addresses.clone().map(Option::unwrap_or_default);
        Letter {
            to,
            cc,
            bcc,
            subject: some(&self.subject),
            text: some(&self.text),
            attachments: self.files.clone(),
            ..Letter::default()
        }
    }

    /// Returns the change of a draft; `None` for none.
    ///
    /// A file that the draft has already, by name and size, is not added again: a second click sends it twice. New text
    /// replaces the HTML of the draft, which would say something else.
    pub(super) fn change(&self, draft: &Draft) -> Option<DraftChange> {
        let item = &draft.item;
        let [to, cc, bcc] = &self.addresses;
        let is_new_text = self.text != text_of(draft);
        let is_attached = |file: &LetterAttachment| {
            item.attachments.iter().any(|known| known.filename == file.filename && known.size == size_of(file))
        };
        let change = DraftChange {
            to: changed(to.as_ref(), &item.to),
            cc: changed(cc.as_ref(), &item.cc),
            bcc: changed(bcc.as_ref(), &item.bcc),
            subject: Some(some(&self.subject)).filter(|subject| *subject != item.subject),
            text: is_new_text.then(|| some(&self.text)),
            html: (is_new_text && draft.html.is_some()).then_some(None),
            add_attachments: self.files.iter().filter(|file| !is_attached(file)).cloned().collect(),
            remove_attachments: self.removed.into_iter().collect(),
            ..DraftChange::default()
        };
        let is_kept = change.to.is_none() && change.cc.is_none() && change.bcc.is_none() && change.subject.is_none();
        let has_same_files = change.add_attachments.is_empty() && change.remove_attachments.is_empty();
        let is_nothing = is_kept && !is_new_text && has_same_files;
        (!is_nothing).then_some(change)
    }
}

impl Problem {
    /// Returns the problem of the whole form.
    pub(super) fn general(text: impl Into<String>) -> Self {
        Self { field: "", text: text.into() }
    }

    /// Returns the problems that a refusal names, with the fields of the form.
    pub(super) fn of(error: &ApiError) -> Vec<Self> {
        if let ErrorExtra::Fields(fields) = &error.extra {
            let named = |path: &str| FIELDS.iter().find(|(start, _)| path.starts_with(start)).map(|(_, field)| *field);
            return fields
                .iter()
                .map(|problem| Self {
                    field: named(&problem.path).unwrap_or_default(),
                    text: sentence(&problem.message),
                })
                .collect();
        }
        vec![Self::general(format!("{} {}", sentence(&error.message), fix_of(error)))]
    }
}

/// Returns the next step in terms of pages, without paths of the API.
fn fix_of(error: &ApiError) -> String {
    match error.code {
        ErrorCode::RecipientBlocked | ErrorCode::RecipientNotAllowed => {
            "Leave the address out, or change the entry under Lists.".to_owned()
        }
        ErrorCode::DailyLimitReached | ErrorCode::MonthlyLimitReached => {
            "Schedule it for later. Usage shows the limits of the plan.".to_owned()
        }
        ErrorCode::InboxPaused => "Resume the inbox in its settings.".to_owned(),
        _ if error.fix.contains("/v0/") => String::new(),
        _ => sentence(&error.fix),
    }
}

/// Starts of the paths of the API with the fields of the form.
const FIELDS: [(&str, &str); 8] = [
    ("to", "to"),
    ("cc", "cc"),
    ("bcc", "bcc"),
    ("subject", "subject"),
    ("text", "text"),
    ("attachments", "files"),
    ("add_attachments", "files"),
    ("send_at", "send_at"),
];

/// Bytes of the HTML of a draft that are converted.
const MAX_CONVERTED_BYTES: usize = 256 * 1024;

/// Returns the text that a draft shows for editing: its text, or that of its HTML.
fn text_of(draft: &Draft) -> String {
    match (&draft.text, &draft.html) {
        (Some(text), _) => lines(text),
        (None, Some(html)) => lines(&text_from_html(&html[..html.floor_char_boundary(MAX_CONVERTED_BYTES)])),
        (None, None) => String::new(),
    }
}

fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn changed(new: Option<&Vec<Mailbox>>, old: &[String]) -> Option<Vec<Mailbox>> {
    new.filter(|new| !new.iter().map(ToString::to_string).eq(old.iter().cloned())).cloned()
}

/// Returns a time as `datetime-local` takes it, in UTC.
fn local(at: OffsetDateTime) -> String {
    let at = at.to_offset(UtcOffset::UTC);
    format!("{}T{:02}:{:02}", at.date(), at.hour(), at.minute())
}

fn attachment(file: &UploadedFile) -> LetterAttachment {
    LetterAttachment {
        filename: some(&file.filename),
        content_type: file.content_type.clone(),
        content_disposition: None,
        content_id: None,
        source: AttachmentSource::Content(file.content.to_vec()),
    }
}

fn size_of(file: &LetterAttachment) -> u64 {
    match &file.source {
        AttachmentSource::Content(content) => u64::try_from(content.len()).unwrap_or(u64::MAX),
        AttachmentSource::Url(_) | AttachmentSource::File(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn time_of_a_send_is_local_or_utc() {
        for (send_at, send_at_offset, expected) in [
            ("2026-11-28T14:03", "", Some(datetime!(2026-11-28 14:03 UTC))),
            ("2026-11-28T14:03", "-60", Some(datetime!(2026-11-28 13:03 UTC))),
            ("2026-11-28T14:03:30", "300", Some(datetime!(2026-11-28 19:03:30 UTC))),
            ("2026-11-28T14:03", "x", None),
            ("2026-11-28T14:03", "9223372036854775807", None),
            ("2026-13-28T14:03", "", None),
            ("", "", None),
        ] {
            let typed =
                Typed { send_at: send_at.to_owned(), send_at_offset: send_at_offset.to_owned(), ..Typed::default() };
            assert_eq!(typed.send_at(), expected, "{send_at} {send_at_offset}");
        }
    }

    #[test]
    fn fields_that_cannot_be_read_are_named() {
        let form = Form::parse(b"to=a@b.example&cc=nobody&subject=+x+&text=a%0D%0Ab");
        let (content, problems) = Typed::of_form(&form).read(&form);
        assert_eq!(problems.iter().map(|problem| problem.field).collect::<Vec<_>>(), ["cc"]);
        assert!(content.has_recipient());
        let letter = content.letter();
        assert_eq!((letter.subject.as_deref(), letter.text.as_deref()), (Some("x"), Some("a\nb")));
        assert!(!Typed::default().read(&Form::default()).0.has_recipient());
    }
}
