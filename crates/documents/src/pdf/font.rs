//! Fonts: from the codes of a string to characters and widths (ISO 32000, sections 9.6, 9.7 and 9.10).

use std::collections::HashMap;

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE};
use hayro_cmap::{BfString, CMap};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::encoding::{BaseEncoding, glyph_text, without_ligatures};

/// Width of glyphs without a known one, in parts of the font size.
const DEFAULT_WIDTH: f64 = 0.5;
/// Maximum number of widths of a font that are read.
const MAX_WIDTHS: usize = 70_000;

/// A drawn glyph.
#[derive(Debug, PartialEq)]
pub(crate) struct Glyph {
    /// Text; `None` if the font does not tell it.
    pub(crate) text: Option<String>,
    /// Width in parts of the font size.
    pub(crate) width: f64,
    /// True for the code 32 of one byte, to which word spacing applies.
    pub(crate) is_space: bool,
}

/// How strings are split into codes.
enum FontCodes {
    /// One byte each, with their text.
    Bytes(Vec<Option<String>>),
    /// Two bytes each.
    Pairs,
    /// Codes of a `CMap` in the document, of one to four bytes.
    Mapped(Box<CMap>),
    /// Text in a character encoding.
    Text(&'static Encoding),
}

/// A font of a document.
pub(crate) struct PdfFont {
    codes: FontCodes,
    to_unicode: Option<CMap>,
    widths: HashMap<u32, f64>,
    default_width: f64,
}

impl PdfFont {
    pub(crate) fn read(font: &Dict<'_>) -> Self {
        let to_unicode = font.get::<Stream<'_>>("ToUnicode").and_then(|map| cmap(&map));
        let kind = font.get::<Name<'_>>("Subtype");
        let kind = kind.as_deref().unwrap_or_default();
        if kind == b"Type0" {
            let descendant = font.get::<Array<'_>>("DescendantFonts").and_then(|all| all.iter::<Dict<'_>>().next());
            let descendant = descendant.unwrap_or_default();
            let default = descendant.get::<f64>("DW").unwrap_or(1000.0) / 1000.0;
            let widths = descendant.get::<Array<'_>>("W").map(|widths| cid_widths(&widths)).unwrap_or_default();
            return Self { codes: composite_codes(font), to_unicode, widths, default_width: default };
        }
        // The glyphs of a Type 3 font have a scale of their own.
        let scale = font.get::<Array<'_>>("FontMatrix").filter(|_| kind == b"Type3");
        let scale = scale.and_then(|matrix| matrix.iter::<f64>().next()).unwrap_or(0.001);
        let first = font.get::<u32>("FirstChar").unwrap_or_default();
        let widths = font.get::<Array<'_>>("Widths");
        let widths = widths.iter().flat_map(Array::iter::<f64>).take(256);
        let widths = (first..).zip(widths.map(|width| width * scale)).collect();
        let codes = FontCodes::Bytes(simple_texts(font, kind == b"TrueType"));
        Self { codes, to_unicode, widths, default_width: DEFAULT_WIDTH }
    }

    /// Splits a string into glyphs.
    pub(crate) fn glyphs(&self, bytes: &[u8]) -> Vec<Glyph> {
        match &self.codes {
            FontCodes::Bytes(texts) => {
                let text = |code: u32| texts.get(usize::try_from(code).ok()?).cloned().flatten();
                bytes.iter().map(|byte| self.glyph(u32::from(*byte), *byte == b' ', text(u32::from(*byte)))).collect()
            }
            FontCodes::Pairs => {
                let code = |pair: &[u8]| pair.iter().fold(0, |code, byte| (code << 8) | u32::from(*byte));
                bytes.chunks(2).map(|pair| self.glyph(code(pair), false, None)).collect()
            }
            FontCodes::Mapped(map) => self.mapped(map, bytes),
            FontCodes::Text(encoding) => {
                let text = encoding.decode_without_bom_handling(bytes).0;
                let glyph = |character: char| Glyph {
                    text: Some(character.to_string()),
                    width: if character.is_ascii() { DEFAULT_WIDTH } else { self.default_width },
                    is_space: false,
                };
                text.chars().map(glyph).collect()
            }
        }
    }

