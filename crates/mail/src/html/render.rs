//! Text from HTML.

use super::attributes::{attribute, references};
use super::tokens::{Kind, Token, tokens};

/// How many levels of quotation are marked; deeper ones look like the last.
const MAX_QUOTE: usize = 8;

/// Whether the targets of links are written behind their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Shown,
    Hidden,
}

pub(crate) fn render(html: &str, links: Links) -> String {
    let mut page = Page::default();
    for token in tokens(html) {
        page.token(&token, links);
    }
    page.text.truncate(page.text.trim_end().len());
    page.text
}

/// The text so far, and what is due before the next word.
#[derive(Default)]
struct Page {
    text: String,
    /// Line breaks due: 2 leaves an empty line.
    breaks: usize,
    space: bool,
    bullet: bool,
    quote: usize,
    /// The level of quotation of the last word written.
    last_quote: usize,
    preformatted: usize,
    /// The target of the link at hand, and where its words start.
    link: Option<(String, usize)>,
}

impl Page {
    fn token(&mut self, token: &Token<'_>, links: Links) {
        match token.kind {
            Kind::Text(text) if self.preformatted > 0 => self.lines(&references(text)),
            Kind::Text(text) => self.words(&references(text)),
            Kind::Open(name, attributes) => {
                self.open(&name.to_ascii_lowercase(), attributes, links);
            }
            Kind::Close(name) => self.close(&name.to_ascii_lowercase()),
            Kind::Unseen => {}
        }
    }

    fn open(&mut self, name: &str, attributes: &str, links: Links) {
        match name {
            "br" => {
                self.breaks = (self.breaks + 1).min(2);
                self.space = false;
            }
            "li" => {
                self.need(1);
                self.bullet = true;
            }
            "td" | "th" => self.space = true,
            "hr" => {
                self.need(1);
                self.words("---");
                self.need(1);
            }
            "img" => {
                if let Some(alt) = attribute(attributes, "alt") {
                    self.words(&alt);
                }
            }
            "a" if links == Links::Shown => {
                self.end_link();
                let target = attribute(attributes, "href").unwrap_or_default();
                self.link = Some((target.trim().to_owned(), self.text.len()));
            }
            _ => {}
        }
        self.need(gap(name));
        match name {
            "blockquote" => self.quote += 1,
            "pre" => self.preformatted += 1,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "a" => self.end_link(),
            "td" | "th" => self.space = true,
            _ => {}
        }
        self.need(gap(name));
        match name {
            "blockquote" => self.quote = self.quote.saturating_sub(1),
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            _ => {}
        }
    }

    /// Writes where the link leads, unless its words are just that.
    fn end_link(&mut self) {
        let Some((target, start)) = self.link.take() else {
            return;
        };
        let words = self.text.get(start..).unwrap_or_default().trim();
        let shown = target.strip_prefix("mailto:").unwrap_or(&target);
        let lower = target.to_ascii_lowercase();
        let leads_out = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
        if words.is_empty() || words == shown || words == target || !leads_out {
            return;
        }
        let target = format!(" ({target})");
        self.words(&target);
    }

    fn need(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
        self.space &= breaks == 0;
    }

    fn words(&mut self, text: &str) {
        self.space |= text.starts_with(char::is_whitespace);
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            self.begin();
            self.text.push_str(word);
            self.space = words.peek().is_some() || text.ends_with(char::is_whitespace);
        }
    }

    fn lines(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.breaks = (self.breaks + 1).min(2);
            }
            let line = line.trim_end();
            if !line.is_empty() {
                self.space = false;
                self.begin();
                self.text.push_str(line);
            }
        }
    }

    /// Writes what is due before a word.
    fn begin(&mut self) {
        let prefix = "> ".repeat(self.quote.min(MAX_QUOTE));
        // An empty line belongs to the quotation only if both its neighbours do.
        let gap = "> ".repeat(self.quote.min(self.last_quote).min(MAX_QUOTE));
        self.last_quote = self.quote;
        if self.text.is_empty() {
            self.text.push_str(&prefix);
        } else if self.breaks > 0 {
            for _ in 1..self.breaks {
                self.text.push('\n');
                self.text.push_str(gap.trim_end());
            }
            self.text.push('\n');
            self.text.push_str(&prefix);
        } else if self.space {
            self.text.push(' ');
        }
        if std::mem::take(&mut self.bullet) {
            self.text.push_str("- ");
        }
        self.breaks = 0;
        self.space = false;
    }
}

/// How many line breaks an element puts around itself.
fn gap(name: &str) -> usize {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "dl" | "blockquote" | "pre" => 2,
        "div" | "tr" | "li" | "table" | "section" | "article" | "header" | "footer" | "main" | "nav" | "aside"
        | "center" | "dt" | "dd" | "form" | "address" | "fieldset" | "figure" | "figcaption" | "hr" | "body"
        | "html" | "thead" | "tbody" | "tfoot" | "caption" | "option" => 1,
        _ => 0,
    }
}
