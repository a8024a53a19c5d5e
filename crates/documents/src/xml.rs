//! Reader of XML by local names, without entities of the document.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::DocumentError;

/// Event of an XML document. An element without content has both a start and an end.
#[derive(Debug)]
pub(crate) enum XmlEvent<'x> {
    Open(XmlElement<'x>),
    Close(String),
    Text(Cow<'x, str>),
}

/// Start of an element.
#[derive(Debug)]
pub(crate) struct XmlElement<'x>(BytesStart<'x>);

impl XmlElement<'_> {
    /// Returns the name without prefix.
    pub(crate) fn name(&self) -> &str {
        local(self.0.name().into_inner())
    }

    /// Returns the value of the attribute with this name without prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        self.find(|key| local(key) == name)
    }

    /// Returns the value of the attribute with this name and a prefix. Relations are `r:id` beside a plain `id`.
    pub(crate) fn prefixed_attribute(&self, name: &str) -> Option<String> {
        self.find(|key| key.contains(':') && local(key) == name)
    }

    fn find(&self, is_sought: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes.with_checks(false).flatten().find(|found| is_sought(found.key.into_inner()))?;
        let value = found.normalized_value(XmlVersion::Implicit1_0).ok()?;
        Some(value.into_owned())
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Reads the events of a document in order.
pub(crate) struct XmlReader<'x> {
    reader: Reader<&'x [u8]>,
    /// End of an element without content.
    pending: Option<String>,
}

impl<'x> XmlReader<'x> {
    pub(crate) fn new(xml: &'x str) -> Self {
        let mut reader = Reader::from_str(xml);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        Self { reader, pending: None }
    }

    /// Returns the next event; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<XmlEvent<'x>>, DocumentError> {
        if let Some(name) = self.pending.take() {
            return Ok(Some(XmlEvent::Close(name)));
        }
        loop {
            return Ok(Some(match self.reader.read_event().map_err(|_| DocumentError::Malformed)? {
                Event::Start(start) => XmlEvent::Open(XmlElement(start)),
                Event::Empty(start) => {
                    let element = XmlElement(start);
                    self.pending = Some(element.name().to_owned());
                    XmlEvent::Open(element)
                }
                Event::End(end) => XmlEvent::Close(local(end.name().into_inner()).to_owned()),
                Event::Text(text) => XmlEvent::Text(text.into_inner()),
                Event::CData(text) => XmlEvent::Text(text.into_inner()),
                Event::GeneralRef(reference) => {
                    if let Some(character) = reference.resolve_char_ref().ok().flatten() {
                        XmlEvent::Text(Cow::Owned(character.to_string()))
                    } else if let Some(text) = resolve_xml_entity(&reference.into_inner()) {
                        XmlEvent::Text(Cow::Borrowed(text))
                    } else {
                        // Declared by the document.
                        continue;
                    }
                }
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            }));
        }
    }
}

/// Decodes an XML document in UTF-8, or UTF-16 with its mark.
pub(crate) fn decode(xml: &[u8]) -> Cow<'_, str> {
    let (encoding, mark) = Encoding::for_bom(xml).unwrap_or((UTF_8, 0));
    encoding.decode_without_bom_handling(xml.get(mark..).unwrap_or_default()).0
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    fn shown(xml: &str) -> String {
        let mut reader = XmlReader::new(xml);
        let mut shown = String::new();
        while let Some(event) = reader.next().unwrap() {
            match event {
                XmlEvent::Open(element) => {
                    let id = element.prefixed_attribute("id").unwrap_or_default();
                    shown.extend(["<", element.name(), &id, ">"]);
                }
                XmlEvent::Close(name) => shown.extend(["</", &name, ">"]),
                XmlEvent::Text(text) => shown.push_str(&text),
            }
        }
        shown
    }

    #[test]
    fn events_have_local_names_and_plain_text() {
        let xml = r#"<?xml version="1.0"?><a:b id="x" r:id="y">1 &amp; &#65;<c/><![CDATA[<z>]]><!-- no --></a:b>"#;
        assert_eq!(shown(xml), "<by>1 & A<c></c><z></b>");
    }

    #[test]
    fn entities_of_document_stay_unread() {
        let xml = "<!DOCTYPE a [<!ENTITY b \"bomb\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]><a>&b;&c;.</a>";
        assert_eq!(shown(xml), "<a>.</a>");
    }

    #[test]
    fn utf16_is_read() {
        let utf16: Vec<u8> = "\u{feff}<a>ä</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(shown(&decode(&utf16)), "<a>ä</a>");
    }
}
