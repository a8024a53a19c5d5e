//! Findings about the intentions of a sender: hostile content that a reader without knowledge of the correspondents sees.

mod archives;
mod attachments;
mod hosts;
mod instructions;
mod kinds;
mod links;
mod mass_mail;

use std::ops::Range;

pub use self::hosts::{base_domain, unicode_host};
pub use self::kinds::{
    AttachmentRisk, HiddenTextKind, InstructionKind, MAX_SAFETY_FINDINGS, MachineInstruction, MassMailKind,
    MessageField, MisleadingLink, RiskyAttachment, SafetyFindings,
};

pub(crate) use attachments::risk as attachment_risk;
use instructions::{FoundInstruction, MAX_SEARCHED_BYTES, TextVisibility};

use crate::html::{HtmlInspection, InspectionLimits, PlacedText};
use crate::parse::ParsedMail;

/// Returns the limits of the words that the findings need from HTML. Text derived from HTML has its visible words.
pub(crate) fn inspection_limits(text_is_derived: bool) -> InspectionLimits {
    InspectionLimits { visible: if text_is_derived { 0 } else { MAX_SEARCHED_BYTES }, hidden: MAX_SEARCHED_BYTES }
}

/// Returns the findings of a parsed message. `is_spelled` is true if its text or subject has hidden characters.
pub(crate) fn findings(mail: &ParsedMail, html: &HtmlInspection, is_spelled: bool) -> SafetyFindings {
    let hidden_text = if is_spelled || html.hides_characters {
        Some(HiddenTextKind::Characters)
    } else {
        html.hides_content.then_some(HiddenTextKind::Styled)
    };
    let attachments = mail.attachments.iter().filter_map(|attachment| {
        Some(RiskyAttachment { filename: attachment.filename.clone(), risk: attachment.risk? })
    });
    // The gravest first, so that many small ones leave no great one out.
    let mut attachments: Vec<RiskyAttachment> = attachments.collect();
    attachments.sort_by_key(|attachment| attachment.risk);
    attachments.truncate(MAX_SAFETY_FINDINGS);
    SafetyFindings {
        instructions: instructions_of(mail, html),
        links: misleading_links(html),
        hidden_text,
        attachments,
        mass: mass_mail::kind(&mail.headers),
    }
}

/// Returns the links whose words name another host, one for each domain that they show: a sender may show its own domain in
/// any number of links.
fn misleading_links(html: &HtmlInspection) -> Vec<MisleadingLink> {
    let mut found: Vec<MisleadingLink> = Vec::new();
    for link in html.links.iter().filter_map(|(target, words)| links::misleading(target, words)) {
        let is_shown = |known: &MisleadingLink| base_domain(&known.shown_host) == base_domain(&link.shown_host);
        if !found.iter().any(is_shown) {
            found.push(link);
        }
        if found.len() == MAX_SAFETY_FINDINGS {
            break;
        }
    }
    found
}

fn instructions_of(mail: &ParsedMail, html: &HtmlInspection) -> Vec<MachineInstruction> {
    let whole = |text: Option<&str>, field| {
        let text = text.unwrap_or_default();
        let found = instructions::find(text, TextVisibility::Visible);
        placed(text, field, found.into_iter().map(|FoundInstruction { kind, place }| (kind, place, false)))
    };
    let source = mail.html.as_deref().unwrap_or_default();
    let in_html = |words: &PlacedText, visibility| {
        let found = instructions::find(&words.text, visibility).into_iter();
        let is_hidden = visibility == TextVisibility::Hidden;
        let mut found: Vec<_> = found.map(|found| (found.kind, words.source(&found.place), is_hidden)).collect();
        // Sentences of one piece have one place.
        found.dedup_by(|one, other| one.1 == other.1);
        placed(source, MessageField::Html, found.into_iter())
    };
    let name = mail.from.first().and_then(|from| from.name.as_deref());
    let mut found = whole(name, MessageField::From);
    found.extend(whole(mail.subject.as_deref(), MessageField::Subject));
    found.extend(whole(mail.text.as_deref(), MessageField::Text));
    let mut html_found = in_html(&html.visible, TextVisibility::Visible);
    html_found.extend(in_html(&html.hidden, TextVisibility::Hidden));
    html_found.sort_by_key(|found| found.start);
    found.extend(html_found);
    let names = mail.attachments.iter().filter_map(|attachment| attachment.filename.as_deref());
    found.extend(names.flat_map(|name| whole(Some(name), MessageField::Attachment)));
    let entries = mail.calendar.iter().flat_map(|calendar| std::iter::once(&calendar.entry).chain(&calendar.others));
    let texts = entries.flat_map(|entry| [&entry.title, &entry.location, &entry.description, &entry.comment]);
    found.extend(texts.flat_map(|text| whole(text.as_deref(), MessageField::Calendar)));
    found.truncate(MAX_SAFETY_FINDINGS);
    found
}

/// Converts places in bytes, in order, to places in characters.
fn placed(
    text: &str,
    field: MessageField,
    found: impl Iterator<Item = (InstructionKind, Range<usize>, bool)>,
) -> Vec<MachineInstruction> {
    let count = |range: Range<usize>| text.get(range).map_or(0, |text| text.chars().count());
    let (mut at, mut characters) = (0, 0);
    let found = found.take(MAX_SAFETY_FINDINGS).map(|(kind, place, is_hidden)| {
        // A long sentence may begin in the piece in which the last one ended.
        let start = if place.start >= at { characters + count(at..place.start) } else { count(0..place.start) };
        let end = start + count(place.clone());
        (at, characters) = (place.end, end);
        MachineInstruction { kind, field, start, end, is_hidden }
    });
    found.collect()
}
