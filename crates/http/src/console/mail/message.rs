//! A message in its thread.

use std::collections::HashSet;

use inboxd_core::model::{Attachment, ExtractedFindings, LinkKind, Message, MessageItem};
use inboxd_core::rules::attachment_text::may_have_text;
use inboxd_core::rules::security;
use url::Url;

use super::html::{FrameHeight, has_remote_images};
use super::images::inner_images;
use super::rows::{MAX_PERSON_CHARS, name_of};
use super::trust::{TrustFact, delivery, facts, results};
use crate::console::links;
use crate::console::text::{shown, shown_lines, size};
use crate::console::time::Moment;
use crate::console::write::is_agent;

/// Maximum characters of the text of a message. Its source has the rest.
const MAX_TEXT_CHARS: usize = 50_000;
/// Maximum bytes of HTML that is compared with its text.
const MAX_COMPARED_BYTES: usize = 200_000;
/// Maximum number of named recipients of each kind.
const MAX_RECIPIENTS: usize = 50;
/// Maximum number of listed attachments of a message.
const MAX_ATTACHMENTS: usize = 100;
/// Maximum number of codes and of links.
const MAX_FINDINGS: usize = 5;
/// Maximum characters of the words around a finding.
const MAX_CONTEXT_CHARS: usize = 120;

/// A message as its thread shows it.
#[expect(clippy::struct_excessive_bools, reason = "a template asks for each by its name")]
pub(super) struct MessageCard {
    /// Place among the messages of the page, for ids of elements.
    pub(super) place: usize,
    pub(super) is_open: bool,
    pub(super) is_unread: bool,
    pub(super) from: String,
    pub(super) recipients: Vec<(&'static str, Vec<String>)>,
    pub(super) moment: Moment,
    pub(super) preview: String,
    pub(super) delivery: Option<TrustFact>,
    /// Author, a person or an agent.
    pub(super) sent_by: Option<String>,
    /// Id of a held message.
    pub(super) held_id: Option<String>,
    /// Id of a message with content, which can be redacted.
    pub(super) content_id: Option<String>,
    pub(super) redacted: Option<Moment>,
    pub(super) facts: Vec<TrustFact>,
    pub(super) results: Option<String>,
    pub(super) codes: Vec<CodeField>,
    pub(super) links: Vec<LinkField>,
    pub(super) text: Option<String>,
    /// Whether the HTML has all that the text says; then the text is folded.
    pub(super) has_equal_html: bool,
    pub(super) quoted: Option<String>,
    pub(super) is_cut: bool,
    pub(super) frame: Option<BodyFrame>,
    pub(super) attachments: Vec<AttachmentField>,
    pub(super) source: String,
    pub(super) trace: String,
    pub(super) reply: String,
    pub(super) reply_all: String,
    pub(super) forward: String,
}

/// The frame with the HTML of a message.
pub(super) struct BodyFrame {
    pub(super) path: String,
    pub(super) height: FrameHeight,
    pub(super) has_remote_images: bool,
}

/// A code of a message.
pub(super) struct CodeField {
    pub(super) code: String,
    pub(super) context: String,
}

/// A link of a message with an effect.
pub(super) struct LinkField {
    pub(super) url: String,
    pub(super) action: &'static str,
    pub(super) host: String,
}

/// An attachment of a message.
pub(super) struct AttachmentField {
    pub(super) name: String,
    pub(super) size: String,
    pub(super) href: String,
    /// True for a kind of document with readable text.
    pub(super) has_text: bool,
}

impl MessageCard {
    /// Returns the card of a message.
    pub(super) fn new(message: &Message, place: usize) -> Self {
        let item = &message.item;
        let (text, quoted, is_cut) = texts(message);
        let findings = message.body.extracted.as_ref();
        let answer = |kind| links::answer(&item.inbox_id, &item.message_id, kind);
        Self {
            place,
            is_open: place == 0,
            is_unread: item.labels.contains("unread"),
            from: shown(&item.from, MAX_PERSON_CHARS),
            recipients: recipients(item),
            moment: Moment(item.timestamp),
            preview: item.preview.as_deref().map(|text| shown(text, MAX_CONTEXT_CHARS)).unwrap_or_default(),
            delivery: delivery(message),
            sent_by: item.sent_by.as_ref().map(|actor| {
                let through = if is_agent(actor) { " (agent)" } else { "" };
                format!("{}{through}", name_of(actor))
            }),
            held_id: security::is_held(item).then(|| item.message_id.to_string()),
            content_id: item.redacted_at.is_none().then(|| item.message_id.to_string()),
            redacted: item.redacted_at.map(Moment),
            facts: facts(message),
            results: message.body.authentication.as_ref().map(results),
            codes: findings.map(codes).unwrap_or_default(),
            links: findings.map(acting_links).unwrap_or_default(),
            has_equal_html: has_equal_html(message),
            text,
            quoted,
            is_cut,
            frame: message.body.html.as_deref().map(|html| BodyFrame {
                path: links::message(&item.inbox_id, &item.message_id, "body"),
                height: FrameHeight::of(html),
                has_remote_images: has_remote_images(html),
            }),
            attachments: attachments(item, message.body.html.as_deref()),
            source: links::message(&item.inbox_id, &item.message_id, "source"),
            trace: links::with_query(
                &links::in_inbox(&item.inbox_id, "trace"),
                &[("message_id", item.message_id.as_str())],
            ),
            reply: answer("reply"),
            reply_all: answer("reply-all"),
            forward: answer("forward"),
        }
    }
}

/// Returns the new text, the whole text where that has more, and whether one of them is cut.
fn texts(message: &Message) -> (Option<String>, Option<String>, bool) {
    let body = &message.body;
    let is_filled = |text: &&str| !text.trim().is_empty();
    let new = body.extracted_text.as_deref().filter(is_filled);
    let whole = body.text.as_deref().filter(is_filled);
    let (text, quoted) = match (new, whole) {
        (Some(new), Some(whole)) if whole.trim().len() > new.trim().len() => (Some(new), Some(rest(whole, new))),
        (_, Some(whole)) => (Some(whole), None),
        (new, None) => (new, None),
    };
    let is_cut = [text, quoted].into_iter().flatten().any(|text| text.chars().nth(MAX_TEXT_CHARS).is_some());
    let shown = |text: Option<&str>| text.map(|text| shown_lines(text.trim_end(), MAX_TEXT_CHARS));
    (shown(text), shown(quoted), is_cut)
}

/// Returns whether the HTML of a message has all words of its text, in their order. Then the HTML alone says everything.
fn has_equal_html(message: &Message) -> bool {
    let (Some(html), Some(text)) = (&message.body.html, &message.body.text) else { return message.body.html.is_some() };
    if html.len().max(text.len()) > MAX_COMPARED_BYTES {
        return false;
    }
    let of_html = inboxd_mail::text_from_html(html);
    let mut of_html = words(&of_html);
    words(text).all(|word| of_html.any(|other| other.eq_ignore_ascii_case(word)))
}

/// Returns the words of a text, without signs between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns what follows the new text, or the whole text where the new text is not its beginning.
fn rest<'a>(whole: &'a str, new: &str) -> &'a str {
    whole.trim_start().strip_prefix(new.trim()).unwrap_or(whole).trim_start_matches(['\r', '\n'])
}

