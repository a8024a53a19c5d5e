//! What the server says (RFC 5321 section 4.2), made safe to keep and to show.

/// The most characters of a reply that are kept.
const LONGEST_WORDS: usize = 500;

/// A reply, all of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    /// 200 to 599.
    pub(crate) code: u16,
    /// What stands after the code in each line.
    pub(crate) lines: Vec<String>,
}

impl Reply {
    /// 2yz.
    pub(crate) fn is_positive(&self) -> bool {
        self.code / 100 == 2
    }

    /// 5yz.
    pub(crate) fn is_permanent(&self) -> bool {
        self.code / 100 == 5
    }

    /// The enhanced status code (RFC 3463), when there is one and it agrees with the reply code.
    pub(crate) fn status(&self) -> Option<&str> {
        let word = self.lines.first()?.split(' ').next()?;
        let mut parts = word.split('.');
        let class = parts.next()?;
        let number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let fits = parts.next().is_some_and(number) && parts.next().is_some_and(number) && parts.next().is_none();
        (fits && class == (self.code / 100).to_string()).then_some(word)
    }

    /// Code and text on one line of bounded length, without control characters. A status that stands on each line
    /// stands there once.
    pub(crate) fn words(&self) -> String {
        let status = self.status().unwrap_or_default();
        let mut words = self.code.to_string();
        for (place, line) in self.lines.iter().enumerate() {
            let line = if place > 0 { line.strip_prefix(status).unwrap_or(line).trim_start() } else { line };
            if !line.is_empty() {
                words.push(' ');
                words.push_str(line);
            }
        }
        let clean = words.chars().map(|c| if c.is_control() { ' ' } else { c });
        clean.take(LONGEST_WORDS).collect()
    }
}

/// One line of a reply, without its line end: the code, whether more lines follow, and the text.
pub(crate) fn parse_line(line: &[u8]) -> Option<(u16, bool, String)> {
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
