//! CSS values that decide the visibility of words.

use super::colours::{CssColour, CssPaint, paint};
use super::lengths::{
    CssLength, font_size, is_empty_path, is_empty_rectangle, is_far_off, is_length_where, is_no_scale, is_nothing,
    is_visible_size, length, shrinks_to_nothing,
};

/// A CSS property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CssProperty {
    Display,
    Visibility,
    ContentVisibility,
    Opacity,
    FontSize,
    Colour,
    FillColour,
    Background,
    BackgroundImage,
    Height,
    MaxHeight,
    MinHeight,
    Width,
    MaxWidth,
    MinWidth,
    Overflow,
    TextIndent,
    Position,
    Left,
    Right,
    Top,
    Bottom,
    MarginLeft,
    MarginTop,
    Filter,
    Clip,
    ClipPath,
    Transform,
    Scale,
    WhiteSpace,
}

/// Maximum number of words of a `background` searched for its colour; all its other parts need fewer.
const MAX_BACKGROUND_WORDS: usize = 16;

/// Minimum alpha or opacity of visible content.
pub(super) const MIN_VISIBLE_ALPHA: f32 = 0.05;

/// Number of properties.
pub(crate) const PROPERTY_COUNT: usize = CssProperty::WhiteSpace as usize + 1;

/// Value of a declaration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CssValue {
    /// True if the value hides the element: `none` of `display`, zero of `height`, and so on.
    Hides(bool),
    Paint(CssPaint),
    Length(CssLength),
    Number(f32),
    WhiteSpace(WhiteSpace),
}

/// Treatment of white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhiteSpace {
    Collapses,
    /// Line breaks remain, spaces collapse.
    Lines,
    Stays,
}

/// Calls `set` with the values of a normalized declaration; never for one that browsers ignore.
pub(crate) fn read_declaration(name: &str, value: &str, mut set: impl FnMut(CssProperty, CssValue)) {
    let mut hides = |property, hides: Option<bool>| {
        if let Some(hides) = hides {
            set(property, CssValue::Hides(hides));
        }
    };
    let has_no_size = || is_length_where(value, is_nothing);
    let is_far = || is_length_where(value, is_far_off);
    match name {
        "display" => hides(CssProperty::Display, display_hides(value)),
        "visibility" => hides(CssProperty::Visibility, visibility_hides(value)),
        "content-visibility" => hides(CssProperty::ContentVisibility, Some(value == "hidden")),
        "height" => hides(CssProperty::Height, has_no_size()),
        "max-height" => hides(CssProperty::MaxHeight, has_no_size()),
        "width" => hides(CssProperty::Width, has_no_size()),
        "max-width" => hides(CssProperty::MaxWidth, has_no_size()),
        "min-height" => hides(CssProperty::MinHeight, Some(!is_visible_size(value))),
        "min-width" => hides(CssProperty::MinWidth, Some(!is_visible_size(value))),
        "overflow" | "overflow-y" | "overflow-x" => {
            let cuts = ["hidden", "clip", "auto", "scroll"].iter().any(|way| value.starts_with(way));
            hides(CssProperty::Overflow, Some(cuts));
        }
        "text-indent" => hides(CssProperty::TextIndent, is_far()),
        "position" => hides(CssProperty::Position, Some(matches!(value, "absolute" | "fixed" | "relative"))),
        "left" => hides(CssProperty::Left, is_far()),
        "right" => hides(CssProperty::Right, is_far()),
        "top" => hides(CssProperty::Top, is_far()),
        "bottom" => hides(CssProperty::Bottom, is_far()),
        "margin-left" => {
            if let Some(margin) = length(value) {
                set(CssProperty::MarginLeft, CssValue::Length(margin));
            }
        }
        "margin-top" => {
            if let Some(margin) = length(value) {
                set(CssProperty::MarginTop, CssValue::Length(margin));
            }
        }
        "filter" => hides(CssProperty::Filter, Some(fades_out(value))),
        "clip" => hides(CssProperty::Clip, Some(is_empty_rectangle(value))),
        "clip-path" => hides(CssProperty::ClipPath, Some(is_empty_path(value))),
        "transform" => hides(CssProperty::Transform, Some(shrinks_to_nothing(value))),
        "scale" => hides(CssProperty::Scale, Some(value.split_ascii_whitespace().any(is_no_scale))),
        "opacity" => {
            if let Some(number) = share(value) {
                set(CssProperty::Opacity, CssValue::Number(number));
            }
        }
        "font-size" => {
            if let Some(size) = font_size(value) {
                set(CssProperty::FontSize, CssValue::Length(size));
            }
        }
        "font" => {
            let size = value.split_ascii_whitespace().find_map(|word| font_size(word.split('/').next()?));
            if let Some(size) = size {
                set(CssProperty::FontSize, CssValue::Length(size));
            }
        }
        "color" => {
            if let Some(paint) = paint(value) {
                set(CssProperty::Colour, CssValue::Paint(paint));
            }
        }
        "-webkit-text-fill-color" => {
            if let Some(paint) = paint(value) {
                set(CssProperty::FillColour, CssValue::Paint(paint));
            }
        }
        "background-color" => {
            if let Some(paint) = paint(value) {
                set(CssProperty::Background, CssValue::Paint(paint));
            }
        }
        "background-image" => set(CssProperty::BackgroundImage, CssValue::Hides(is_image(value))),
        "background" => {
            set(CssProperty::Background, CssValue::Paint(background(value)));
            set(CssProperty::BackgroundImage, CssValue::Hides(is_image(value)));
        }
        "white-space" => {
            if let Some(kind) = white_space(value) {
                set(CssProperty::WhiteSpace, CssValue::WhiteSpace(kind));
            }
        }
        _ => {}
    }
}