fn recipients(item: &MessageItem) -> Vec<(&'static str, Vec<String>)> {
    let fields = [("To", &item.to), ("Cc", &item.cc), ("Bcc", &item.bcc), ("Replies go to", &item.reply_to)];
    let mut named = Vec::new();
    for (name, addresses) in fields.into_iter().filter(|(_, addresses)| !addresses.is_empty()) {
        let mut people: Vec<String> =
            addresses.iter().take(MAX_RECIPIENTS).map(|address| shown(address, MAX_PERSON_CHARS)).collect();
        if addresses.len() > MAX_RECIPIENTS {
            people.push(format!("and {} more", addresses.len() - MAX_RECIPIENTS));
        }
        named.push((name, people));
    }
    named
}

fn codes(found: &ExtractedFindings) -> Vec<CodeField> {
    let code = |code: &inboxd_core::model::ExtractedCode| CodeField {
        code: shown(&code.code, 40),
        context: shown(&code.context, MAX_CONTEXT_CHARS),
    };
    found.codes.iter().take(MAX_FINDINGS).map(code).collect()
}

/// Returns the links of http and https. The host stands beside each, without a user name before it.
fn acting_links(found: &ExtractedFindings) -> Vec<LinkField> {
    let field = |link: &inboxd_core::model::ExtractedLink| {
        let url = Url::parse(&link.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(LinkField {
            action: match link.kind {
                LinkKind::Confirm => "Confirm",
                LinkKind::SignIn => "Sign in",
                LinkKind::ResetPassword => "Set a new password",
                LinkKind::Invitation => "Accept the invitation",
            },
            host: shown(url.host_str()?, 100),
            url: url.into(),
        })
    };
    found.links.iter().filter_map(field).take(MAX_FINDINGS).collect()
}

/// Returns the attachments without the images that the HTML shows.
fn attachments(item: &MessageItem, html: Option<&str>) -> Vec<AttachmentField> {
    let mut inner = html.map(|html| inner_images(item, html)).unwrap_or_default();
    inner.retain(|attachment| attachment.content_type.as_deref().is_some_and(|kind| kind.starts_with("image/")));
    let inner: HashSet<_> = inner.into_iter().map(|attachment| attachment.attachment_id).collect();
    let is_inside = |attachment: &&Attachment| inner.contains(&attachment.attachment_id);
    let field = |attachment: &Attachment| {
        let page = format!("attachments/{}", attachment.attachment_id);
        let name = attachment.filename.as_deref().map(|name| shown(name, 120)).filter(|name| !name.is_empty());
        AttachmentField {
            name: name.unwrap_or_else(|| "attachment".to_owned()),
            size: size(attachment.size),
            href: links::message(&item.inbox_id, &item.message_id, &page),
            has_text: may_have_text(attachment),
        }
    };
    item.attachments.iter().filter(|attachment| !is_inside(attachment)).take(MAX_ATTACHMENTS).map(field).collect()
}

#[cfg(test)]
mod tests {
    use inboxd_core::model::{ExtractedLink, MessageBody};
    use inboxd_core::testing::fixtures;

    use super::*;

    fn shown_texts(
        text: Option<&str>,
        new: Option<&str>,
        html: Option<&str>,
    ) -> (Option<String>, Option<String>, bool) {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let body =
            MessageBody { text: owned(text), extracted_text: owned(new), html: owned(html), ..MessageBody::default() };
        texts(&Message { item: fixtures::message_item(), body })
    }

    #[test]
    fn quoted_history_is_apart() {
        let owned = |text: &str| Some(text.to_owned());
        for (text, new, html, expected) in [
            (Some("Yes.\n\n> Shall we?\n"), Some("Yes."), None, (owned("Yes."), owned("> Shall we?"))),
            (Some("> a\nb\n> c"), Some("b"), None, (owned("b"), owned("> a\nb\n> c"))),
            (Some("Yes.\n"), Some("Yes."), None, (owned("Yes."), None)),
            (Some("> only"), Some(""), None, (owned("> only"), None)),
            (None, Some("of html"), Some("<p>of html"), (owned("of html"), None)),
            (None, None, None, (None, None)),
        ] {
            assert_eq!(shown_texts(text, new, html), (expected.0, expected.1, false), "{text:?}");
        }
        let (text, _, is_cut) = shown_texts(Some(&"x".repeat(MAX_TEXT_CHARS + 1)), None, None);
        assert!(is_cut && text.is_some_and(|text| text.ends_with('…')));
    }

    #[test]
    fn html_with_all_words_of_text_is_known() {
        for (text, html, expected) in [
            (Some("Hello"), Some("<p>Hello</p>"), true),
            (Some("Other"), Some("<p>Hello</p>"), false),
            (Some("*HELLO*, you\n> and I"), Some("<p><b>Hello</b>, dear you <i>and I</i></p>"), true),
            (Some("I and you"), Some("<p>you and I</p>"), false),
            (Some("To the sale <https://x.example/a>"), Some("<a href='https://x.example/a'>To the sale</a>"), true),
            (None, Some("<p>Hello</p>"), true),
            (Some("Hello"), None, false),
        ] {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let body = MessageBody { text: owned(text), html: owned(html), ..MessageBody::default() };
            assert_eq!(has_equal_html(&Message { item: fixtures::message_item(), body }), expected, "{text:?}");
        }
    }

    #[test]
    fn link_shows_its_own_host() {
        let link = |url: &str| ExtractedLink {
            url: url.to_owned(),
            kind: LinkKind::SignIn,
            confidence: 90,
            context: String::new(),
        };
        let links = vec![link("https://bank.example@evil.example/x"), link("javascript:alert(1)"), link("/x")];
        let found = acting_links(&ExtractedFindings { links, ..ExtractedFindings::default() });
        assert_eq!(found.iter().map(|link| link.host.as_str()).collect::<Vec<_>>(), ["evil.example"]);
    }
}
