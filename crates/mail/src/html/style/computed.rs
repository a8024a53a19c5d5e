//! Computed style of an element and visibility of its words.

use super::cascade::DeclaredProperties;
use super::colours::{CssColour, CssPaint, attribute_paint};
use super::lengths::{CssLength, FONT_SIZE, is_far_margin};
use super::sheet::StyleSheet;
use super::values::{CssProperty, CssValue, MIN_VISIBLE_ALPHA};
use crate::html::attributes::ElementAttributes;
use crate::html::elements::HtmlTag;
use crate::html::references::attribute_references;

pub(crate) use super::values::WhiteSpace;

/// Minimum font size of readable letters in pixels.
const MIN_READABLE_PIXELS: f32 = 1.4;

/// Computed style of an element. An unknown background or colour is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ComputedStyle {
    /// True if nothing inside is visible, regardless of its own style.
    is_gone: bool,
    is_hidden: bool,
    /// True if lines start off the screen.
    is_outside: bool,
    opacity: f32,
    /// Font size in pixels.
    size: f32,
    colour: Option<CssColour>,
    background: Option<CssColour>,
    pub(crate) white_space: WhiteSpace,
}

impl ComputedStyle {
    /// Black on white, the default style.
    pub(crate) const PLAIN: Self = Self {
        is_gone: false,
        is_hidden: false,
        is_outside: false,
        opacity: 1.0,
        size: FONT_SIZE,
        colour: Some(CssColour::BLACK),
        background: Some(CssColour::WHITE),
        white_space: WhiteSpace::Collapses,
    };

    /// Returns true if the element takes no space and separates nothing.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Returns true if pictures are visible.
    pub(crate) fn shows_pictures(&self) -> bool {
        !self.is_gone && !self.is_hidden && self.opacity >= MIN_VISIBLE_ALPHA
    }

    /// Returns true if words are visible.
    pub(crate) fn shows_words(&self) -> bool {
        self.shows_pictures() && !self.is_outside && self.size >= MIN_READABLE_PIXELS && self.has_contrast()
    }

    fn has_contrast(&self) -> bool {
        match (self.colour, self.background) {
            (Some(colour), Some(background)) => !colour.over(background).is_nearly(background),
            (Some(colour), None) => colour.alpha >= MIN_VISIBLE_ALPHA,
            (None, _) => true,
        }
    }

    /// Computes the style of a child of an element with this style.
    pub(crate) fn within(
        self,
        name: &str,
        tag: HtmlTag,
        attributes: &ElementAttributes<'_>,
        sheet: &StyleSheet,
        buffer: &mut String,
    ) -> Self {
        let is_plain = attributes.style.is_none()
            && attributes.bgcolor.is_none()
            && attributes.background.is_none()
            && attributes.hidden.is_none()
            && sheet.is_empty()
            && !matches!(
                tag,
                HtmlTag::Foreign
                    | HtmlTag::Preformatted
                    | HtmlTag::Anchor
                    | HtmlTag::Button
                    | HtmlTag::Formatting
                    | HtmlTag::Page
            );
        if is_plain {
            return self;
        }
        let mut declared = DeclaredProperties::default();
        declare_attributes(tag, attributes, &mut declared);
        sheet.declare(name, attributes.class, attributes.id, &mut declared, buffer);
        if let Some(style) = attributes.style {
            declared.add_inline(&attribute_references(style), buffer);
        }
        self.changed(tag, &declared)
    }

    fn changed(self, tag: HtmlTag, declared: &DeclaredProperties) -> Self {
        let mut style = self;
        style.is_gone |= tag == HtmlTag::Foreign || is_removed(tag, declared);
        if let Some(CssValue::Hides(hides)) = declared.get(CssProperty::Visibility) {
            style.is_hidden = hides;
        }
        if let Some(CssValue::Hides(hides)) = declared.get(CssProperty::TextIndent) {
            style.is_outside = hides;
        }
        if let Some(CssValue::Number(opacity)) = declared.get(CssProperty::Opacity) {
            style.opacity *= opacity;
        }
        match declared.get(CssProperty::FontSize) {
            Some(CssValue::Length(CssLength::Pixels(pixels))) => style.size = pixels,
            Some(CssValue::Length(CssLength::Times(times))) => style.size *= times,
            _ => {}
        }
        if let Some(CssValue::WhiteSpace(kind)) = declared.get(CssProperty::WhiteSpace) {
            style.white_space = kind;
        }
        style.background = self.background_with(declared);
        match declared.get(CssProperty::FillColour).or_else(|| declared.get(CssProperty::Colour)) {
            Some(CssValue::Paint(CssPaint::Known(colour))) => style.colour = Some(colour),
            Some(CssValue::Paint(CssPaint::Unknown)) => style.colour = None,
            _ => {}
        }
        style
    }

