//! Facts about the content of a composed message, for policies.

use inboxd_mail::{EmailAddress, ParsedMail};

use super::author_texts::{AuthorTexts, is_request_field, is_service_field, reply_addresses};
use crate::rules::sending_policy::{SecretKind, find_secret};

/// Facts about content.
#[derive(Debug)]
pub(super) struct ContentFacts {
    /// Texts of the author, in which received codes are searched.
    pub(super) texts: AuthorTexts,
    /// Mailboxes that replies go to, as the author named them.
    pub(super) reply_to: Vec<EmailAddress>,
    pub(super) attachments: usize,
    pub(super) has_link: bool,
    pub(super) secret: Option<SecretKind>,
}

impl ContentFacts {
    /// Reads the facts of a message from all texts of its author. `mail` is the parsed message.
    pub(super) fn of(raw: &[u8], mail: &ParsedMail, recipients: &[EmailAddress]) -> Self {
        let facts = Self::of_texts(AuthorTexts::of(raw, recipients));
        // The parser also finds files inside of texts.
        let attachments = facts.attachments.max(mail.attachments.len());
        Self { attachments, reply_to: reply_addresses(mail).collect(), ..facts }
    }

    /// Reads the facts of URLs that are to be fetched.
    pub(super) fn of_urls(urls: &[String]) -> Self {
        Self::of_texts(AuthorTexts::of_urls(urls))
    }

    fn of_texts(texts: AuthorTexts) -> Self {
        let (attachments, has_link) = (texts.files_count(), texts.has_link());
        let secret = texts.all().find_map(find_secret);
        Self { texts, reply_to: Vec::new(), attachments, has_link, secret }
    }
}

