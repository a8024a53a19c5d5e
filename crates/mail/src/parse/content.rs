//! Content fields of a part's header (RFC 2045, RFC 2183).

use super::disposition::Disposition;
use crate::sanitize;
use crate::wire::fields::fields;
use crate::wire::params::ParameterizedValue;
use crate::wire::tokens;
use crate::wire::transfer::TransferEncoding;

/// Parsed Content fields of one part.
#[derive(Debug)]
pub(crate) struct ContentFields {
    /// `type/subtype` in lower case; `None` if the field is absent or unusable.
    pub(crate) media_type: Option<String>,
    pub(crate) parameters: ParameterizedValue,
    pub(crate) encoding: TransferEncoding,
    pub(crate) disposition: Option<Disposition>,
    /// Decoded name from the sender, not yet safe.
    pub(crate) name: Option<String>,
    /// Content-ID without brackets; `None` if the field is absent or unusable.
    pub(crate) id: Option<String>,
}

impl ContentFields {
    /// Parses a part's header; of a repeated field the first counts. `charset` is the assumed charset of file names
    /// that name none.
    pub(crate) fn read(header: &[u8], charset: Option<&str>) -> Self {
        let mut media = None;
        let mut encoding = None;
        let mut disposition = None;
        let mut id = None;
        for field in fields(header) {
            // The prefix check saves four comparisons for each other field.
            if !field.name.get(..8).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"content-")) {
                continue;
            }
            if field.is("Content-Type") {
                media.get_or_insert_with(|| ParameterizedValue::parse(&field.text_in(charset)));
            } else if field.is("Content-Transfer-Encoding") {
                encoding.get_or_insert_with(|| TransferEncoding::from_header(&field.text()));
            } else if field.is("Content-Disposition") {
                disposition.get_or_insert_with(|| ParameterizedValue::parse(&field.text_in(charset)));
            } else if field.is("Content-ID") {
                id.get_or_insert_with(|| field.text());
            }
        }
        let parameters = media.unwrap_or_default();
        let disposition = disposition.unwrap_or_default();
        let name = disposition.get("filename").or_else(|| parameters.get("name"));
        let media_type = match parameters.value.as_str() {
            "html" => Some("text/html".to_owned()),
            value => is_media_type(value).then(|| value.to_owned()),
        };
        Self {
            media_type,
            encoding: encoding.unwrap_or(TransferEncoding::Identity),
            disposition: disposition_of(&disposition.value),
            name,
            id: id.as_deref().and_then(bare_id),
            parameters,
        }
    }

    /// Returns the type, by default that of RFC 2045, section 5.2.
    pub(crate) fn media(&self) -> &str {
        self.media_type.as_deref().unwrap_or("text/plain")
    }

    /// Returns the charset that a text part names.
    pub(crate) fn charset(&self) -> Option<String> {
        self.parameters.get("charset").filter(|_| self.media().starts_with("text/"))
    }

    /// Returns the boundary that a multipart names.
    pub(crate) fn boundary(&self) -> Option<Vec<u8>> {
        if !self.media().starts_with("multipart/") {
            return None;
        }
        let boundary = self.parameters.get("boundary")?;
        let boundary = boundary.trim_end();
        Some(boundary.as_bytes().to_vec()).filter(|boundary| !boundary.is_empty())
    }
}

fn is_media_type(value: &str) -> bool {
    let token = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && b != b'/');
    value.len() <= 255 && value.split_once('/').is_some_and(|(kind, sub)| token(kind) && token(sub))
}

/// An unknown disposition means attachment (RFC 2183, section 2.8).
fn disposition_of(value: &str) -> Option<Disposition> {
    match value {
        "" => None,
        "inline" => Some(Disposition::Inline),
        _ => Some(Disposition::Attachment),
    }
}

/// Returns a usable Content-ID without brackets.
pub(crate) fn bare_id(value: &str) -> Option<String> {
    let line = sanitize::single_line(value);
    let bare = line.trim_start_matches('<').trim_end_matches('>').trim();
    Some(bare.to_owned()).filter(|id| tokens::is_content_id(id))
}
