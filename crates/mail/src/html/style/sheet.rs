//! Simple rules of style sheets, which can hide words.

use std::collections::HashMap;

use super::cascade::{DeclaredProperties, SpecificityLevel};
use super::css_syntax::plain;
use super::values::{CssProperty, CssValue};
use crate::html::attributes::attribute;
use crate::html::tokens::{TokenKind, is_style, tokens};

/// Maximum number of selectors stored from all rules.
const MAX_SELECTORS: usize = 20_000;
/// Maximum number of classes of an element that are looked up.
const MAX_CLASSES: usize = 32;

/// Rules for an element, a class, an id, or an element with a class or an id.
///
/// Rules for some screens only are omitted: messages use them to show one of two versions. For these, and for rules
/// with complex selectors, only a possible change of the background is stored.
#[derive(Debug, Default)]
pub(crate) struct StyleSheet {
    /// Declarations by selector in lower case.
    rules: HashMap<String, DeclaredProperties>,
    selectors: usize,
    order: u32,
}

impl StyleSheet {
    /// Reads all style sheets in `html`.
    pub(crate) fn of(html: &str) -> Self {
        let mut sheet = Self::default();
        let mut source = String::new();
        // Most messages have their style sheets at the top, so the rest is not read.
        let is_start = |at: &usize| html.get(*at..).is_some_and(is_style);
        let last = memchr::memrchr_iter(b'<', html.as_bytes()).find(is_start);
        let read = tokens(html).take_while(|token| last.is_some_and(|last| token.start <= last));
        for token in read.filter(|token| token.kind == TokenKind::Unseen) {
            let Some((attributes, css)) = html.get(token.start..token.end).and_then(style_element) else {
                continue;
            };
            if attribute(attributes, "media").is_none_or(|media| is_for_any_screen(&media.to_ascii_lowercase())) {
                source.clear();
                plain(css, &mut source);
                sheet.read(&source, true);
            }
        }
        sheet
    }

