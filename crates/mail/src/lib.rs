//! Mail formats: addresses, MIME, text from HTML, new text of replies, codes and links, reports, SPF.
//!
//! This crate is pure: no clock, no randomness, no network, no runtime. [`parse`] accepts any bytes, takes time linear
//! in their number and bounds every output. [`compose`] writes ASCII lines of at most 998 bytes wherever the addresses
//! permit it.
//!
//! ```
//! use inboxd_mail::{compose, extract_text, parse, Composition, Mailbox};
//!
//! let from: Mailbox = "Scout <scout@inboxd.example>".parse()?;
//! let to: Mailbox = "\"Müller, Anna\" <anna@example.org>".parse()?;
//! let raw = compose(&Composition {
//!     to: vec![to],
//!     subject: Some("Grüße".to_owned()),
//!     text: Some("See you on Monday.\n\nOn Fri, 20 Nov 2026 at 10:00, Anna wrote:\n> When?".to_owned()),
//!     date: 1_795_000_000,
//!     ..Composition::new(from, "<1@inboxd.example>".to_owned())
//! })?;
//!
//! let mail = parse(&raw);
//! assert_eq!(mail.subject.as_deref(), Some("Grüße"));
//! assert_eq!(mail.to[0].address, "anna@example.org");
//! assert_eq!(mail.extracted_text.as_deref(), Some("See you on Monday."));
//! assert_eq!(extract_text("Yes.\n\n> Shall we?"), "Yes.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod calendar;
mod compose;
mod confusables;
mod findings;
mod html;
mod language;
mod message_id;
mod parse;
mod phrase_table;
mod preview;
mod reply;
mod report;
mod safety;
mod sanitize;
mod spf;
mod subject;
mod tokens;
mod vectorized;
mod wire;
pub mod zip;

pub use address::{AddressError, EmailAddress, HeaderAddress, Mailbox, canonical_local, normalized_address};
pub use calendar::{
    AttendeeRole, AttendeeStatus, CalendarAttendee, CalendarEntry, CalendarMessage, CalendarMethod, CalendarPerson,
    EntryRecurrence, EntryStatus, EntryTimes, EventFieldError, MAX_CALENDAR_BYTES, RecurrenceError, RecurrenceRule,
    check_recurrence, check_times, expand, last_end, local_time_at, moved_to, read_calendar, time_zone_name,
    with_instants, write_calendar, write_feed,
};
pub use compose::{
    AttachmentFields, AttachmentPart, CalendarPart, ComposeError, ComposeErrors, Composition, DraftFields, compose,
    with_trace_headers,
};
pub use confusables::latin_lookalike;
pub use findings::{ExtractedCode, ExtractedLink, LinkKind, extract_codes, extract_links};
pub use html::{
    HtmlLink, UnseenContent, extract_html, hides_text, html_links, html_references, markdown_from_html, text_from_html,
    unseen_content, visit_html_urls, well_nested_html,
};
pub use language::language;
pub use message_id::normalize_message_id;
pub use parse::{
    AuthoredMail, AuthoredPart, Disposition, ParsedAttachment, ParsedMail, UnknownDisposition, attachment_content,
    attachment_contents, authored_mail, parse,
};
pub use preview::preview;
pub use reply::extract_text;
pub use report::{
    AggregateReport, AggregateReports, BounceReport, DeliveryAction, DmarcRow, FeedbackReport, ReportRows,
    ReportedRecipient, TlsRow, find_automatic_field, read_aggregate_reports, read_report, refusal_status,
};
pub use safety::{
    AttachmentRisk, HiddenTextKind, InstructionKind, MAX_SAFETY_FINDINGS, MachineInstruction, MassMailKind,
    MessageField, MisleadingLink, RiskyAttachment, SafetyFindings, base_domain, unicode_host,
};
pub use sanitize::hides_characters;
pub use spf::{
    SpfAnswer, SpfAnswers, SpfCheck, SpfQuery, SpfRecordType, SpfResult, is_spf_record, is_valid_spf_record,
};
pub use subject::{forward_subject, reply_subject};
pub use tokens::estimate_tokens;
pub use wire::auth_results::remove_auth_results;
pub use wire::envelope_lines::normalize_envelope_lines;
pub use wire::fields::{header_addresses, header_values};
