//! What is to be said before the content, for a server with these extensions.

use inboxd_core::ports::OutgoingMail;
use inboxd_core::rules::destinations::in_ascii;
use inboxd_mail::EmailAddress;

use super::capabilities::Capabilities;
use super::ledger::{Ledger, impossible};
use super::stuffing::has_bare_line_end;

/// MAIL and its RCPTs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The MAIL command, with its CRLF.
    pub(crate) mail: String,
    /// The place of each recipient in the mail, with its RCPT command.
    pub(crate) recipients: Vec<(usize, String)>,
}

/// Writes the commands. Recipients that the server cannot serve are noted as refused; `None` when none are left.
pub(crate) fn write(mail: &OutgoingMail, offered: &Capabilities, ledger: &mut Ledger) -> Option<Envelope> {
    if let Some((status, why)) = unsendable(mail, offered) {
        ledger.note_rest(&impossible(status, why));
        return None;
    }
    let mut recipients = Vec::new();
    let mut utf8 = !mail.envelope_from.as_str().is_ascii();
    for place in ledger.open() {
        let Some(recipient) = mail.recipients.get(place) else { continue };
        if !is_safe(recipient) {
            ledger.note(place, impossible("5.1.3", "the address cannot be said in SMTP"));
            continue;
        }
        let Some(written) = written_for(recipient, offered) else {
            let why = "the address is beyond ASCII, and the server does not offer SMTPUTF8";
            ledger.note(place, impossible("5.6.7", why));
            continue;
        };
        utf8 |= !written.is_ascii();
        recipients.push((place, format!("RCPT TO:<{written}>\r\n")));
    }
    if recipients.is_empty() {
        return None;
    }
    Some(Envelope { mail: mail_command(mail, offered, utf8), recipients })
}

/// An address as a server understands it: where it does not know SMTPUTF8, a domain beyond ASCII goes by its A-labels. A
/// local part has no such form.
fn written_for(address: &EmailAddress, offered: &Capabilities) -> Option<String> {
    let written = address.as_str();
    if written.is_ascii() || offered.utf8 {
        return Some(written.to_owned());
    }
    let (local, domain) = written.rsplit_once('@')?;
    local.is_ascii().then(|| in_ascii(domain))?.map(|domain| format!("{local}@{domain}"))
}

/// Why no recipient can get the mail, if so.
fn unsendable(mail: &OutgoingMail, offered: &Capabilities) -> Option<(&'static str, &'static str)> {
    if !is_safe(&mail.envelope_from) {
        return Some(("5.1.7", "the sender's address cannot be said in SMTP"));
    }
    if !mail.envelope_from.as_str().is_ascii() && !offered.utf8 {
        return Some(("5.6.7", "the sender's address is beyond ASCII, and the server does not offer SMTPUTF8"));
    }
    if !mail.raw.is_ascii() && !offered.eight_bit {
        return Some(("5.6.3", "the mail has octets beyond ASCII, and the server does not offer 8BITMIME"));
    }
    if offered.size.is_some_and(|limit| mail.raw.len() > limit) {
        return Some(("5.3.4", "the mail is larger than the server takes"));
    }
    has_bare_line_end(&mail.raw).then_some(("5.6.0", "the mail has a CR or LF on its own"))
}

fn mail_command(mail: &OutgoingMail, offered: &Capabilities, utf8: bool) -> String {
    let mut command = format!("MAIL FROM:<{}>", mail.envelope_from);
    if offered.size.is_some() {
        command.push_str(" SIZE=");
        command.push_str(&mail.raw.len().to_string());
    }
    if !mail.raw.is_ascii() {
        command.push_str(" BODY=8BITMIME");
    }
    if utf8 {
        command.push_str(" SMTPUTF8");
    }
    command.push_str("\r\n");
    command
}

/// Whether an address can stand in a command. Addresses are validated where they are made; a line break in one would be
/// a command of a stranger, so it is looked at once more where it matters.
fn is_safe(address: &EmailAddress) -> bool {
    !address.as_str().chars().any(char::is_control) && address.as_str().len() <= 320
}
