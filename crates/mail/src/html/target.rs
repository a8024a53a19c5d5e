//! Targets of links.

/// An external link target.
#[derive(Debug)]
pub(crate) struct LinkTarget(String);

impl LinkTarget {
    /// Parses an `href`; `None` if a reader could not open it.
    pub(crate) fn read(href: &str) -> Option<Self> {
        let href = href.trim();
        let leads_out = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| href.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        if !leads_out {
            return None;
        }
        // Browsers remove line breaks from URLs; other white space would end the URL in the text.
        let signs = href.chars().filter(|c| !c.is_control() && !crate::sanitize::is_unseen(*c));
        Some(Self(signs.fold(String::with_capacity(href.len()), |mut target, c| {
            if c.is_whitespace() {
                target.push_str("%20");
            } else {
                target.push(c);
            }
            target
        })))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if words name the target, in full or in its short form.
    pub(crate) fn is_named_by(&self, words: &str) -> bool {
        words.contains(self.0.as_str()) || bare(words).eq_ignore_ascii_case(bare(&self.0))
    }
}

/// Returns a URL without scheme, `www.`, trailing slash and `mailto:` parameters.
fn bare(address: &str) -> &str {
    let schemes = ["https://", "http://", "mailto:"];
    let stripped = schemes.iter().find_map(|scheme| {
        let (start, rest) = address.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some((*scheme, rest))
    });
    let (scheme, rest) = stripped.unwrap_or(("", address));
    let rest = if scheme == "mailto:" { rest.split('?').next().unwrap_or(rest) } else { rest };
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.strip_suffix('/').unwrap_or(rest)
}
