//! Content lines of iCalendar: folding, parameters and text values (RFC 5545, section 3.1; RFC 6868).

/// A property with its parameters, as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentLine<'a> {
    /// Name of the property.
    pub(super) name: &'a str,
    /// Parameters with the semicolon before each; empty without any.
    parameters: &'a str,
    /// Value with its escapes.
    pub(super) value: &'a str,
}

impl<'a> ContentLine<'a> {
    /// Parses an unfolded line; `None` for one without a name or a colon.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let colon = outside_quotes(line, b':')?;
        let (head, value) = line.split_at(colon);
        let name_end = head.find(';').unwrap_or(head.len());
        let (name, parameters) = head.split_at(name_end);
        let value = value.strip_prefix(':')?;
        Some(Self { name: name.trim(), parameters, value }).filter(|line| !line.name.is_empty())
    }

    /// Returns whether the property has this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the decoded value of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        let mut rest = self.parameters;
        while let Some(parameter) = rest.strip_prefix(';') {
            let end = outside_quotes(parameter, b';').unwrap_or(parameter.len());
            let (parameter, behind) = parameter.split_at(end);
            rest = behind;
            if let Some((key, value)) = parameter.split_once('=')
                && key.trim().eq_ignore_ascii_case(name)
            {
                return Some(decode_parameter(value));
            }
        }
        None
    }

    /// Returns whether a parameter has this value.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.parameter(name).is_some_and(|given| given.eq_ignore_ascii_case(value))
    }

    /// Returns the text without its escapes (RFC 5545, section 3.3.11).
    pub(super) fn text(&self) -> String {
        let mut out = String::with_capacity(self.value.len());
        let mut chars = self.value.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n' | 'N') => out.push('\n'),
                    Some(escaped) => out.push(escaped),
                    None => {}
                },
                c => out.push(c),
            }
        }
        out
    }
}

/// Joins folded lines. The result separates lines by LF.
pub(super) fn unfold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line.strip_prefix([' ', '\t']) {
            Some(rest) if !out.is_empty() => out.push_str(rest),
            _ => {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(line);
            }
        }
    }
    out
}

/// Returns the position of a byte outside double quotes.
fn outside_quotes(text: &str, wanted: u8) -> Option<usize> {
    let mut is_quoted = false;
    text.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == wanted && !is_quoted
    })
}

/// Removes quotes and decodes carets (RFC 6868).
fn decode_parameter(value: &str) -> String {
    let value = value.trim();
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    if !value.contains('^') {
        return value.to_owned();
    }
    value.replace("^n", "\n").replace("^'", "\"").replace("^^", "^")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn parameters_and_text_are_decoded() {
        let line = "ATTENDEE;CN=\"Berg; Anna: ^'Sales^'\";PARTSTAT=ACCEPTED:mailto:anna@example.org";
        let line = ContentLine::parse(line).unwrap();
        assert_eq!(line.parameter("cn").as_deref(), Some("Berg; Anna: \"Sales\""));
        assert!(line.has("PARTSTAT", "accepted") && line.parameter("ROLE").is_none());
        assert_eq!((line.name, line.value), ("ATTENDEE", "mailto:anna@example.org"));
        let line = ContentLine::parse("SUMMARY:Oak\\, ash\\; elm\\nand \\\\").unwrap();
        assert_eq!(line.text(), "Oak, ash; elm\nand \\");
        assert!(ContentLine::parse("no colon").is_none() && ContentLine::parse(":no name").is_none());
    }

    #[test]
    fn folded_lines_are_joined() {
        assert_eq!(unfold("SUMMARY:Lu\r\n nch\r\nUID:1\n\t2\n"), "SUMMARY:Lunch\nUID:12\n");
        assert_eq!(unfold(" SUMMARY:a"), " SUMMARY:a");
    }
}
