//! Messages between parent and child: a request head before the document, and a status byte before the text.

use inboxd_core::AttachmentTextRefusal;
use inboxd_core::ports::{AttachedDocument, ExtractedText, TextFormat};

/// Maximum length in bytes of media type and file name; longer ones are omitted.
const MAX_NAME_BYTES: usize = 1000;
/// Maximum number of characters of the text.
pub(crate) const MAX_TEXT_CHARS: usize = 1_000_000;
/// Maximum length in bytes of a response.
pub(crate) const MAX_RESPONSE_BYTES: usize = 4 * MAX_TEXT_CHARS + 1;

/// Writes the head of a request; the document follows.
pub(crate) fn request_head(document: &AttachedDocument, format: TextFormat) -> Vec<u8> {
    let mut head = vec![match format {
        TextFormat::Text => b't',
        TextFormat::Markdown => b'm',
    }];
    for name in [&document.content_type, &document.filename] {
        let name = name.as_deref().filter(|name| name.len() <= MAX_NAME_BYTES).unwrap_or_default();
        head.extend(u16::try_from(name.len()).unwrap_or_default().to_be_bytes());
        head.extend(name.as_bytes());
    }
    head
}

/// Reads a request.
pub(crate) fn read_request(request: &[u8]) -> Option<(AttachedDocument, TextFormat)> {
    let (format, rest) = request.split_first()?;
    let format = if *format == b'm' { TextFormat::Markdown } else { TextFormat::Text };
    let (content_type, rest) = read_name(rest)?;
    let (filename, rest) = read_name(rest)?;
    Some((AttachedDocument { content: rest.to_vec(), content_type, filename }, format))
}

fn read_name(rest: &[u8]) -> Option<(Option<String>, &[u8])> {
    let (length, rest) = rest.split_first_chunk()?;
    let (name, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let name = String::from_utf8_lossy(name).into_owned();
    Some((Some(name).filter(|name| !name.is_empty()), rest))
}

/// Writes a response.
pub(crate) fn response(result: Result<ExtractedText, AttachmentTextRefusal>) -> Vec<u8> {
    let (status, text) = match result {
        Ok(ExtractedText { text, is_cut: false }) => (b'+', text),
        Ok(ExtractedText { text, is_cut: true }) => (b'-', text),
        Err(AttachmentTextRefusal::Unsupported) => (b'u', String::new()),
        Err(AttachmentTextRefusal::NoText) => (b'n', String::new()),
        Err(AttachmentTextRefusal::Encrypted) => (b'e', String::new()),
        Err(AttachmentTextRefusal::TooLarge) => (b'l', String::new()),
        Err(AttachmentTextRefusal::TimedOut | AttachmentTextRefusal::Failed) => (b'f', String::new()),
    };
    let mut response = vec![status];
    response.extend(text.into_bytes());
    response
}

/// Reads a response; `None` for one that the child did not complete.
pub(crate) fn read_response(response: &[u8]) -> Option<Result<ExtractedText, AttachmentTextRefusal>> {
    let (status, text) = response.split_first()?;
    let text = String::from_utf8_lossy(text).into_owned();
    Some(match status {
        b'+' => Ok(ExtractedText { text, is_cut: false }),
        b'-' => Ok(ExtractedText { text, is_cut: true }),
        b'u' => Err(AttachmentTextRefusal::Unsupported),
        b'n' => Err(AttachmentTextRefusal::NoText),
        b'e' => Err(AttachmentTextRefusal::Encrypted),
        b'l' => Err(AttachmentTextRefusal::TooLarge),
        b'f' => Err(AttachmentTextRefusal::Failed),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_responses_survive_transport() {
        let document = AttachedDocument {
            content: b"words".to_vec(),
            content_type: Some("text/plain".to_owned()),
            filename: None,
        };
        let request = [request_head(&document, TextFormat::Markdown), document.content.clone()].concat();
        assert_eq!(read_request(&request), Some((document, TextFormat::Markdown)));
        assert_eq!(read_request(b"t\x00\x09text"), None);
        for result in [
            Ok(ExtractedText { text: "ä".to_owned(), is_cut: true }),
            Ok(ExtractedText { text: String::new(), is_cut: false }),
            Err(AttachmentTextRefusal::Encrypted),
            Err(AttachmentTextRefusal::TooLarge),
        ] {
            assert_eq!(read_response(&response(result.clone())), Some(result));
        }
        assert_eq!(read_response(b""), None);
    }
}
