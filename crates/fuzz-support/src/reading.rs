//! Properties of text extraction, codes and links.

use inboxd_mail::{
    extract_codes, extract_html, extract_links, extract_text, hides_characters, hides_text, html_links, preview,
    text_from_html,
};

/// Extracts the new text of a message, its codes and its links.
pub fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace('\r', "");
    let new = extract_text(&text);
    assert_eq!(extract_text(&new), new, "extraction is idempotent");
    assert_eq!(new.trim().is_empty(), text.trim().is_empty(), "extraction leaves no text empty");
    let mut lines = text.lines();
    for line in new.lines() {
        assert!(lines.any(|whole| whole == line), "new lines occur in the text in order: {line:?}");
    }
    let _ = hides_characters(&text);
    check_findings(&text, None);
}

/// Converts HTML to text, extracts its new content and its links.
pub fn html(bytes: &[u8]) {
    let html = String::from_utf8_lossy(bytes);
    let new = extract_html(&html);
    assert!(new.len() <= html.len(), "new HTML is no longer than the input");
    assert_eq!(extract_html(&new), new, "extraction is idempotent");
    let text = text_from_html(&new);
    let _ = (extract_text(&text), preview(&html), hides_text(&html));
    assert!(html_links(&html).iter().all(|link| link.words.len() <= 300), "link words are bounded");
    check_findings(&text, Some(&html));
}

/// Verifies that findings are bounded and sorted by confidence.
fn check_findings(text: &str, html: Option<&str>) {
    let codes = extract_codes(Some(text), text);
    assert!(codes.len() <= 10 && codes.is_sorted_by(|before, after| before.confidence >= after.confidence));
    for code in codes {
        assert!((1..=100).contains(&code.confidence) && (1..=64).contains(&code.code.len()), "{code:?}");
        assert!(code.context.chars().count() <= 200 && !code.context.contains('\n'), "{code:?}");
    }
    let links = extract_links(Some(text), text, html);
    assert!(links.len() <= 10 && links.is_sorted_by(|before, after| before.confidence >= after.confidence));
    for link in links {
        assert!((1..=100).contains(&link.confidence) && link.url.len() <= 2048, "{link:?}");
        assert!(link.url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http")), "{link:?}");
        assert!(link.context.chars().count() <= 200 && !link.context.contains('\n'), "{link:?}");
    }
}
