//! Attributes of a start tag (WHATWG HTML, sections 13.2.5.32 to 13.2.5.39).

use super::references::attribute_references;

pub(crate) use super::references::references;

/// Next item after the name of a start tag.
enum AttributeStep<'a> {
    Attribute {
        name: &'a str,
        value: &'a str,
        rest: &'a str,
    },
    /// End of the tag, with the text from its `>`.
    End(&'a str),
    /// End of the text before the end of the tag.
    Cut,
}

fn step(text: &str) -> AttributeStep<'_> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
    if text.starts_with('>') {
        return AttributeStep::End(text);
    }
    if text.is_empty() {
        return AttributeStep::Cut;
    }
    // The first character of a name may be anything, even `=`.
    let ends_name = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'=' | b'/' | b'>');
    let len = text.bytes().skip(1).position(|b| ends_name(&b)).map_or(text.len(), |len| len + 1);
    let (name, rest) = text.split_at_checked(len).unwrap_or((text, ""));
    let after = rest.trim_ascii_start();
    let Some(after) = after.strip_prefix('=') else {
        return AttributeStep::Attribute { name, value: "", rest: after };
    };
    let after = after.trim_ascii_start();
    let quote = after.bytes().next().filter(|sign| matches!(sign, b'"' | b'\''));
    let inner = after.get(usize::from(quote.is_some())..).unwrap_or_default();
    let end = match quote {
        Some(quote) => memchr::memchr(quote, inner.as_bytes()),
        None => Some(inner.bytes().position(|b| b.is_ascii_whitespace() || b == b'>').unwrap_or(inner.len())),
    };
    let Some((value, rest)) = end.and_then(|end| inner.split_at_checked(end)) else {
        return AttributeStep::Cut;
    };
    let rest = rest.get(usize::from(quote.is_some())..).unwrap_or_default();
    AttributeStep::Attribute { name, value, rest }
}

/// Returns the number of bytes between the name of a start tag and its `>`.
pub(crate) fn length(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        match step(rest) {
            AttributeStep::Attribute { rest: next, .. } => rest = next,
            AttributeStep::End(end) => return Some(text.len() - end.len()),
            AttributeStep::Cut => return None,
        }
    }
}

/// Iterates over the attributes in order, as written.
pub(crate) fn all(attributes: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = attributes;
    std::iter::from_fn(move || match step(rest) {
        AttributeStep::Attribute { name, value, rest: next } => {
            rest = next;
            Some((name, value))
        }
        AttributeStep::End(_) | AttributeStep::Cut => None,
    })
}

/// Returns the value of an attribute with its character references replaced.
pub(crate) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let (_, value) = all(attributes).find(|(found, _)| found.eq_ignore_ascii_case(name))?;
    Some(attribute_references(value).into_owned())
}

/// Attributes that affect the appearance or the meaning of an element, as written. The first of each name counts.
#[derive(Debug, Default)]
pub(crate) struct ElementAttributes<'a> {
    pub(crate) alt: Option<&'a str>,
    pub(crate) background: Option<&'a str>,
    pub(crate) bgcolor: Option<&'a str>,
    pub(crate) border: Option<&'a str>,
    pub(crate) cite: Option<&'a str>,
    pub(crate) class: Option<&'a str>,
    pub(crate) color: Option<&'a str>,
    pub(crate) height: Option<&'a str>,
    pub(crate) hidden: Option<&'a str>,
    pub(crate) href: Option<&'a str>,
    pub(crate) id: Option<&'a str>,
    pub(crate) kind: Option<&'a str>,
    pub(crate) role: Option<&'a str>,
    pub(crate) size: Option<&'a str>,
    pub(crate) src: Option<&'a str>,
    pub(crate) start: Option<&'a str>,
    pub(crate) style: Option<&'a str>,
    pub(crate) text: Option<&'a str>,
    pub(crate) value: Option<&'a str>,
    pub(crate) width: Option<&'a str>,
}

/// Maximum length in bytes of an attribute name in [`ElementAttributes`].
const MAX_ATTRIBUTE_NAME_BYTES: usize = 10;

impl<'a> ElementAttributes<'a> {
    pub(crate) fn read(attributes: &'a str) -> Self {
        let mut parsed = Self::default();
        for (name, value) in all(attributes) {
            let mut buffer = [0; MAX_ATTRIBUTE_NAME_BYTES];
            let Some(lower) = buffer.get_mut(..name.len()) else {
                continue;
            };
            lower.copy_from_slice(name.as_bytes());
            lower.make_ascii_lowercase();
            let field = match &*lower {
                b"alt" => &mut parsed.alt,
                b"background" => &mut parsed.background,
                b"bgcolor" => &mut parsed.bgcolor,
                b"border" => &mut parsed.border,
                b"cite" => &mut parsed.cite,
                b"class" => &mut parsed.class,
                b"color" => &mut parsed.color,
                b"height" => &mut parsed.height,
                b"hidden" => &mut parsed.hidden,
                b"href" => &mut parsed.href,
                b"id" => &mut parsed.id,
                b"type" => &mut parsed.kind,
                b"role" => &mut parsed.role,
                b"size" => &mut parsed.size,
                b"src" => &mut parsed.src,
                b"start" => &mut parsed.start,
                b"style" => &mut parsed.style,
                b"text" => &mut parsed.text,
                b"value" => &mut parsed.value,
                b"width" => &mut parsed.width,
                _ => continue,
            };
            field.get_or_insert(value);
        }
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_parse_as_in_browsers() {
        for (attributes, name, expected) in [
            (" a=1 b='2' c=\"3\"", "c", Some("3")),
            (" A = \"x>y\"", "a", Some("x>y")),
            (" a=1 a=2", "a", Some("1")),
            (" a b", "b", Some("")),
            (" a=x/ b", "a", Some("x/")),
            (" =\"b=c", "b", None),
            (" a=b=\"c", "a", Some("b=\"c")),
            ("/a=1/b=2", "b", None),
            (" a=\"1\"b=2", "b", Some("2")),
            (" a=&lt;&amp;b&copy=c", "a", Some("<&b&copy=c")),
            (" ab=1", "a", None),
            (" a=\"x", "a", None),
        ] {
            assert_eq!(attribute(attributes, name).as_deref(), expected, "{attributes:?}");
        }
    }

    #[test]
    fn tag_length_includes_its_attributes() {
        for (text, expected) in [
            (">x", Some(0)),
            (" a='>'>x", Some(6)),
            (" a=b=\">\"", Some(6)),
            (" =\">\"", Some(3)),
            (" a=>", Some(3)),
            (" a=\"", None),
            (" a", None),
        ] {
            assert_eq!(length(text), expected, "{text:?}");
        }
    }
}
