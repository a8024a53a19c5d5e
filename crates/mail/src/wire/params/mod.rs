//! Fields with parameters, `value; name=value`: Content-Type and Content-Disposition (RFC 2045, RFC 2183, RFC 2231).

mod extended;
mod values;

use self::extended::ValueSection;
use self::values::{read_quoted, read_token, without_comment};

/// Maximum number of parameters read of a field.
const MAX_PARAMETERS: usize = 100;

/// An unfolded field with parameters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ParameterizedValue {
    /// Value before the first semicolon, in lower case.
    pub(crate) value: String,
    /// Parameters in order with lower-case names and raw values; sections of RFC 2231 are separate.
    pub(crate) written: Vec<(String, String)>,
}

impl ParameterizedValue {
    pub(crate) fn parse(text: &str) -> Self {
        let (value, mut rest) = split_value(text.trim_start());
        let mut written = Vec::new();
        let mut quotes_close = true;
        while !rest.is_empty() && written.len() < MAX_PARAMETERS {
            let (parameter, after) = read_parameter(rest, &mut quotes_close);
            written.extend(parameter);
            rest = after;
        }
        Self { value: value.trim_end_matches(',').to_ascii_lowercase(), written }
    }

    /// Returns a parameter with its sections joined and its encodings decoded. Of both forms, the extended one takes
    /// precedence (RFC 6266, section 4.3).
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.extended(name).or_else(|| self.plain(name).map(extended::simple))
    }

    /// Returns the simple form of a parameter, not decoded.
    pub(crate) fn plain(&self, name: &str) -> Option<&str> {
        let found = self.written.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns true if the parameter equals the value, ignoring case.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.plain(name).is_some_and(|given| given.eq_ignore_ascii_case(value))
    }

    /// Returns `name*=`, or `name*0=`, `name*1*=` … in numeric order (RFC 2231, sections 3 and 4).
    fn extended(&self, name: &str) -> Option<String> {
        let mut sections: Vec<(u32, ValueSection<'_>)> = Vec::new();
        for (given, value) in &self.written {
            let Some(suffix) = given.strip_prefix(name).and_then(|rest| rest.strip_prefix('*')) else {
                continue;
            };
            if suffix.is_empty() {
                return Some(extended::join(&[ValueSection { value, is_encoded: true }]));
            }
            let number = suffix.strip_suffix('*').unwrap_or(suffix);
            if let Ok(number) = number.parse() {
                sections.push((number, ValueSection { value, is_encoded: suffix.ends_with('*') }));
            }
        }
        sections.sort_by_key(|(number, _)| *number);
        sections.dedup_by_key(|(number, _)| *number);
        let sections: Vec<ValueSection<'_>> = sections.into_iter().map(|(_, section)| section).collect();
        (!sections.is_empty()).then(|| extended::join(&sections))
    }
}

/// Splits the value from the parameters. A space also ends the value, since some senders omit the semicolon.
fn split_value(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == ';' || c == '(');
    let (value, rest) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    let rest = without_comment(rest);
    (value, rest.strip_prefix(';').unwrap_or(rest))
}

/// Reads one `name=value` and returns the text after its semicolon; no parameter without `=`.
///
/// `quotes_close` is false once a search for a closing quote failed, which prevents another one.
fn read_parameter<'a>(text: &'a str, quotes_close: &mut bool) -> (Option<(String, String)>, &'a str) {
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
        Some(quoted) => read_quoted(quoted, quotes_close),
        None => read_token(rest),
    };
    (Some((name, value)).filter(|(name, _)| !name.is_empty()), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_parsed() {
        let field = ParameterizedValue::parse(
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
    fn field_value_ends_at_first_space() {
        for (text, value, name) in [
            ("multipart/mixed boundary=\"b\"", "multipart/mixed", Some("b")),
            ("a/b (x; y); boundary=b", "a/b", Some("b")),
            (" a/b", "a/b", None),
            ("; boundary=b", "", Some("b")),
            ("", "", None),
            ("a/b (open; boundary=b", "a/b", None),
        ] {
            let field = ParameterizedValue::parse(text);
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
            // File names as other programs write them.
            ("a; filename=\"open.pdf; size=3", "open.pdf"),
            ("a; filename=\"my \"best\" file.pdf\"; size=3", "my \"best\" file.pdf"),
            ("a; filename=\"a.pdf\" size=3", "a.pdf"),
            ("a; filename=a.pdf size=3", "a.pdf"),
            ("a, filename=a.pdf", "a.pdf"),
            ("a; filename=\"a;b.pdf\"", "a;b.pdf"),
            ("a; filename=\"a.pdf\"; filename=\"b.pdf\"", "a.pdf"),
            ("a; FileName='a.pdf'", "'a.pdf'"),
            ("a; filename=C:\\dir\\a.pdf", "C:\\dir\\a.pdf"),
            ("a; filename=\"=?utf-8?B?R3LDvMOfZS5wZGY=?=\"", "Grüße.pdf"),
            ("a; filename==?utf-8?B?R3LDvMOfZS5wZGY=?=", "Grüße.pdf"),
            ("a; filename=\"=?utf-8?Q?Gr=C3=BC?= =?utf-8?Q?=C3=9Fe.pdf?=\"", "Grüße.pdf"),
            ("a; filename*0=\"=?utf-8?Q?Gr=C3=BC?=\"; filename*1=\" =?utf-8?Q?=C3=9Fe.pdf?=\"", "Grüße.pdf"),
            ("a; filename*=\"=?utf-8?Q?Gr=C3=BC=C3=9Fe.pdf?=\"", "Grüße.pdf"),
            ("a; filename*=\"UTF-8''Gr%C3%BC%C3%9Fe.pdf\"", "Grüße.pdf"),
            ("a; filename=\"UTF-8''Gr%C3%BC%C3%9Fe.pdf\"", "Grüße.pdf"),
            ("a; filename=\"Gr%C3%BC%C3%9Fe%20.pdf\"", "Grüße .pdf"),
            ("a; filename=\"100%25.pdf\"", "100%25.pdf"),
            ("a; filename=\"50%E9.pdf\"", "50%E9.pdf"),
            ("a; filename*=Gr%C3%BC%C3%9Fe.pdf", "Grüße.pdf"),
            ("a; filename*=''Gr%C3%BC%C3%9Fe.pdf", "Grüße.pdf"),
            ("a; filename*=utf-8'de'it's.pdf", "it's.pdf"),
            ("a; filename*=John's and Mary's.pdf", "John's and Mary's.pdf"),
            ("a; filename*1*=%C3%9Fe.pdf; filename*0*=utf-8''Gr%C3%BC", "Grüße.pdf"),
            ("a; filename*1*=utf-8''Gr%C3%BC; filename*2*=%C3%9Fe.pdf", "Grüße.pdf"),
            ("a; filename*0*=utf-8''Gr%C3%BC; filename*2*=%C3%9Fe.pdf; filename*0=x", "Grüße.pdf"),
            ("a; filename*0*=utf-8''%E4%BD; filename*1*=%A0.pdf", "你.pdf"),
            ("a; filename*=gb18030''%C4%E3.pdf", "你.pdf"),
            ("a; filename*=koi8-r'ru'%D0%D2%C9; filename=\"???\"", "при"),
        ] {
            assert_eq!(ParameterizedValue::parse(text).get("filename").as_deref(), Some(expected), "{text}");
        }
    }
}