    fn glyph(&self, code: u32, is_space: bool, text: Option<String>) -> Glyph {
        let mapped = self.to_unicode.as_ref().and_then(|map| map.lookup_bf_string(code));
        let mapped = mapped.map(|mapped| match mapped {
            BfString::Char(character) => character.to_string(),
            BfString::String(text) => text,
        });
        let text = mapped.filter(|text| !text.contains('\0')).or(text).map(|text| without_ligatures(&text));
        Glyph { text, width: self.widths.get(&code).copied().unwrap_or(self.default_width), is_space }
    }

    fn mapped(&self, map: &CMap, bytes: &[u8]) -> Vec<Glyph> {
        let mut glyphs = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let found = (1_u8..=4).find_map(|length| {
                let code = rest.get(..usize::from(length))?.iter().fold(0, |code, byte| (code << 8) | u32::from(*byte));
                Some((length, code, map.lookup_cid_code(code, length)?))
            });
            let (length, code, cid) = found.unwrap_or((1, 0, 0));
            let mut glyph = self.glyph(code, length == 1 && code == 32, None);
            glyph.width = self.widths.get(&cid).copied().unwrap_or(self.default_width);
            glyphs.push(glyph);
            rest = rest.get(usize::from(length)..).unwrap_or_default();
        }
        glyphs
    }
}

fn cmap(stream: &Stream<'_>) -> Option<CMap> {
    CMap::parse(&stream.decoded_data().ok()?, |_| None)
}

/// Returns the codes of a composite font. The predefined `CMaps` are text in a known encoding.
fn composite_codes(font: &Dict<'_>) -> FontCodes {
    if let Some(map) = font.get::<Stream<'_>>("Encoding").and_then(|map| cmap(&map)) {
        return FontCodes::Mapped(Box::new(map));
    }
    let name = font.get::<Name<'_>>("Encoding");
    let name = name.as_deref().map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
    if name.contains("UCS2") || name.contains("UTF16") {
        FontCodes::Text(UTF_16BE)
    } else if name.contains("RKSJ") {
        FontCodes::Text(SHIFT_JIS)
    } else if name.starts_with("GBK") || name.starts_with("GB-EUC") {
        FontCodes::Text(GBK)
    } else if name.contains("B5") {
        FontCodes::Text(BIG5)
    } else if name.starts_with("KSC") {
        FontCodes::Text(EUC_KR)
    } else {
        FontCodes::Pairs
    }
}

/// Returns the text of each code of a simple font.
fn simple_texts(font: &Dict<'_>, is_true_type: bool) -> Vec<Option<String>> {
    let encoding = font.get::<Dict<'_>>("Encoding").unwrap_or_default();
    let name = font.get::<Name<'_>>("Encoding").or_else(|| encoding.get::<Name<'_>>("BaseEncoding"));
    let usual = if is_true_type { BaseEncoding::WinAnsi } else { BaseEncoding::Standard };
    let base = name.as_deref().and_then(BaseEncoding::named).unwrap_or(usual);
    let mut texts: Vec<Option<String>> = base.characters().map(|character| character.map(String::from)).into();
    let mut code = 0;
    for entry in encoding.get::<Array<'_>>("Differences").iter().flat_map(Array::iter::<Object<'_>>) {
        match entry {
            Object::Number(number) => code = usize::try_from(number.as_i64()).unwrap_or(usize::MAX),
            Object::Name(name) => {
                if let Some(text) = texts.get_mut(code) {
                    *text = str::from_utf8(&name).ok().and_then(glyph_text);
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    texts
}

/// Reads the widths of CIDs: `first [w …]` and `first last w`.
fn cid_widths(array: &Array<'_>) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut numbers: Vec<f64> = Vec::new();
    for entry in array.iter::<Object<'_>>() {
        if widths.len() >= MAX_WIDTHS {
            break;
        }
        match entry {
            Object::Number(number) => numbers.push(number.as_f64()),
            Object::Array(list) => {
                let first = cid(numbers.pop().unwrap_or_default());
                numbers.clear();
                widths.extend((first..).zip(list.iter::<f64>().take(MAX_WIDTHS).map(|width| width / 1000.0)));
            }
            _ => numbers.clear(),
        }
        if let [first, last, width] = numbers[..] {
            let range = cid(first)..=cid(last);
            widths.extend(range.take(MAX_WIDTHS).map(|cid| (cid, width / 1000.0)));
            numbers.clear();
        }
    }
    widths
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "CIDs have 16 bits; others are cut to that"
)]
fn cid(number: f64) -> u32 {
    number.clamp(0.0, 65_535.0) as u32
}