    /// Reads rules that apply (`holds`) or may apply.
    fn read(&mut self, css: &str, holds: bool) {
        let mut rest = css;
        while self.selectors < MAX_SELECTORS {
            // The end of an `@media` block for any screen.
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '}' | ';'));
            if let Some(behind) = rest.strip_prefix("<!--").or_else(|| rest.strip_prefix("-->")) {
                rest = behind;
                continue;
            }
            let is_at_rule = rest.starts_with('@');
            let opening = memchr::memchr2(b'{', if is_at_rule { b';' } else { b'{' }, rest.as_bytes());
            let Some((head, behind)) = opening.and_then(|at| rest.split_at_checked(at)) else {
                return;
            };
            let block = behind.get(1..).unwrap_or_default();
            rest = block;
            if behind.starts_with(';') || head.strip_prefix("@media").is_some_and(is_for_any_screen) {
                continue;
            }
            let (block, behind) = block.split_at_checked(block_length(block)).unwrap_or((block, ""));
            rest = behind;
            if !is_at_rule {
                self.rule(head, block, holds);
            } else if holds && may_hold(head) {
                self.read(block, false);
            }
        }
    }

    fn rule(&mut self, selectors: &str, block: &str, holds: bool) {
        self.order += 1;
        let mut declared = DeclaredProperties::default();
        declared.add_block(block, SpecificityLevel::Universal, self.order);
        if declared.is_empty() {
            return;
        }
        let possible = possible(&declared);
        for selector in selectors.split(',').map(str::trim) {
            let last = selector.rsplit([' ', '\n', '\r', '\t', '>', '+', '~']).next().unwrap_or_default();
            let simple = simple(last).filter(|_| holds && last == selector);
            let (key, applied) = match simple {
                Some((specificity, key)) => (key, declared.clone().with_specificity(specificity)),
                None if last.is_empty() || possible.is_empty() || is_passing(last) => continue,
                None => (broad(last), possible.clone()),
            };
            self.selectors += 1;
            if self.selectors > MAX_SELECTORS {
                return;
            }
            self.rules.entry(key.to_owned()).or_default().merge(&applied);
        }
    }

    /// Adds the declarations for an element to `declared`; `buffer` is scratch space.
    pub(crate) fn declare(
        &self,
        name: &str,
        class: Option<&str>,
        id: Option<&str>,
        declared: &mut DeclaredProperties,
        buffer: &mut String,
    ) {
        if self.rules.is_empty() {
            return;
        }
        let mut add = |key: &str| {
            if let Some(found) = self.rules.get(key) {
                declared.merge(found);
            }
        };
        add("*");
        buffer.clear();
        buffer.push_str(name);
        buffer.make_ascii_lowercase();
        add(buffer);
        let classes = class.unwrap_or_default().split_ascii_whitespace().take(MAX_CLASSES).map(|class| ('.', class));
        for (mark, value) in classes.chain(id.map(|id| ('#', id.trim()))) {
            buffer.truncate(name.len());
            buffer.push(mark);
            buffer.push_str(value);
            buffer.make_ascii_lowercase();
            add(buffer);
            add(buffer.get(name.len()..).unwrap_or_default());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Returns the attributes and the content of a style element.
fn style_element(source: &str) -> Option<(&str, &str)> {
    let (name, behind) = source.strip_prefix('<')?.split_at_checked(5)?;
    if !name.eq_ignore_ascii_case("style") {
        return None;
    }
    let (attributes, content) = behind.split_at_checked(crate::html::attributes::length(behind)?)?;
    let end = memchr::memmem::rfind(content.as_bytes(), b"</").unwrap_or(content.len());
    Some((attributes, content.get(1..end)?))
}

/// Returns true if a lower-case media list includes every screen.
fn is_for_any_screen(media: &str) -> bool {
    media.split(',').any(|medium| matches!(medium.trim(), "" | "all" | "screen" | "only screen"))
}

/// Returns true if the rules of a lower-case at-rule apply to some screens in light mode.
fn may_hold(head: &str) -> bool {
    let is_elsewhere = ["print", "speech", "prefers-color-scheme"].iter().any(|medium| head.contains(medium));
    (head.starts_with("@media") && !is_elsewhere) || head.starts_with("@supports")
}

/// Returns the length of a block up to its closing brace; nested blocks count.
fn block_length(block: &str) -> usize {
    let mut depth = 0_usize;
    for at in memchr::memchr2_iter(b'{', b'}', block.as_bytes()) {
        if block.as_bytes().get(at) == Some(&b'{') {
            depth += 1;
        } else if depth == 0 {
            return at;
        } else {
            depth -= 1;
        }
    }
    block.len()
}

/// Returns the key and the specificity of a simple selector.
fn simple(selector: &str) -> Option<(SpecificityLevel, &str)> {
    if selector == "*" {
        return Some((SpecificityLevel::Universal, selector));
    }
    let key = selector.strip_prefix('*').unwrap_or(selector);
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '\u{fffd}'));
    let Some(at) = key.find(['.', '#']) else {
        return (is_name(key) && !key.is_empty()).then_some((SpecificityLevel::Tag, key));
    };
    let (tag, name) = key.split_at_checked(at)?;
    let specificity = match (tag.is_empty(), name.starts_with('.')) {
        (true, true) => SpecificityLevel::Class,
        (false, true) => SpecificityLevel::TagAndClass,
        (true, false) => SpecificityLevel::Id,
        (false, false) => SpecificityLevel::TagAndId,
    };
    let name = name.get(1..).filter(|name| !name.is_empty())?;
    (is_name(tag) && is_name(name)).then_some((specificity, key))
}

/// Returns true if a selector applies only during interaction or to generated content.
fn is_passing(selector: &str) -> bool {
    [":hover", ":active", ":focus", ":before", ":after", "::"].iter().any(|state| selector.contains(state))
}

/// Returns a key for every element that a selector may match: that of its first simple part, or the universal one.
fn broad(selector: &str) -> &str {
    let end = selector.char_indices().skip(1).find(|(_, c)| matches!(c, '.' | '#' | '[' | ':'));
    let first = end.and_then(|(at, _)| selector.get(..at)).unwrap_or(selector);
    simple(first).map_or("*", |(_, key)| key)
}

/// Returns the effect of a rule that may apply: its background makes the actual one unknown, and the visibility of
/// colours with it.
fn possible(declared: &DeclaredProperties) -> DeclaredProperties {
    let mut unknown = DeclaredProperties::default();
    if declared.hides(CssProperty::BackgroundImage) || declared.get(CssProperty::Background).is_some() {
        unknown.set_attribute(CssProperty::BackgroundImage, CssValue::Hides(true));
    }
    unknown
}
