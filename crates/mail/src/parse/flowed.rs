//! Reassembly of flowed paragraphs (`format=flowed`, RFC 3676).

/// Joins flowed lines and writes quote marks as one `> ` before each paragraph.
///
/// `delete_space` is the `delsp` parameter: true if the space that marks a flowed line is not part of the text.
pub(crate) fn unflow(text: &str, delete_space: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // Quote depth of the paragraph that the next line may continue.
    let mut open: Option<usize> = None;
    for (at, line) in text.split('\n').enumerate() {
        let depth = line.len() - line.trim_start_matches('>').len();
        let content = line.get(depth..).unwrap_or_default();
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_signature = content == "-- ";
        // An empty line ends a paragraph despite a trailing space in the line before it, which many programs leave.
        if open != Some(depth) || is_signature || content.is_empty() {
            if at > 0 {
                out.push('\n');
            }
            quote(depth, content, &mut out);
        }
        let is_flowed = content.ends_with(' ') && !is_signature;
        out.push_str(if is_flowed && delete_space { content.strip_suffix(' ').unwrap_or(content) } else { content });
        open = is_flowed.then_some(depth);
    }
    out
}

fn quote(depth: usize, content: &str, out: &mut String) {
    for _ in 0..depth {
        out.push('>');
    }
    if depth > 0 && !content.is_empty() {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowed_lines_are_joined() {
        for (text, delete_space, expected) in [
            ("a \nb\nc", false, "a b\nc"),
            ("a \nb\nc", true, "ab\nc"),
            ("> a \n> b\n>> c \nd", false, "> a b\n>> c \nd"),
            ("a\n\nb", false, "a\n\nb"),
            (" >no quote\n From here", false, ">no quote\nFrom here"),
            ("a \n-- \nBo", false, "a \n-- \nBo"),
            ("> a \n>\n> b", false, "> a \n>\n> b"),
            (">\n>> x", false, ">\n>> x"),
            // The quote depth changes, which ends the paragraph (section 4.5).
            ("> a \nb", false, "> a \nb"),
            (">> a \n> b \nc", false, ">> a \n> b \nc"),
            ("On Monday Anna <a@example.org> \nwrote: \n> hi", false, "On Monday Anna <a@example.org> wrote: \n> hi"),
            ("> a \n> -- \n> Bo", false, "> a \n> -- \n> Bo"),
            (">a \n>b", false, "> a b"),
            ("> > a \n> > b", false, "> > a > b"),
            ("a \n\nb", false, "a \n\nb"),
            ("a\n \nb", false, "a\n\nb"),
            ("a \n b", false, "a b"),
            ("\u{4f60} \n\u{597d}", true, "\u{4f60}\u{597d}"),
            ("", false, ""),
            ("a ", true, "a"),
        ] {
            assert_eq!(unflow(text, delete_space), expected, "{text:?}");
        }
    }
}