    fn background_with(self, declared: &DeclaredProperties) -> Option<CssColour> {
        if declared.hides(CssProperty::BackgroundImage) {
            return None;
        }
        match declared.get(CssProperty::Background) {
            Some(CssValue::Paint(CssPaint::Known(colour))) if colour.alpha >= 1.0 => Some(colour),
            Some(CssValue::Paint(CssPaint::Known(colour))) if colour.alpha <= 0.0 => self.background,
            Some(CssValue::Paint(CssPaint::Known(colour))) => self.background.map(|behind| colour.over(behind)),
            Some(CssValue::Paint(CssPaint::Unknown)) => None,
            _ => self.background,
        }
    }

    /// Removes an ancestor from this style: values equal to those of `left` come from `around` instead.
    pub(crate) fn without(self, left: Self, around: Self) -> Self {
        let flag = |mine: bool, left: bool, around: bool| if mine == left { around } else { mine };
        let has_colour = self.colour != left.colour;
        let has_background = self.background != left.background;
        let has_size = (self.size - left.size).abs() > f32::EPSILON;
        Self {
            is_gone: flag(self.is_gone, left.is_gone, around.is_gone),
            is_hidden: flag(self.is_hidden, left.is_hidden, around.is_hidden),
            is_outside: flag(self.is_outside, left.is_outside, around.is_outside),
            opacity: if left.opacity > 0.0 { self.opacity / left.opacity * around.opacity } else { around.opacity },
            size: if has_size { self.size } else { around.size },
            colour: if has_colour { self.colour } else { around.colour },
            background: if has_background { self.background } else { around.background },
            white_space: self.white_space,
        }
    }
}

fn declare_attributes(tag: HtmlTag, attributes: &ElementAttributes<'_>, declared: &mut DeclaredProperties) {
    let paint = |value: Option<&str>| value.and_then(|value| attribute_paint(&attribute_references(value)));
    if attributes.hidden.is_some() {
        declared.set_attribute(CssProperty::Display, CssValue::Hides(true));
    }
    if attributes.background.is_some_and(|image| !image.trim().is_empty()) {
        declared.set_attribute(CssProperty::BackgroundImage, CssValue::Hides(true));
    }
    if let Some(paint) = paint(attributes.bgcolor) {
        declared.set_attribute(CssProperty::Background, CssValue::Paint(paint));
    }
    let colour = match tag {
        HtmlTag::Page => paint(attributes.text),
        HtmlTag::Formatting => paint(attributes.color),
        HtmlTag::Anchor if attributes.href.is_some() => Some(CssPaint::Known(CssColour::LINK)),
        HtmlTag::Button => Some(CssPaint::Unknown),
        _ => None,
    };
    if let Some(paint) = colour {
        declared.set_attribute(CssProperty::Colour, CssValue::Paint(paint));
    }
    if tag == HtmlTag::Formatting && attributes.size.is_some() {
        declared.set_attribute(CssProperty::FontSize, CssValue::Length(CssLength::Pixels(FONT_SIZE)));
    }
    if tag == HtmlTag::Preformatted {
        declared.set_attribute(CssProperty::WhiteSpace, CssValue::WhiteSpace(WhiteSpace::Stays));
    }
}

/// Returns true if an element is not displayed, has no size, or is off the screen.
fn is_removed(tag: HtmlTag, declared: &DeclaredProperties) -> bool {
    let any = |properties: &[CssProperty]| properties.iter().any(|property| declared.hides(*property));
    // Sizes of table cells are minimums: cells grow with their content.
    let keeps_size = !matches!(tag, HtmlTag::Cell | HtmlTag::HeadCell | HtmlTag::Row | HtmlTag::Rows | HtmlTag::Table)
        || declared.get(CssProperty::Display).is_some();
    let shrinks = |size, most, least| any(&[size, most]) && declared.get(least) != Some(CssValue::Hides(false));
    let has_no_size = shrinks(CssProperty::Height, CssProperty::MaxHeight, CssProperty::MinHeight)
        || shrinks(CssProperty::Width, CssProperty::MaxWidth, CssProperty::MinWidth);
    let is_far = |margin, place| {
        let has_place = declared.get(place).is_some();
        matches!(declared.get(margin), Some(CssValue::Length(margin)) if is_far_margin(margin, has_place))
    };
    let places = [CssProperty::Left, CssProperty::Right, CssProperty::Top, CssProperty::Bottom];
    any(&[
        CssProperty::Display,
        CssProperty::ContentVisibility,
        CssProperty::Filter,
        CssProperty::ClipPath,
        CssProperty::Transform,
        CssProperty::Scale,
    ]) || is_far(CssProperty::MarginLeft, CssProperty::Left)
        || is_far(CssProperty::MarginTop, CssProperty::Top)
        || (declared.hides(CssProperty::Position) && (any(&places) || declared.hides(CssProperty::Clip)))
        || (has_no_size && (tag == HtmlTag::Image || (declared.hides(CssProperty::Overflow) && keeps_size)))
}
