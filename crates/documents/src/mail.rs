//! Nested mails.

use inboxd_mail::HeaderAddress;

use crate::output::TextOutput;

/// Maximum number of addresses of a field that are written.
const MAX_ADDRESSES: usize = 50;

/// Writes addresses, subject, text and the names of the attachments of a mail.
pub(crate) fn read(content: &[u8], output: &mut TextOutput) {
    let mail = inboxd_mail::parse(content);
    let date = mail.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("date")).map(|(_, value)| value.as_str());
    let mut head = Vec::new();
    for (name, addresses) in [("From", &mail.from), ("To", &mail.to), ("Cc", &mail.cc)] {
        if !addresses.is_empty() {
            let shown: Vec<String> = addresses.iter().take(MAX_ADDRESSES).map(address).collect();
            head.push(format!("{name}: {}", shown.join(", ")));
        }
    }
    head.extend(date.map(|date| format!("Date: {date}")));
    head.extend(mail.subject.as_deref().map(|subject| format!("Subject: {subject}")));
    if output.is_markdown() {
        for line in &head {
            output.item(0, line);
        }
    } else {
        output.paragraph(&head.join("\n"));
    }
    let markdown = mail.html.as_deref().filter(|_| output.is_markdown()).map(inboxd_mail::markdown_from_html);
    output.paragraph(markdown.as_deref().or(mail.text.as_deref()).unwrap_or_default());
    if !mail.attachments.is_empty() {
        output.heading(2, "Attachments");
    }
    for attachment in &mail.attachments {
        let name = attachment.filename.as_deref().unwrap_or("attachment without a name");
        output.item(0, &format!("{name} ({} bytes)", attachment.size));
    }
}

fn address(address: &HeaderAddress) -> String {
    match address.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => format!("{name} <{}>", address.address),
        None => address.address.clone(),
    }
}
