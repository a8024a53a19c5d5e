//! Extraction of confirmation links.

use std::collections::HashMap;
use std::fmt;

use super::link_evidence::LinkEvidence;
use super::linked_text::{self, LinkedText, PlacedLink};
use super::passage::TextPassage;
use super::{MAX_FINDINGS, MAX_TEXT_BYTES};

/// Effect of a link when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// Confirms an address, an account or a subscription.
    Confirm,
    /// Signs in.
    SignIn,
    /// Sets a new password.
    ResetPassword,
    /// Accepts an invitation.
    Invitation,
}

impl LinkKind {
    /// Returns `confirm`, `sign_in`, `reset_password` or `invitation`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::SignIn => "sign_in",
            Self::ResetPassword => "reset_password",
            Self::Invitation => "invitation",
        }
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A link that confirms something when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedLink {
    /// Target with scheme `http` or `https`, at most 2,048 bytes.
    pub url: String,
    /// Effect of the link.
    pub kind: LinkKind,
    /// Confidence in hundredths, 50 to 99.
    pub confidence: u8,
    /// Surrounding text with the link words on one line, at most 200 characters.
    pub context: String,
}

/// Minimum confidence of a result. It is high because opening a link cannot be undone.
const MIN_LINK_CONFIDENCE: i32 = 50;

/// Extracts at most 10 confirmation links, the most confident first.
///
/// Links of the text count only if the HTML has none. Of each body, the first 128 KiB and 500 links are read.
#[must_use]
pub fn extract_links(subject: Option<&str>, text: &str, html: Option<&str>) -> Vec<ExtractedLink> {
    let subject = subject.unwrap_or_default();
    let confirming = |linked: Option<LinkedText>| linked.map(|linked| confirming(subject, &linked)).unwrap_or_default();
    let from_html = confirming(html.and_then(|html| linked_text::from_html(html, MAX_TEXT_BYTES)));
    if from_html.is_empty() { confirming(linked_text::from_text(text, MAX_TEXT_BYTES)) } else { from_html }
}

fn confirming(subject: &str, linked: &LinkedText) -> Vec<ExtractedLink> {
    let evidence = LinkEvidence::new(&TextPassage::new(subject, MAX_TEXT_BYTES), linked);
    let mut found: Vec<(i32, LinkKind, &PlacedLink)> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for link in &linked.links {
        let Some((kind, confidence)) =
            evidence.classify_link(link).filter(|(_, confidence)| *confidence >= MIN_LINK_CONFIDENCE)
        else {
            continue;
        };
        match positions.get(link.url.as_str()).and_then(|position| found.get_mut(*position)) {
            Some(known) if confidence > known.0 => *known = (confidence, kind, link),
            Some(_) => {}
            None => {
                positions.insert(&link.url, found.len());
                found.push((confidence, kind, link));
            }
        }
    }
    found.sort_by_key(|(confidence, ..)| std::cmp::Reverse(*confidence));
    let given = found.into_iter().take(MAX_FINDINGS);
    given
        .map(|(confidence, kind, link)| ExtractedLink {
            url: link.url.clone(),
            kind,
            confidence: u8::try_from(confidence.clamp(1, 99)).unwrap_or(99),
            context: linked.passage.context(link.words.clone()),
        })
        .collect()
}
