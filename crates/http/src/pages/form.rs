//! Form-encoded bodies and query strings, with every value of every name.

use url::form_urlencoded;

/// Names with their values, in the order of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Parses `application/x-www-form-urlencoded` text.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Returns the first value of a name. An empty value counts as absent (RFC 6749, section 3.1).
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, value)| other == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// Returns the values of a name that are not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(other, value)| other == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// Returns the first of some names that occurs more than once, with or without a value.
    pub(crate) fn repeated<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.0.iter().filter(|(other, _)| other == name).count() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let form = Form::parse(b"a=1&b=&a=2&c=%2B+x&d");
        assert_eq!(form.one("a"), Some("1"));
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((form.one("b"), form.one("c"), form.one("d"), form.one("e")), (None, Some("+ x"), None, None));
        assert_eq!(form.repeated(&["b", "a"]), Some("a"));
        assert_eq!(form.repeated(&["b", "c"]), None);
    }
}