/// Returns the header fields that the author set in `headers`.
pub(super) fn custom_fields(mail: &ParsedMail) -> Vec<(String, String)> {
    let is_custom = |name: &str| !is_service_field(name) && !is_request_field(name);
    mail.headers.iter().filter(|(name, _)| is_custom(name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use inboxd_mail::{AttachmentPart, Composition, Disposition, compose, parse};

    use super::*;

    fn attached(content_type: &str, content: &str) -> AttachmentPart {
        AttachmentPart {
            filename: None,
            content_type: Some(content_type.to_owned()),
            disposition: Disposition::Inline,
            content_id: Some("x@a.example".to_owned()),
            content: content.as_bytes().to_vec(),
        }
    }

    fn mail() -> Composition {
        let from = "Scout <scout@a.example>".parse().unwrap();
        Composition {
            to: vec!["Bob <bob@b.example>".parse().unwrap()],
            subject: Some("Hello".to_owned()),
            text: Some("plain".to_owned()),
            ..Composition::new(from, "<1@a.example>".to_owned())
        }
    }

    fn html(html: &str) -> Composition {
        Composition { text: None, html: Some(html.to_owned()), ..mail() }
    }

    fn facts(mail: &Composition) -> ContentFacts {
        let raw = compose(mail).unwrap();
        ContentFacts::of(&raw, &parse(&raw), &["bob@b.example".parse().unwrap()])
    }

    fn codes_of(mail: &Composition, bcc: &str, known: &[&str]) -> bool {
        let texts = AuthorTexts::of(&compose(mail).unwrap(), &[bcc.parse().unwrap()]);
        let known: Vec<String> = known.iter().map(|known| (*known).to_owned()).collect();
        texts.written_codes(&known).iter().any(|written| !written.find(&["482913"]).is_empty())
    }

    /// Returns messages with a text in each place that an author can set.
    fn with_text_anywhere(text: &str) -> Vec<Composition> {
        let address = |name: &str| vec![format!("\"{name}\" <c@c.example>").parse().unwrap()];
        let entity = format!("&#{};{}", text.as_bytes()[0], &text[1..]);
        vec![
            Composition { subject: Some(text.to_owned()), ..mail() },
            Composition { text: Some(text.to_owned()), ..mail() },
            Composition { from: format!("\"{text}\" <scout@a.example>").parse().unwrap(), ..mail() },
            Composition { to: address(text), ..mail() },
            Composition { cc: address(text), ..mail() },
            Composition { reply_to: address(text), ..mail() },
            Composition { headers: vec![("X-Note".to_owned(), text.to_owned())], ..mail() },
            html(&format!("<p hidden>{text}</p>")),
            html(&format!("<!-- {text} -->plain")),
            html(&format!("<p title=\"{entity}\">plain</p>")),
            html(&format!("{}<b>{}</b>", &text[..3], &text[3..])),
            html(&format!("<img src=\"cid:%{:02X}{}\">", text.as_bytes()[0], &text[1..])),
            Composition { attachments: vec![attached("text/plain", text)], ..mail() },
            Composition { attachments: vec![attached("text/html", &entity)], ..mail() },
            Composition { attachments: vec![attached(&format!("a/b; k=\"{text}\""), "x")], ..mail() },
            Composition {
                attachments: vec![AttachmentPart { filename: Some(text.to_owned()), ..attached("a/b", "x") }],
                ..mail()
            },
        ]
    }

    #[test]
    fn secrets_and_codes_are_found_in_every_text_of_the_author() {
        for mail in with_text_anywhere("AKIAIOSFODNN7ABCDEFG") {
            assert!(facts(&mail).secret.is_some(), "{mail:?}");
        }
        for mail in with_text_anywhere("482913") {
            assert!(codes_of(&mail, "bob@b.example", &[]), "{mail:?}");
        }
        let id = |id: &str| AttachmentPart { content_id: Some(id.to_owned()), ..attached("image/png", "x") };
        let of_id = |id_text: &str| Composition { attachments: vec![id(id_text)], ..mail() };
        assert!(facts(&of_id("AKIAIOSFODNN7ABCDEFG")).secret.is_some());
        assert!(codes_of(&of_id("482913"), "bob@b.example", &[]));
        for (text, is_found) in
            [("482<br>913", true), ("<p>482</p><p>913</p>", true), ("<p style='color: #482 913'>x", true)]
        {
            assert_eq!(codes_of(&html(text), "bob@b.example", &[]), is_found, "{text}");
        }
        for (facts, expected) in [
            (facts(&mail()), (0, false, false)),
            (ContentFacts::of_urls(&["https://evil.example/?k=%41KIAIOSFODNN7ABCDEFG".to_owned()]), (0, true, true)),
        ] {
            assert_eq!((facts.attachments, facts.has_link, facts.secret.is_some()), expected, "{facts:?}");
        }
    }

    #[test]
    fn codes_are_found_in_addresses_that_are_not_known() {
        for (bcc, known, is_found) in [
            ("482913@evil.example", vec![], true),
            ("x+482913@evil.example", vec![], true),
            ("x@482913.evil.example", vec![], true),
            ("482913@friend.example", vec!["482913@friend.example"], false),
        ] {
            assert_eq!(codes_of(&mail(), bcc, &known), is_found, "{bcc}");
        }
    }

    #[test]
    fn links_are_found_in_all_texts_and_attributes() {
        for (mail, expected) in [
            (html("<img src='h&#116;tps://evil.example/p.png'>"), true),
            (html("<form action='//evil.example'><button>Go</button></form>"), true),
            (html("<meta http-equiv=refresh content='0;url=h&#116;tps://evil.example'>x"), true),
            (html("<p style='background:url(h&#116;tps://evil.example/p)'>x"), true),
            (html("ht<b>tps</b>://evil.example"), true),
            (html("<a href='#top'>Up</a><img src='cid:logo@a.example'>"), false),
            (Composition { subject: Some("https://evil.example".to_owned()), ..mail() }, true),
            (
                Composition {
                    headers: vec![("List-Unsubscribe".to_owned(), "<https://evil.example>".to_owned())],
                    ..mail()
                },
                true,
            ),
            (Composition { text: Some("ftp://evil.example".to_owned()), ..mail() }, true),
            (Composition { attachments: vec![attached("text/plain", "https://evil.example")], ..mail() }, true),
            (Composition { attachments: vec![attached("a/pdf", "\u{0}\u{fffd}no link")], ..mail() }, false),
        ] {
            assert_eq!(facts(&mail).has_link, expected, "{mail:?}");
        }
    }

    #[test]
    fn attachments_count_whatever_a_reader_makes_of_them() {
        let with = |one: AttachmentPart| Composition { attachments: vec![one], ..mail() };
        let unnamed = |content_type: &str| AttachmentPart { content_id: None, ..attached(content_type, "DOC") };
        for (mail, expected) in [
            (with(unnamed("text/plain")), 1),
            (with(unnamed("text/html")), 1),
            (with(attached("text/html", "DOC")), 1),
            (Composition { html: Some("<p>x".to_owned()), ..with(attached("text/html", "DOC")) }, 1),
            (html("<img src='data:application/pdf;base64,JVBERi0='>"), 1),
            (html("<p style='background:url(data:,x)'>x"), 1),
            (html("<p>x"), 0),
            (Composition { html: Some("<p>x".to_owned()), ..mail() }, 0),
        ] {
            assert_eq!(facts(&mail).attachments, expected, "{mail:?}");
        }
    }
}
