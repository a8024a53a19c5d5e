//! How an element looks within the one around it, and whether its words are seen.

use super::colours::{Colour, Paint, attribute_paint};
use super::declared::Declared;
use super::lengths::{FONT_SIZE, Length, is_far_margin};
use super::sheet::Sheet;
use super::values::{LEAST_COVER, Property, Value};
use crate::html::attributes::Given;
use crate::html::elements::Tag;
use crate::html::references::attribute_references;

pub(crate) use super::values::WhiteSpace;

/// Letters of fewer pixels cannot be read.
const LEAST_SIZE: f32 = 1.4;

/// How an element looks. A background or a colour that cannot be known is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    /// Nothing within is shown, whatever it says of itself.
    is_gone: bool,
    is_hidden: bool,
    /// Its lines start beyond the edge.
    is_outside: bool,
    opacity: f32,
    /// Of the font, in pixels.
    size: f32,
    colour: Option<Colour>,
    background: Option<Colour>,
    pub(crate) white_space: WhiteSpace,
}

impl Look {
    /// Black on white, as a mail that says nothing about it is shown.
    pub(crate) const PLAIN: Self = Self {
        is_gone: false,
        is_hidden: false,
        is_outside: false,
        opacity: 1.0,
        size: FONT_SIZE,
        colour: Some(Colour::BLACK),
        background: Some(Colour::WHITE),
        white_space: WhiteSpace::Collapses,
    };

    /// Whether it takes no room: neither it nor what is around it is set apart by it.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Whether pictures are seen.
    pub(crate) fn shows_pictures(&self) -> bool {
        !self.is_gone && !self.is_hidden && self.opacity >= LEAST_COVER
    }

    /// Whether words are seen.
    pub(crate) fn shows_words(&self) -> bool {
        self.shows_pictures() && !self.is_outside && self.size >= LEAST_SIZE && self.has_contrast()
    }

    fn has_contrast(&self) -> bool {
        match (self.colour, self.background) {
            (Some(colour), Some(background)) => !colour.over(background).is_nearly(background),
            (Some(colour), None) => colour.cover >= LEAST_COVER,
            (None, _) => true,
        }
    }

    /// The look of an element within one of this look.
    pub(crate) fn within(self, name: &str, tag: Tag, given: &Given<'_>, sheet: &Sheet, buffer: &mut String) -> Self {
        let is_plain = given.style.is_none()
            && given.bgcolor.is_none()
            && given.background.is_none()
            && given.hidden.is_none()
            && sheet.is_empty()
            && !matches!(
                tag,
                Tag::Foreign | Tag::Preformatted | Tag::Anchor | Tag::Button | Tag::Formatting | Tag::Page
            );
        if is_plain {
            return self;
        }
        let mut declared = Declared::default();
        declare_attributes(tag, given, &mut declared);
        sheet.declare(name, given.class, given.id, &mut declared, buffer);
        if let Some(style) = given.style {
            declared.add_inline(&attribute_references(style), buffer);
        }
        self.changed(tag, &declared)
    }

    fn changed(self, tag: Tag, declared: &Declared) -> Self {
        let mut look = self;
        look.is_gone |= tag == Tag::Foreign || is_taken_away(tag, declared);
        if let Some(Value::Hides(hides)) = declared.get(Property::Visibility) {
            look.is_hidden = hides;
        }
        if let Some(Value::Hides(hides)) = declared.get(Property::TextIndent) {
            look.is_outside = hides;
        }
        if let Some(Value::Number(opacity)) = declared.get(Property::Opacity) {
            look.opacity *= opacity;
        }
        match declared.get(Property::FontSize) {
            Some(Value::Length(Length::Pixels(pixels))) => look.size = pixels,
            Some(Value::Length(Length::Times(times))) => look.size *= times,
            _ => {}
        }
        if let Some(Value::WhiteSpace(kind)) = declared.get(Property::WhiteSpace) {
            look.white_space = kind;
        }
        look.background = self.background_with(declared);
        match declared.get(Property::FillColour).or_else(|| declared.get(Property::Colour)) {
            Some(Value::Paint(Paint::Known(colour))) => look.colour = Some(colour),
            Some(Value::Paint(Paint::Unknown)) => look.colour = None,
            _ => {}
        }
        look
    }

