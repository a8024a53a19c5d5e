//! Tag lists: `v=DKIM1; k=rsa; p=…` (RFC 6376, section 3.2), which DMARC shares (RFC 7489, section 6.3).

/// Parses the tags of a text in order: names and values without the white space around them. Returns `None` for a text
/// that is no tag list.
pub(super) fn parse(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut tags: Vec<(&str, &str)> = Vec::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        // A repeated tag makes the list invalid (RFC 6376, section 3.2).
        if name.is_empty() || tags.iter().any(|(known, _)| *known == name) {
            return None;
        }
        tags.push((name, value));
    }
    Some(tags)
}

/// Returns the value of a tag.
pub(super) fn value<'a>(tags: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}
