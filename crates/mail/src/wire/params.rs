//! `value; name=value` fields: Content-Type and Content-Disposition (RFC 2045 section 5.1, RFC 2183, RFC 2231).

use super::{charset, transfer, words};

/// How many parameters of one field are read.
const MAX_PARAMETERS: usize = 100;

/// A field with parameters, already unfolded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameterized {
    /// What stands before the first semicolon, in lower case.
    pub(crate) value: String,
    /// The parameters in order, names in lower case, values as they stand, sections of RFC 2231 not yet joined.
    pub(crate) written: Vec<(String, String)>,
}

impl Parameterized {
    pub(crate) fn parse(text: &str) -> Self {
        let (value, mut rest) = split_value(text.trim_start());
        let mut written = Vec::new();
        while !rest.is_empty() && written.len() < MAX_PARAMETERS {
            let (parameter, after) = read_parameter(rest);
            written.extend(parameter);
            rest = after;
        }
        Self { value: value.trim().to_ascii_lowercase(), written }
    }

    /// The parameter, its sections joined, percent encoding and encoded words decoded.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.extended(name).or_else(|| self.plain(name).map(words::decode))
    }

    /// The parameter in its simple form only, not decoded.
    pub(crate) fn plain(&self, name: &str) -> Option<&str> {
        let found = self.written.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the parameter has the value, letter case apart.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.plain(name).is_some_and(|given| given.eq_ignore_ascii_case(value))
    }

    /// `name*=`, or `name*0=`, `name*1*=` … in the order of their numbers (RFC 2231 sections 3 and 4).
    fn extended(&self, name: &str) -> Option<String> {
        let mut sections: Vec<(u32, bool, &str)> = Vec::new();
        for (given, value) in &self.written {
            let Some(suffix) = given.strip_prefix(name).and_then(|rest| rest.strip_prefix('*')) else {
                continue;
            };
            if suffix.is_empty() {
                return Some(percent_decoded(&[(0, true, value)]));
            }
            let number = suffix.strip_suffix('*').unwrap_or(suffix);
            if let Ok(number) = number.parse() {
                sections.push((number, suffix.ends_with('*'), value));
            }
        }
        if sections.is_empty() {
            return None;
        }
        sections.sort_by_key(|(number, ..)| *number);
        Some(percent_decoded(&sections))
    }
}

/// Joins sections of which the first may name a charset: `utf-8'en'caf%C3%A9`.
fn percent_decoded(sections: &[(u32, bool, &str)]) -> String {
    let mut named = None;
    let mut bytes = Vec::new();
    for (at, (_, encoded, value)) in sections.iter().enumerate() {
        if !encoded {
            bytes.extend_from_slice(value.as_bytes());
            continue;
        }
        let mut parts = value.splitn(3, '\'');
        let data = match (at, parts.next(), parts.next(), parts.next()) {
            (0, Some(charset), Some(_), Some(data)) => {
                named = Some(charset);
                data
            }
            _ => value,
        };
        percent_escapes(data.as_bytes(), &mut bytes);
    }
    charset::decode(named, &bytes)
}

fn percent_escapes(mut data: &[u8], out: &mut Vec<u8>) {
    while let Some((&first, rest)) = data.split_first() {
        let escape = match rest {
            [high, low, ..] if first == b'%' => transfer::hex(*high).zip(transfer::hex(*low)),
            _ => None,
        };
        if let Some((high, low)) = escape {
            out.push(high << 4 | low);
            data = rest.get(2..).unwrap_or_default();
        } else {
            out.push(first);
            data = rest;
        }
    }
}

/// The value before the first parameter. Some senders forget the semicolon behind it: a space ends it too.
fn split_value(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == ';' || c == '(');
    let (value, rest) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    let rest = without_comment(rest);
    (value, rest.strip_prefix(';').unwrap_or(rest))
}

/// The text behind the comment it may start with.
fn without_comment(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix('(') {
        Some(comment) => comment.split_once(')').map_or("", |(_, rest)| rest).trim_start(),
        None => text,
    }
}

/// One `name=value` and what stands behind its semicolon; no parameter where there is no `=`.
fn read_parameter(text: &str) -> (Option<(String, String)>, &str) {
    let text = without_comment(text);
    let end = text.find(['=', ';']);
    let Some((name, rest)) = end.and_then(|at| text.split_at_checked(at)) else {
        return (None, "");
    };
    let Some(rest) = rest.strip_prefix('=') else {
        return (None, rest.get(1..).unwrap_or_default());
    };
    let name = name.trim().to_ascii_lowercase();
    let rest = rest.trim_start();
    let (value, rest) = match rest.strip_prefix('"') {
        Some(quoted) => read_quoted(quoted),
        None => read_token(rest),
    };
    (Some((name, value)).filter(|(name, _)| !name.is_empty()), rest)
}

/// Reads to the closing quote. A backslash escapes quotes and backslashes only, so that Windows paths stay whole.
fn read_quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let rest = text.get(at + 1..).unwrap_or_default();
                return (value, rest.split_once(';').map_or("", |(_, rest)| rest));
            }
            '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push(c),
            },
            c => value.push(c),
        }
    }
    (value, "")
}

/// Reads to the semicolon; spaces in file names without quotes are forgiven, a comment at the end goes.
fn read_token(text: &str) -> (String, &str) {
    let (token, rest) = text.split_once(';').unwrap_or((text, ""));
    let token = token.trim();
    let token = match token.find(" (") {
        Some(at) if token.ends_with(')') => token.get(..at).unwrap_or(token),
        _ => token,
    };
    (token.trim_end().to_owned(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read() {
        let field = Parameterized::parse(
            "Text/Plain (note); charset = \"utf-8\" ; Format=flowed; name=my file.txt; x; q=\"a\\\"b;c\\d\"; e=ascii (c)",
        );
        assert_eq!(field.value, "text/plain");
        for (name, expected) in [
            ("charset", Some("utf-8")),
            ("format", Some("flowed")),
            ("name", Some("my file.txt")),
            ("q", Some("a\"b;c\\d")),
            ("e", Some("ascii")),
            ("x", None),
        ] {
            assert_eq!(field.get(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn values_end_at_the_first_space() {
        for (text, value, name) in [
            ("multipart/mixed boundary=\"b\"", "multipart/mixed", Some("b")),
            ("a/b (x; y); boundary=b", "a/b", Some("b")),
            (" a/b", "a/b", None),
            ("; boundary=b", "", Some("b")),
            ("", "", None),
            ("a/b (open; boundary=b", "a/b", None),
        ] {
            let field = Parameterized::parse(text);
            assert_eq!((field.value.as_str(), field.get("boundary").as_deref()), (value, name), "{text:?}");
        }
    }

    #[test]
    fn extended_parameters_are_joined_and_decoded() {
        for (text, expected) in [
            ("a; filename*=utf-8''caf%C3%A9.txt", "café.txt"),
            ("a; filename=x; filename*=utf-8'en'caf%C3%A9.txt", "café.txt"),
            ("a; filename*1=\"b.txt\"; filename*0=\"a\"", "ab.txt"),
            ("a; filename*0*=utf-8''%C3; filename*1*=%A9; filename*2=\"%.t\"", "é%.t"),
            ("a; filename*=iso-8859-1''%E9", "é"),
            ("a; filename=\"=?utf-8?q?=C3=A9?=\"", "é"),
            ("a; filename*=100%", "100%"),
            ("a; filename=\"open", "open"),
        ] {
            assert_eq!(Parameterized::parse(text).get("filename").as_deref(), Some(expected), "{text}");
        }
    }
}