fn display_hides(value: &str) -> Option<bool> {
    if value == "none" {
        return Some(true);
    }
    let shows =
        ["block", "inline", "table", "flex", "grid", "list-item", "contents", "initial", "unset", "box", "flow"];
    shows.iter().any(|known| value.contains(known)).then_some(false)
}

fn visibility_hides(value: &str) -> Option<bool> {
    match value {
        "hidden" | "collapse" => Some(true),
        "visible" | "initial" => Some(false),
        _ => None,
    }
}

fn white_space(value: &str) -> Option<WhiteSpace> {
    match value {
        "pre" | "pre-wrap" | "break-spaces" | "-moz-pre-wrap" => Some(WhiteSpace::Stays),
        "pre-line" => Some(WhiteSpace::Lines),
        "normal" | "nowrap" | "initial" => Some(WhiteSpace::Collapses),
        _ => None,
    }
}

/// Parses a number from 0 to 1.
fn share(value: &str) -> Option<f32> {
    let share = match value.strip_suffix('%') {
        Some(number) => number.parse::<f32>().ok()? / 100.0,
        None => value.parse::<f32>().ok()?,
    };
    Some(share.clamp(0.0, 1.0))
}

/// Returns true if a `filter` makes the element invisible.
fn fades_out(value: &str) -> bool {
    let opacity = value.split_once("opacity(").and_then(|(_, behind)| share(behind.split(')').next()?.trim()));
    opacity.is_some_and(|opacity| opacity < MIN_VISIBLE_ALPHA)
}

fn is_image(value: &str) -> bool {
    value.contains("url(") || value.contains("gradient(") || value.contains("image")
}

/// Parses the colour of a `background`, transparent without one.
fn background(value: &str) -> CssPaint {
    let whole = paint(value);
    // Spaces inside a function do not separate words.
    let function = value.find("rgb").or_else(|| value.find("hsl")).and_then(|at| {
        let from = value.get(at..)?;
        paint(from.get(..=from.find(')')?)?)
    });
    let words = value.split_ascii_whitespace().take(MAX_BACKGROUND_WORDS);
    let word = || words.clone().find_map(|word| paint(word).filter(|_| !word.contains('(')));
    let none = CssColour { alpha: 0.0, ..CssColour::WHITE };
    whole.filter(|_| !is_image(value)).or(function).or_else(word).unwrap_or(CssPaint::Known(none))
}
