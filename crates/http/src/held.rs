//! A held message on a page that asks for its approval, made from the bytes that would leave.
//!
//! Nothing of it is cut. Templates escape its texts; hidden characters are removed, and a warning says so.

use inboxd_core::app::drafts::HeldMessage;
use inboxd_core::model::{Actor, Approval, HeldWarning};
use inboxd_mail::{HeaderAddress, ParsedAttachment, ParsedMail, text_from_html};

use crate::clean::clean;
use crate::console::text::size;

/// A held message, for `held_message.html`.
pub(crate) struct HeldView {
    pub(crate) author: String,
    /// Header fields by name.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) warnings: Vec<&'static str>,
    pub(crate) text: Option<String>,
    pub(crate) html: Option<HeldHtml>,
    pub(crate) attachments: Vec<String>,
}

/// The HTML form of a held message, which its recipient sees instead of the text.
pub(crate) struct HeldHtml {
    /// What a person sees of it.
    pub(crate) text: String,
    pub(crate) source: String,
}

impl HeldView {
    pub(crate) fn new(HeldMessage { approval, mail }: &HeldMessage) -> Self {
        let warning = |warning: &HeldWarning| match warning {
            HeldWarning::HiddenContent => {
                "Parts of this message are hidden from its reader, but a program can read them: look for them in the source."
            }
            HeldWarning::FetchedContent => {
                "A program that shows this message fetches content from elsewhere, which can carry data: look for addresses in the source."
            }
            HeldWarning::CutContent => "This message is longer than this page shows.",
        };
        let html = |html: &String| HeldHtml { text: clean(&text_from_html(html)), source: clean(html) };
        Self {
            author: clean(&author(&approval.author)),
            fields: fields(approval, mail).map(|(name, value)| (clean(&name), clean(&value))).collect(),
            warnings: approval.warnings.iter().map(warning).collect(),
            text: mail.text.as_deref().map(clean),
            html: mail.html.as_ref().map(html),
            attachments: mail.attachments.iter().map(attachment).collect(),
        }
    }
}

/// Returns the header fields that say who gets what from whom, and those that the author set.
fn fields(approval: &Approval, mail: &ParsedMail) -> impl Iterator<Item = (String, String)> {
    let named = [("From", &mail.from), ("To", &mail.to), ("Cc", &mail.cc), ("Reply-To", &mail.reply_to)];
    let named = named.map(|(name, addresses)| (name.to_owned(), joined(addresses)));
    let is_shown =
        |recipient: &str| mail.to.iter().chain(&mail.cc).any(|shown| shown.address.eq_ignore_ascii_case(recipient));
    let hidden: Vec<&str> =
        approval.recipients.iter().map(String::as_str).filter(|recipient| !is_shown(recipient)).collect();
    let of_letter =
        [("Bcc".to_owned(), hidden.join(", ")), ("Subject".to_owned(), mail.subject.clone().unwrap_or_default())];
    let fields = named.into_iter().chain(of_letter).chain(approval.headers.iter().cloned());
    fields.filter(|(_, value)| !value.is_empty())
}

fn attachment(file: &ParsedAttachment) -> String {
    let of_type = file.content_type.as_deref().unwrap_or("unknown type");
    let name = file.filename.as_deref().unwrap_or("without a name");
    clean(&format!("{name} ({of_type}, {})", size(file.size)))
}

fn author(actor: &Actor) -> String {
    match actor {
        Actor::ApiKey { name, .. } => format!("The API key {name}"),
        Actor::Member { email, connection_id: Some(_), .. } => format!("A client of {email}"),
        Actor::Member { email, .. } => email.clone(),
    }
}

fn joined(addresses: &[HeaderAddress]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
