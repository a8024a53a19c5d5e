//! Files in the `winmail.dat` of Outlook: Transport Neutral Encapsulation Format ([MS-OXTNEF]).

mod properties;
mod stream;

use std::ops::Range;

use self::properties::{MapiProperty, properties};
use self::stream::{TnefAttribute, attributes};
use crate::html;
use crate::sanitize;
use crate::wire::charset;

/// Maximum number of files from one stream, including those of nested messages.
const MAX_FILES: usize = 1000;
/// Maximum depth of nested messages.
const MAX_TNEF_DEPTH: usize = 8;
/// Identifier of the interface `IMessage`, which precedes an attached message.
const MESSAGE: [u8; 16] = [0x07, 0x03, 0x02, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46];

/// Content of a stream.
#[derive(Debug, Default)]
pub(crate) struct TnefContent {
    pub(crate) files: Vec<TnefFile>,
    /// Message text with LF line breaks.
    pub(crate) text: Option<String>,
    pub(crate) html: Option<String>,
}

/// A file in a stream.
#[derive(Debug, Default)]
pub(crate) struct TnefFile {
    /// Name as given, not yet safe.
    pub(crate) name: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) content_id: Option<String>,
    /// Range of its bytes in the stream.
    pub(crate) content: Range<usize>,
}

/// Reads a stream as far as it is valid; an invalid one yields no content.
///
/// Text and HTML are each read from at most `limit` bytes.
pub(crate) fn open(stream: &[u8], limit: usize) -> TnefContent {
    let mut tnef = TnefContent::default();
    let mut waiting = vec![(0..stream.len(), 0)];
    while let Some((range, depth)) = waiting.pop() {
        let mut reader = TnefReader { stream, limit, is_outermost: depth == 0, codepage: None, inner: Vec::new() };
        for attribute in attributes(stream, range) {
            if tnef.files.len() > MAX_FILES {
                break;
            }
            reader.read(&attribute, &mut tnef);
        }
        if depth < MAX_TNEF_DEPTH {
            waiting.extend(reader.inner.into_iter().map(|range| (range, depth + 1)));
        }
    }
    tnef.files.retain(|file| !file.content.is_empty());
    tnef.files.truncate(MAX_FILES);
    tnef
}

struct TnefReader<'a> {
    stream: &'a [u8],
    limit: usize,
    /// True for the outermost stream, false for a nested message.
    is_outermost: bool,
    /// Charset of text that is not Unicode.
    codepage: Option<String>,
    /// Ranges of nested messages.
    inner: Vec<Range<usize>>,
}

impl TnefReader<'_> {
    fn read(&mut self, attribute: &TnefAttribute, tnef: &mut TnefContent) {
        let range = || attribute.data.clone();
        match attribute.tag {
            stream::CODEPAGE => self.codepage = stream::number(self.stream, range()).map(|page| format!("cp{page}")),
            stream::BODY if self.is_outermost => tnef.text = Some(self.body(range())),
            stream::MESSAGE_PROPERTIES if self.is_outermost => {
                for property in properties(self.stream, range()) {
                    self.read_message(&property, tnef);
                }
            }
            stream::ATTACHMENT => tnef.files.push(TnefFile::default()),
            tag => {
                if let Some(file) = tnef.files.last_mut() {
                    self.read_file(tag, range(), file);
                }
            }
        }
    }

    fn read_message(&self, property: &MapiProperty, tnef: &mut TnefContent) {
        // A value of an unexpected kind must not overwrite text from another property.
        let text = || self.string(property).map(|text| sanitize::normalize_body(&text));
        match property.id {
            properties::BODY => tnef.text = text().or(tnef.text.take()),
            properties::BODY_HTML if property.is_binary() => {
                let bytes = self.bytes(property.value.clone());
                let charset = html::charset(bytes).or_else(|| self.codepage.clone());
                tnef.html = Some(sanitize::normalize_body(&charset::decode_with(charset.as_deref(), None, bytes)));
            }
            properties::BODY_HTML => tnef.html = text().or(tnef.html.take()),
            _ => {}
        }
    }

    fn read_file(&mut self, tag: u32, data: Range<usize>, file: &mut TnefFile) {
        match tag {
            // The name among the properties that follow is longer.
            stream::ATTACHMENT_TITLE => file.name = Some(self.narrow(data)),
            stream::ATTACHMENT_DATA => file.content = data,
            stream::ATTACHMENT_PROPERTIES => {
                for property in properties(self.stream, data) {
                    match property.id {
                        properties::LONG_NAME => file.name = self.string(&property).or(file.name.take()),
                        properties::NAME | properties::DISPLAY_NAME if file.name.is_none() => {
                            file.name = self.string(&property);
                        }
                        properties::MEDIA_TYPE => file.media_type = self.string(&property),
                        properties::CONTENT_ID => file.content_id = self.string(&property),
                        properties::DATA => self.read_data(&property, file),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads the file content among its properties.
    ///
    /// The content of an object follows its interface identifier. A message is a stream of its own.
    fn read_data(&mut self, property: &MapiProperty, file: &mut TnefFile) {
        let value = property.value.clone();
        let start = value.end.min(value.start + MESSAGE.len());
        if property.is_binary() {
            file.content = value;
        } else if self.stream.get(value.start..start) == Some(&MESSAGE) {
            file.content = start..value.end;
            file.media_type = Some("application/ms-tnef".to_owned());
            self.inner.push(file.content.clone());
        } else if file.content.is_empty() {
            file.content = start..value.end;
        }
    }

    fn string(&self, property: &MapiProperty) -> Option<String> {
        if property.is_unicode() {
            let (units, _) = self.bytes(property.value.clone()).as_chunks::<2>();
            let units: Vec<u16> =
                units.iter().map(|pair| u16::from_le_bytes(*pair)).take_while(|unit| *unit != 0).collect();
            return Some(String::from_utf16_lossy(&units));
        }
        property.is_narrow().then(|| self.narrow(property.value.clone()))
    }

    fn body(&self, range: Range<usize>) -> String {
        sanitize::normalize_body(&self.narrow(range))
    }

    /// Decodes text in the codepage of the stream, up to its terminating NUL.
    fn narrow(&self, range: Range<usize>) -> String {
        let bytes = self.bytes(range);
        let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
        charset::decode(self.codepage.as_deref(), bytes.get(..end).unwrap_or(bytes))
    }

    fn bytes(&self, range: Range<usize>) -> &[u8] {
        let end = range.end.min(range.start.saturating_add(self.limit));
        self.stream.get(range.start..end).unwrap_or_default()
    }
}
