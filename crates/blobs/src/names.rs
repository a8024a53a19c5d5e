//! Names that are valid in every store: as the path of a file and as the key of an object in a bucket.

/// Maximum bytes of a name. A key of S3 has at most 1024.
const MAX_NAME_BYTES: usize = 512;
/// Maximum bytes of a segment, the part between two slashes. A file name has at most 255.
const MAX_SEGMENT_BYTES: usize = 128;

/// Returns whether a name consists of segments of letters, digits, `-` and `_`. Without dots, no path leaves its folder.
pub(crate) fn is_valid(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES && name.split('/').all(is_segment)
}

/// Returns whether a text may be a segment of a name.
pub(crate) fn is_segment(text: &str) -> bool {
    let is_permitted = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_SEGMENT_BYTES).contains(&text.len()) && text.bytes().all(is_permitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_segments_are_names() {
        let long = "a".repeat(MAX_SEGMENT_BYTES + 1);
        for (name, expected) in [
            ("0192/2026-11/0192aa_b", true),
            ("a", true),
            ("", false),
            ("/a", false),
            ("a/", false),
            ("a//b", false),
            ("../a", false),
            ("a/../b", false),
            ("a/.b", false),
            ("a\\b", false),
            ("a\0", false),
            ("ä", false),
            (&*long, false),
        ] {
            assert_eq!(is_valid(name), expected, "{name:?}");
        }
    }
}
