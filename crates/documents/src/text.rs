//! Plain text and HTML with their charsets.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::Document;
use crate::output::TextOutput;

/// Bytes from which a charset is guessed.
const SAMPLE_BYTES: usize = 64 * 1024;

/// Writes text as it is.
pub(crate) fn read_plain(document: &Document<'_>, output: &mut TextOutput) {
    output.raw(&decode(document));
}

/// Writes the visible words of HTML.
pub(crate) fn read_html(document: &Document<'_>, output: &mut TextOutput) {
    let html = decode(document);
    let text =
        if output.is_markdown() { inboxd_mail::markdown_from_html(&html) } else { inboxd_mail::text_from_html(&html) };
    output.raw(&text);
}

/// Decodes text by its mark, else as UTF-8 if it is, else by the charset of its media type, else by a guess.
pub(crate) fn decode(document: &Document<'_>) -> String {
    let content = document.content;
    let named = document.content_type.and_then(charset).and_then(|label| Encoding::for_label(label.as_bytes()));
    decode_bytes(content, named).replace("\r\n", "\n").replace('\r', "\n")
}

/// Decodes bytes of an unknown or supposed encoding.
pub(crate) fn decode_bytes(content: &[u8], named: Option<&'static Encoding>) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return encoding.decode_without_bom_handling(content.get(mark..).unwrap_or_default()).0.into_owned();
    }
    if let Ok(text) = str::from_utf8(content) {
        return text.to_owned();
    }
    let encoding = named.filter(|encoding| *encoding != UTF_8).unwrap_or_else(|| guess(content));
    encoding.decode_without_bom_handling(content).0.into_owned()
}

/// Returns the encoding with a Windows code page number; Windows-1252 for unknown ones.
pub(crate) fn code_page(number: i64) -> &'static Encoding {
    let label = match number {
        437 | 850 | 1252 => return WINDOWS_1252,
        10_000 => "macintosh".to_owned(),
        874 | 1250..=1258 => format!("windows-{number}"),
        866 => "ibm866".to_owned(),
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        65_001 => "utf-8".to_owned(),
        _ => return WINDOWS_1252,
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

fn guess(content: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let sample = content.get(..SAMPLE_BYTES).unwrap_or(content);
    detector.feed(sample, sample.len() == content.len());
    detector.guess(None, Utf8Detection::Allow)
}

fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let value = parameters.filter_map(|parameter| parameter.split_once('='));
    let mut named = value.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    named.next().map(|(_, value)| value.trim().trim_matches('"').to_owned())
}
