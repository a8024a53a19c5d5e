//! Server replies (RFC 5321, section 4.2), made safe for storage and display.

/// Limit of a reply text.
const MAX_REPLY_CHARS: usize = 500;

/// Complete reply of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerReply {
    /// Reply code, 200 to 599.
    pub(crate) code: u16,
    /// Text after the code in each line.
    pub(crate) lines: Vec<String>,
}

impl ServerReply {
    /// Returns whether the code is 2yz.
    pub(crate) fn is_positive(&self) -> bool {
        self.code / 100 == 2
    }

    /// Returns whether the code is 5yz.
    pub(crate) fn is_permanent(&self) -> bool {
        self.code / 100 == 5
    }

    /// Returns the enhanced status code (RFC 3463) if it agrees with the reply code.
    pub(crate) fn status(&self) -> Option<&str> {
        let word = self.lines.first()?.split(' ').next()?;
        let mut parts = word.split('.');
        let class = parts.next()?;
        let number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let fits = parts.next().is_some_and(number) && parts.next().is_some_and(number) && parts.next().is_none();
        (fits && class == (self.code / 100).to_string()).then_some(word)
    }

    /// Returns code and text on one line of bounded length without control characters. A status that is repeated on
    /// each line occurs once.
    pub(crate) fn to_text(&self) -> String {
        let status = self.status().unwrap_or_default();
        let mut text = self.code.to_string();
        for (position, line) in self.lines.iter().enumerate() {
            let line = if position > 0 { line.strip_prefix(status).unwrap_or(line).trim_start() } else { line };
            if !line.is_empty() {
                text.push(' ');
                text.push_str(line);
            }
        }
        let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        clean.take(MAX_REPLY_CHARS).collect()
    }
}

/// Parses a reply line without its line end into code, continuation flag and text.
pub(crate) fn parse_reply_line(line: &[u8]) -> Option<(u16, bool, String)> {
    let (digits, rest) = line.split_at_checked(3)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let code: u16 = str::from_utf8(digits).ok()?.parse().ok()?;
    if !(200..600).contains(&code) {
        return None;
    }
    let (more, text) = match rest.split_first() {
        None => (false, rest),
        Some((b' ', text)) => (false, text),
        Some((b'-', text)) => (true, text),
        Some(_) => return None,
    };
    Some((code, more, String::from_utf8_lossy(text).into_owned()))
}