    fn background_with(self, declared: &Declared) -> Option<Colour> {
        if declared.hides(Property::BackgroundImage) {
            return None;
        }
        match declared.get(Property::Background) {
            Some(Value::Paint(Paint::Known(colour))) if colour.cover >= 1.0 => Some(colour),
            Some(Value::Paint(Paint::Known(colour))) if colour.cover <= 0.0 => self.background,
            Some(Value::Paint(Paint::Known(colour))) => self.background.map(|behind| colour.over(behind)),
            Some(Value::Paint(Paint::Unknown)) => None,
            _ => self.background,
        }
    }

    /// This look, of something within an element of the look `left`, once that is taken from between it and what is
    /// `around`: what it only had from there it has no more.
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

fn declare_attributes(tag: Tag, given: &Given<'_>, declared: &mut Declared) {
    let paint = |value: Option<&str>| value.and_then(|value| attribute_paint(&attribute_references(value)));
    if given.hidden.is_some() {
        declared.set_attribute(Property::Display, Value::Hides(true));
    }
    if given.background.is_some_and(|image| !image.trim().is_empty()) {
        declared.set_attribute(Property::BackgroundImage, Value::Hides(true));
    }
    if let Some(paint) = paint(given.bgcolor) {
        declared.set_attribute(Property::Background, Value::Paint(paint));
    }
    let colour = match tag {
        Tag::Page => paint(given.text),
        Tag::Formatting => paint(given.color),
        Tag::Anchor if given.href.is_some() => Some(Paint::Known(Colour::LINK)),
        Tag::Button => Some(Paint::Unknown),
        _ => None,
    };
    if let Some(paint) = colour {
        declared.set_attribute(Property::Colour, Value::Paint(paint));
    }
    if tag == Tag::Formatting && given.size.is_some() {
        declared.set_attribute(Property::FontSize, Value::Length(Length::Pixels(FONT_SIZE)));
    }
    if tag == Tag::Preformatted {
        declared.set_attribute(Property::WhiteSpace, Value::WhiteSpace(WhiteSpace::Stays));
    }
}

/// Whether an element is not there at all, has no size, or is somewhere else.
fn is_taken_away(tag: Tag, declared: &Declared) -> bool {
    let any = |properties: &[Property]| properties.iter().any(|property| declared.hides(*property));
    // The sizes of table cells are only wishes: they grow with what they hold.
    let keeps_size = !matches!(tag, Tag::Cell | Tag::HeadCell | Tag::Row | Tag::Rows | Tag::Table)
        || declared.get(Property::Display).is_some();
    let shrinks = |size, most, least| any(&[size, most]) && declared.get(least) != Some(Value::Hides(false));
    let has_no_size = shrinks(Property::Height, Property::MaxHeight, Property::MinHeight)
        || shrinks(Property::Width, Property::MaxWidth, Property::MinWidth);
    let is_far = |margin, place| {
        let has_place = declared.get(place).is_some();
        matches!(declared.get(margin), Some(Value::Length(margin)) if is_far_margin(margin, has_place))
    };
    let places = [Property::Left, Property::Right, Property::Top, Property::Bottom];
    any(&[Property::Display, Property::ContentVisibility, Property::Filter, Property::ClipPath, Property::Transform])
        || is_far(Property::MarginLeft, Property::Left)
        || is_far(Property::MarginTop, Property::Top)
        || (declared.hides(Property::Position) && (any(&places) || declared.hides(Property::Clip)))
        || (has_no_size && (tag == Tag::Image || (declared.hides(Property::Overflow) && keeps_size)))
}
