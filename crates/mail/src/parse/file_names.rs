//! Safe file names.

use crate::sanitize::{self, is_invisible};

/// Maximum length of a file name in bytes, a common limit of file systems.
const MAX_FILE_NAME_BYTES: usize = 255;
/// Maximum length in bytes of an extension that survives a cut.
const MAX_EXTENSION_BYTES: usize = 16;

/// Characters that Windows forbids in file names.
const FORBIDDEN: [char; 7] = [':', '<', '>', '"', '|', '?', '*'];

/// Device names reserved by Windows, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns the last path element of `name` without control and direction characters, cut to 255 bytes with its
/// extension.
///
/// Names that Windows rejects are changed: colons, which open a stream inside a file, wildcards and pipes, trailing
/// dots and spaces, device names. Returns `None` for an empty result.
pub(crate) fn safe(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_shown = |c: &char| !is_invisible(*c) && !matches!(c, '\u{2028}' | '\u{2029}');
    let shown: String = sanitize::single_line(last).chars().filter(is_shown).collect();
    let shown = cut(without_end(&shown.replace(FORBIDDEN, "-")).trim_start());
    if is_device(&shown) {
        return Some(cut(&format!("_{shown}")));
    }
    Some(shown).filter(|shown| !shown.is_empty())
}

/// Cuts a name to the maximum length and preserves its extension.
fn cut(name: &str) -> String {
    if name.len() <= MAX_FILE_NAME_BYTES {
        return name.to_owned();
    }
    let extension = match name.rsplit_once('.') {
        Some((_, extension)) if extension.len() <= MAX_EXTENSION_BYTES => format!(".{extension}"),
        _ => String::new(),
    };
    let stem = sanitize::truncate(name, MAX_FILE_NAME_BYTES - extension.len());
    format!("{}{extension}", without_end(stem))
}

/// Removes trailing dots and spaces, which Windows drops.
fn without_end(name: &str) -> &str {
    name.trim_end_matches(|c: char| c == '.' || c.is_whitespace())
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = |port| matches!(port, '0'..='9' | '¹' | '²' | '³');
    DEVICES.contains(&stem.as_str()) || port.and_then(|port| port.parse().ok()).is_some_and(is_port)
}

/// Returns the usual file name for a type that implies a purpose.
pub(crate) fn of_type(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "application/pgp-signature" => "signature.asc",
        "application/pgp-keys" => "key.asc",
        "application/pkcs7-signature" | "application/x-pkcs7-signature" => "smime.p7s",
        "application/pkcs7-mime" | "application/x-pkcs7-mime" => "smime.p7m",
        "application/ms-tnef" | "application/vnd.ms-tnef" => "winmail.dat",
        "text/calendar" => "invite.ics",
        "text/vcard" | "text/x-vcard" => "contact.vcf",
        _ => return None,
    })
}

/// Returns the type for a file extension, for files without a declared type.
pub(crate) fn type_of(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "txt" | "log" => "text/plain",
        "csv" => "text/csv",
        "htm" | "html" => "text/html",
        "ics" => "text/calendar",
        "vcf" => "text/vcard",
        "eml" => "message/rfc822",
        "rtf" => "application/rtf",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        "json" => "application/json",
        "zip" => "application/zip",
        "doc" => "application/msword",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls" => "application/vnd.ms-excel",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "ppt" => "application/vnd.ms-powerpoint",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "msg" => "application/vnd.ms-outlook",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        "svg" => "image/svg+xml",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_one_safe_path_element() {
        for (given, expected) in [
            ("report.pdf", Some("report.pdf")),
            ("../../etc/passwd", Some("passwd")),
            ("C:\\Temp\\a.txt", Some("a.txt")),
            ("a\r\nb\0.txt", Some("a  b.txt")),
            ("inv\u{202e}fdp.exe", Some("invfdp.exe")),
            (" Grüße 1.txt ", Some("Grüße 1.txt")),
            ("..", None),
            ("dir/", None),
            ("", None),
            ("...", None),
            ("invoice.pdf. . ", Some("invoice.pdf")),
            ("a.txt:evil.exe", Some("a.txt-evil.exe")),
            ("a.txt::$DATA", Some("a.txt--$DATA")),
            ("Re: plan.eml", Some("Re- plan.eml")),
            ("CON", Some("_CON")),
            ("nul.txt", Some("_nul.txt")),
            ("com1 .log", Some("_com1 .log")),
            ("LPT9", Some("_LPT9")),
            ("COM¹.txt", Some("_COM¹.txt")),
            ("lpt³", Some("_lpt³")),
            ("com10.txt", Some("com10.txt")),
            ("console.log", Some("console.log")),
            ("a?b*c|d.txt", Some("a-b-c-d.txt")),
            ("a<b>.txt", Some("a-b-.txt")),
            ("\"", Some("-")),
            ("\u{61c}a\u{61c}b.txt", Some("ab.txt")),
            (".gitignore", Some(".gitignore")),
            ("\u{200f}\u{2067}gpj.exe", Some("gpj.exe")),
            ("a\u{85}b\u{2028}c", Some("abc")),
            ("file:///etc/passwd", Some("passwd")),
            ("\u{ff0f}etc", Some("\u{ff0f}etc")),
        ] {
            assert_eq!(safe(given).as_deref(), expected, "{given:?}");
        }
        let cut = safe(&format!("{}.pdf", "é".repeat(300))).unwrap_or_default();
        assert!(cut.len() <= 255 && cut.ends_with("é.pdf"));
        for (given, expected) in [
            (format!("{} b", "a".repeat(254)), "a".repeat(254)),
            (format!("{}. . b", "a".repeat(252)), format!("{}. b", "a".repeat(252))),
            (format!("con{}b", " ".repeat(300)), "_con".to_owned()),
            (format!("con{}b.txt", " ".repeat(300)), "_con.txt".to_owned()),
        ] {
            let cut = safe(&given);
            assert_eq!(cut.as_deref(), Some(expected.as_str()));
            assert_eq!(safe(&expected), cut, "a safe name stays as it is");
        }
    }
}
