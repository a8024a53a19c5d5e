//! Files as attachments of a message.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::failure::CommandFailure;

/// Media types by the extension of a file.
const MEDIA_TYPES: [(&str, &str); 22] = [
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eml", "message/rfc822"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Reads a file as an attachment.
pub(crate) fn read(path: &Path) -> Result<Value, CommandFailure> {
    let content =
        std::fs::read(path).map_err(|error| CommandFailure::usage(format!("--attach {}: {error}", path.display())))?;
    let filename = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(json!({
        "filename": filename,
        "content_type": media_type(path),
        "content": STANDARD.encode(content),
    }))
}

fn media_type(path: &Path) -> &'static str {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let known = MEDIA_TYPES.iter().find(|(known, _)| *known == extension);
    known.map_or("application/octet-stream", |(_, media_type)| media_type)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use super::*;

    #[test]
    fn files_become_attachments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Report.PDF");
        std::fs::write(&path, b"hello").unwrap();
        let expected = json!({"filename": "Report.PDF", "content_type": "application/pdf", "content": "aGVsbG8="});
        assert_eq!(read(&path).unwrap(), expected);
        assert_eq!(media_type(Path::new("a.unknown")), "application/octet-stream");
        assert!(read(&folder.path().join("missing")).is_err());
    }
}
