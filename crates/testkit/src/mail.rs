//! Builder of test mail, which sends exactly the bytes that the test specifies.

use base64::Engine as _;

/// Builder of one mail.
#[derive(Debug, Clone)]
pub struct MailBuilder {
    headers: Vec<(String, String)>,
    text: String,
    html: Option<String>,
    attachments: Vec<(String, String, Vec<u8>)>,
}

impl MailBuilder {
    /// Creates a mail with a subject and a text.
    #[must_use]
    pub fn new(from: &str, to: &str, subject: &str, text: &str) -> Self {
        let headers = [("From", from), ("To", to), ("Subject", subject), ("Date", "Fri, 20 Nov 2026 10:00:00 +0000")];
        Self {
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            text: text.to_owned(),
            html: None,
            attachments: Vec::new(),
        }
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the Message-ID, with angle brackets.
    #[must_use]
    pub fn id(self, message_id: &str) -> Self {
        self.header("Message-ID", message_id)
    }

    /// Adds an HTML alternative.
    #[must_use]
    pub fn html(mut self, html: &str) -> Self {
        self.html = Some(html.to_owned());
        self
    }

    /// Attaches a file.
    #[must_use]
    pub fn attach(mut self, filename: &str, content_type: &str, content: &[u8]) -> Self {
        self.attachments.push((filename.to_owned(), content_type.to_owned(), content.to_vec()));
        self
    }

    /// Returns the mail as sent in DATA, before dot-stuffing.
    #[must_use]
    pub fn raw(&self) -> Vec<u8> {
        let lines: Vec<String> = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = lines.concat();
        let body = self.body();
        let mail = if self.attachments.is_empty() {
            format!("{headers}MIME-Version: 1.0\r\n{body}")
        } else {
            let parts: String = self.attachments.iter().map(attachment).collect();
            format!(
                "{headers}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"outer\"\r\n\r\n\
                 --outer\r\n{body}{parts}--outer--\r\n"
            )
        };
        mail.into_bytes()
    }

    /// Returns the text or the alternatives, with their header fields.
    fn body(&self) -> String {
        let part = |kind: &str, content: &str| {
            let content = content.replace("\r\n", "\n").replace('\n', "\r\n");
            format!("Content-Type: text/{kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{content}\r\n")
        };
        match &self.html {
            None => part("plain", &self.text),
            Some(html) => format!(
                "Content-Type: multipart/alternative; boundary=\"inner\"\r\n\r\n--inner\r\n{}--inner\r\n{}--inner--\r\n",
                part("plain", &self.text),
                part("html", html)
            ),
        }
    }
}

/// Returns an attachment part in base64.
fn attachment((filename, content_type, content): &(String, String, Vec<u8>)) -> String {
    let encoded = base64::engine::general_purpose::STANDARD.encode(content);
    let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!(
        "--outer\r\nContent-Type: {content_type}\r\nContent-Disposition: attachment; filename=\"{filename}\"\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{}\r\n",
        lines.join("\r\n")
    )
}
