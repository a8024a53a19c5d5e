//! Drafts that their list shows whole, so that a person can approve them there.

use inboxd_core::model::{Draft, DraftItem, DraftKind};

use super::{MAX_RECIPIENT_CHARS, MAX_SUBJECT_CHARS, all_recipients};
use crate::console::text::{shown, shown_lines};

/// Maximum bytes of a text that the list shows.
pub(super) const MAX_TEXT_BYTES: u32 = 1_500;

/// Returns the text of a draft as the list shows it; `None` for a draft of which the list leaves anything out.
///
/// A forward carries another message. A name, subject or text with hidden characters is not shown as it is sent.
pub(super) fn whole_text(item: &DraftItem, text: &str) -> Option<String> {
    let has_fields = item.approval.as_ref().is_some_and(|approval| !approval.headers.is_empty());
    let has_more = has_fields || !item.attachments.is_empty() || !item.reply_to.is_empty();
    let recipients = all_recipients(item);
    let subject = item.subject.as_deref().unwrap_or_default();
    let is_cut = shown(&recipients, MAX_RECIPIENT_CHARS) != recipients || shown(subject, MAX_SUBJECT_CHARS) != subject;
    let max_bytes = usize::try_from(MAX_TEXT_BYTES).unwrap_or_default();
    if matches!(item.kind, DraftKind::Forward { .. }) || has_more || is_cut || text.len() > max_bytes {
        return None;
    }
    let shown = shown_lines(text, max_bytes);
    (shown == text.replace("\r\n", "\n")).then_some(shown)
}

/// Returns whether the list shows a draft whole.
pub(super) fn is_whole(draft: &Draft) -> bool {
    draft.html.is_none() && whole_text(&draft.item, draft.text.as_deref().unwrap_or_default()).is_some()
}

#[cfg(test)]
mod tests {
    use inboxd_core::model::MessageId;
    use inboxd_core::testing::fixtures;

    use super::*;

    #[test]
    fn draft_with_anything_out_of_sight_is_not_whole() {
        let plain = |text: &str| Draft { text: Some(text.to_owned()), ..fixtures::draft() };
        let with = |change: fn(&mut Draft)| {
            let mut draft = plain("100 EUR");
            change(&mut draft);
            draft
        };
        for (name, draft, expected) in [
            ("short", plain("100 EUR\r\n\n  Yours\n"), true),
            ("empty", plain(""), true),
            ("without a subject", with(|draft| draft.item.subject = None), true),
            ("long", plain(&"x".repeat(1_501)), false),
            ("hidden characters", plain("100\u{200b}0 EUR"), false),
            ("HTML", with(|draft| draft.html = Some("<p>1 EUR</p>".to_owned())), false),
            ("attachment", with(|draft| draft.item.attachments = vec![fixtures::attachment(40)]), false),
            ("reply address", with(|draft| draft.item.reply_to = vec!["eve@outside.example".to_owned()]), false),
            ("many recipients", with(|draft| draft.item.bcc = vec!["eve@outside.example".to_owned(); 20]), false),
            ("long subject", with(|draft| draft.item.subject = Some("x".repeat(201))), false),
            ("spaces in the subject", with(|draft| draft.item.subject = Some("x   y".to_owned())), false),
            (
                "forward",
                with(|draft| {
                    draft.item.kind = DraftKind::Forward { forward_of: MessageId::stored("<a@b.example>".to_owned()) };
                }),
                false,
            ),
        ] {
            assert_eq!(is_whole(&draft), expected, "{name}");
        }
    }
}
