//! Envelope commands for a server with given extensions.

use inboxd_core::ports::OutgoingMail;
use inboxd_core::rules::destinations::in_ascii;
use inboxd_mail::EmailAddress;
use memchr::memmem;

use super::capabilities::ServerCapabilities;
use super::dot_stuffing::has_bare_line_end;
use super::recipient_outcomes::{RecipientOutcomes, refused_locally};

/// MAIL and RCPT commands of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SmtpEnvelope {
    /// MAIL command with its CRLF.
    pub(crate) mail: String,
    /// Position of each recipient in the message, with its RCPT command.
    pub(crate) recipients: Vec<(usize, String)>,
}

/// Builds the commands. Records a refusal for recipients that the server cannot serve. Returns `None` when none remain.
pub(crate) fn build(
    mail: &OutgoingMail,
    capabilities: &ServerCapabilities,
    outcomes: &mut RecipientOutcomes,
) -> Option<SmtpEnvelope> {
    if let Some((status, why)) = message_refusal(mail, capabilities) {
        outcomes.record_remaining(&refused_locally(status, why));
        return None;
    }
    let mut recipients = Vec::new();
    // An address of another destination, or one in Reply-To, may be in the header alone.
    let mut utf8 = !mail.envelope_from.as_str().is_ascii() || (capabilities.utf8 && has_utf8_header(&mail.raw));
    for position in outcomes.undecided() {
        let Some(recipient) = mail.recipients.get(position) else { continue };
        if !is_safe(recipient) {
            outcomes.record(position, refused_locally("5.1.3", "the address is not valid in SMTP"));
            continue;
        }
        let Some(wire_form) = wire_address(recipient, capabilities) else {
            let why = "the address is not ASCII, and the server does not offer SMTPUTF8";
            outcomes.record(position, refused_locally("5.6.7", why));
            continue;
        };
        utf8 |= !wire_form.is_ascii();
        recipients.push((position, format!("RCPT TO:<{wire_form}>\r\n")));
    }
    if recipients.is_empty() {
        return None;
    }
    Some(SmtpEnvelope { mail: mail_command(mail, capabilities, utf8), recipients })
}

/// Returns whether the header has characters beyond ASCII, which need SMTPUTF8 (RFC 6531, section 3.4). Large servers refuse
/// such a header without it. Bytes that are not UTF-8 are no internationalized header.
fn has_utf8_header(raw: &[u8]) -> bool {
    let end = memmem::find(raw, b"\r\n\r\n").unwrap_or(raw.len());
    raw.get(..end).is_some_and(|header| !header.is_ascii() && str::from_utf8(header).is_ok())
}

/// Returns the address for this server. Without SMTPUTF8 the domain is written as A-labels; a local part has no such
/// form.
fn wire_address(address: &EmailAddress, capabilities: &ServerCapabilities) -> Option<String> {
    let wire_form = address.as_str();
    if wire_form.is_ascii() || capabilities.utf8 {
        return Some(wire_form.to_owned());
    }
    let (local, domain) = wire_form.rsplit_once('@')?;
    local.is_ascii().then(|| in_ascii(domain))?.map(|domain| format!("{local}@{domain}"))
}

/// Returns status and reason when no recipient can receive the message.
fn message_refusal(mail: &OutgoingMail, capabilities: &ServerCapabilities) -> Option<(&'static str, &'static str)> {
    if !is_safe(&mail.envelope_from) {
        return Some(("5.1.7", "the sender address is not valid in SMTP"));
    }
    if !mail.envelope_from.as_str().is_ascii() && !capabilities.utf8 {
        return Some(("5.6.7", "the sender address is not ASCII, and the server does not offer SMTPUTF8"));
    }
    if !mail.raw.is_ascii() && !capabilities.eight_bit {
        return Some(("5.6.3", "the message has bytes beyond ASCII, and the server does not offer 8BITMIME"));
    }
    if capabilities.max_message_bytes.is_some_and(|limit| mail.raw.len() > limit) {
        return Some(("5.3.4", "the message exceeds the size limit of the server"));
    }
    has_bare_line_end(&mail.raw).then_some(("5.6.0", "the message has a CR or LF on its own"))
}

fn mail_command(mail: &OutgoingMail, capabilities: &ServerCapabilities, utf8: bool) -> String {
    let mut command = format!("MAIL FROM:<{}>", mail.envelope_from);
    if capabilities.max_message_bytes.is_some() {
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

/// Returns whether an address is safe in a command. Addresses are validated on creation; this second check prevents
/// command injection.
fn is_safe(address: &EmailAddress) -> bool {
    !address.as_str().chars().any(char::is_control) && address.as_str().len() <= 320
}
