//! Where links lead.

/// The target of a link that leads out of the mail.
#[derive(Debug)]
pub(crate) struct LinkTarget(String);

impl LinkTarget {
    /// The target in an `href`; `None` if it leads nowhere a reader could follow.
    pub(crate) fn read(href: &str) -> Option<Self> {
        let href = href.trim();
        let leads_out = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| href.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        if !leads_out {
            return None;
        }
        // Browsers take line breaks out of addresses; other white space would end one in the text.
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

    /// Whether words name the target, be it without what goes without saying.
    pub(crate) fn is_named_by(&self, words: &str) -> bool {
        words.contains(self.0.as_str()) || bare(words).eq_ignore_ascii_case(bare(&self.0))
    }
}

/// An address without its scheme, the slash at its end, and what a `mailto:` fills in.
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
