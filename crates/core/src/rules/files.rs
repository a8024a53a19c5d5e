//! Paths and media types of files.

/// Maximum length of a path in bytes.
pub const MAX_PATH_BYTES: usize = 512;
/// Maximum length of a media type in bytes.
const MAX_CONTENT_TYPE_BYTES: usize = 127;
/// Media type of a file without one.
pub const DEFAULT_CONTENT_TYPE: &str = "application/octet-stream";

/// Checks the path of a file.
///
/// # Errors
/// The problem, as text that follows the name of the field.
pub fn validate_path(path: &str) -> Result<(), &'static str> {
    validate_prefix(path)?;
    if path.split('/').any(|segment| segment.is_empty() || segment == "." || segment == "..") {
        return Err("must be names with / between them, none of them empty, . or ..");
    }
    Ok(())
}

/// Checks the beginning of a path, which may stop within a name.
///
/// # Errors
/// As [`validate_path`].
pub fn validate_prefix(prefix: &str) -> Result<(), &'static str> {
    if prefix.len() > MAX_PATH_BYTES {
        return Err("has more than 512 bytes");
    }
    if prefix.chars().any(|c| c.is_control() || c == '\\') {
        return Err("must not contain control characters or backslashes");
    }
    Ok(())
}

/// Checks a media type such as `text/plain; charset=utf-8`.
///
/// # Errors
/// As [`validate_path`].
pub fn validate_content_type(content_type: &str) -> Result<(), &'static str> {
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c));
    let essence = content_type.split(';').next().unwrap_or_default().trim_end();
    let has_type = essence.split_once('/').is_some_and(|(main, sub)| is_name(main) && is_name(sub));
    let is_printable = content_type.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    if content_type.len() > MAX_CONTENT_TYPE_BYTES || !has_type || !is_printable {
        return Err("must be a media type such as application/pdf, at most 127 bytes");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_names_between_slashes() {
        for path in ["a", "reports/q3.pdf", "Grüße 1/…", "a/.hidden", &"x".repeat(512)] {
            assert_eq!(validate_path(path), Ok(()), "{path}");
        }
        for path in ["", "/a", "a/", "a//b", ".", "a/../b", "a\\b", "a\nb", "a\u{0}", &"x".repeat(513)] {
            assert!(validate_path(path).is_err(), "{path:?}");
        }
        assert_eq!(validate_prefix("reports/"), Ok(()));
        assert_eq!(validate_prefix(""), Ok(()));
    }

    #[test]
    fn media_types_have_a_main_and_a_sub_type() {
        for content_type in ["application/pdf", "text/plain; charset=utf-8", "image/svg+xml"] {
            assert_eq!(validate_content_type(content_type), Ok(()), "{content_type}");
        }
        for content_type in ["", "pdf", "a/", "/b", "a/b/c", "a/b\r\nX: y", "a b/c", &format!("a/{}", "b".repeat(126))]
        {
            assert!(validate_content_type(content_type).is_err(), "{content_type:?}");
        }
    }
}
