//! The values of CSS that decide whether words are seen.

use super::colours::{Paint, paint};

/// What a property of an element may be declared to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Property {
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
    Width,
    MaxWidth,
    Overflow,
    TextIndent,
    Position,
    Left,
    Right,
    Top,
    MarginLeft,
    MarginTop,
    Clip,
    ClipPath,
    Transform,
    WhiteSpace,
}

/// How many properties there are.
pub(crate) const PROPERTIES: usize = Property::WhiteSpace as usize + 1;

/// What a declaration says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    /// Whether the property has the value that hides: `none` of `display`, zero of `height`, and so on.
    Hides(bool),
    Paint(Paint),
    Length(Length),
    Number(f32),
    WhiteSpace(WhiteSpace),
}

/// A length, in CSS pixels or in sizes of the font.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Length {
    Pixels(f32),
    Times(f32),
}

/// What becomes of white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhiteSpace {
    Collapses,
    /// Line breaks stay, spaces collapse.
    Lines,
    Stays,
}

/// The size of the font where nothing says another, in CSS pixels.
pub(crate) const FONT_SIZE: f32 = 16.0;
/// A box of fewer pixels shows nothing of its words.
const NO_SIZE: f32 = 2.0;

/// Tells `set` what a declaration in plain CSS says; nothing of one that browsers would pass over.
pub(crate) fn read(name: &str, value: &str, mut set: impl FnMut(Property, Value)) {
    let mut hides = |property, hides: Option<bool>| {
        if let Some(hides) = hides {
            set(property, Value::Hides(hides));
        }
    };
    let has_no_size = || is_length_where(value, is_nothing);
    let is_far = || is_length_where(value, is_far_off);
    match name {
        "display" => hides(Property::Display, display_hides(value)),
        "visibility" => hides(Property::Visibility, visibility_hides(value)),
        "content-visibility" => hides(Property::ContentVisibility, Some(value == "hidden")),
        "height" => hides(Property::Height, has_no_size()),
        "max-height" => hides(Property::MaxHeight, has_no_size()),
        "width" => hides(Property::Width, has_no_size()),
        "max-width" => hides(Property::MaxWidth, has_no_size()),
        "overflow" | "overflow-y" | "overflow-x" => {
            hides(Property::Overflow, Some(value.starts_with("hidden") || value.starts_with("clip")));
        }
        "text-indent" => hides(Property::TextIndent, is_far()),
        "position" => hides(Property::Position, Some(matches!(value, "absolute" | "fixed" | "relative"))),
        "left" => hides(Property::Left, is_far()),
        "right" => hides(Property::Right, is_far()),
        "top" => hides(Property::Top, is_far()),
        "margin-left" => hides(Property::MarginLeft, is_far()),
        "margin-top" => hides(Property::MarginTop, is_far()),
        "clip" => hides(Property::Clip, Some(is_empty_rectangle(value))),
        "clip-path" => hides(Property::ClipPath, Some(is_empty_path(value))),
        "transform" => hides(Property::Transform, Some(shrinks_to_nothing(value))),
        "opacity" => {
            if let Some(number) = share(value) {
                set(Property::Opacity, Value::Number(number));
            }
        }
        "font-size" => {
            if let Some(size) = font_size(value) {
                set(Property::FontSize, Value::Length(size));
            }
        }
        "font" => {
            let size = value.split_ascii_whitespace().find_map(|word| font_size(word.split('/').next()?));
            if let Some(size) = size {
                set(Property::FontSize, Value::Length(size));
            }
        }
        "color" => {
            if let Some(paint) = paint(value) {
                set(Property::Colour, Value::Paint(paint));
            }
        }
        "-webkit-text-fill-color" => {
            if let Some(paint) = paint(value) {
                set(Property::FillColour, Value::Paint(paint));
            }
        }
        "background-color" => {
            if let Some(paint) = paint(value) {
                set(Property::Background, Value::Paint(paint));
            }
        }
        "background-image" => set(Property::BackgroundImage, Value::Hides(is_image(value))),
        "background" => {
            set(Property::Background, Value::Paint(background(value)));
            set(Property::BackgroundImage, Value::Hides(is_image(value)));
        }
        "white-space" => {
            if let Some(kind) = white_space(value) {
                set(Property::WhiteSpace, Value::WhiteSpace(kind));
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

/// A number from 0 to 1.
fn share(value: &str) -> Option<f32> {
    let share = match value.strip_suffix('%') {
        Some(number) => number.parse::<f32>().ok()? / 100.0,
        None => value.parse::<f32>().ok()?,
    };
    Some(share.clamp(0.0, 1.0))
}

/// A length that is not negative, or one of the sizes that have names.
fn font_size(value: &str) -> Option<Length> {
    let pixels = match value {
        "xx-small" => 9.0,
        "x-small" => 10.0,
        "small" => 13.0,
        "medium" | "initial" => FONT_SIZE,
        "large" => 18.0,
        "x-large" => 24.0,
        "xx-large" => 32.0,
        "xxx-large" => 48.0,
        "smaller" => return Some(Length::Times(0.8)),
        "larger" => return Some(Length::Times(1.2)),
        _ => {
            return length(value).filter(|size| match size {
                Length::Pixels(number) | Length::Times(number) => *number >= 0.0,
            });
        }
    };
    Some(Length::Pixels(pixels))
}

/// A number with its unit; zero needs none.
pub(crate) fn length(value: &str) -> Option<Length> {
    let digits = value.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+')).count();
    let (number, unit) = value.split_at_checked(digits)?;
    let number: f32 = number.parse().ok()?;
    let pixels = match unit {
        "px" => number,
        "pt" => number * 4.0 / 3.0,
        "pc" | "rem" => number * FONT_SIZE,
        "in" => number * 96.0,
        "cm" => number * 37.8,
        "mm" => number * 3.78,
        "vw" | "vh" | "vmin" | "vmax" => number * 8.0,
        "em" => return Some(Length::Times(number)),
        "ex" | "ch" => return Some(Length::Times(number / 2.0)),
        "%" => return Some(Length::Times(number / 100.0)),
        "" if number == 0.0 => 0.0,
        _ => return None,
    };
    Some(Length::Pixels(pixels))
}

/// Whether a length is as `is` asks; the other values that a size or a place may have are not.
fn is_length_where(value: &str, is: impl Fn(Length) -> bool) -> Option<bool> {
    let has_none = || matches!(value, "auto" | "none" | "initial" | "inherit" | "fit-content");
    length(value).map(is).or_else(|| has_none().then_some(false))
}

fn is_nothing(size: Length) -> bool {
    match size {
        Length::Pixels(pixels) => pixels < NO_SIZE,
        Length::Times(times) => times < 0.005,
    }
}

/// Whether what is so far from its place is on no screen.
fn is_far_off(distance: Length) -> bool {
    match distance {
        Length::Pixels(pixels) => pixels < -500.0,
        Length::Times(times) => times < -30.0,
    }
}

/// Whether `rect(…)` has neither width nor height.
fn is_empty_rectangle(value: &str) -> bool {
    let Some(arguments) = value.strip_prefix("rect(") else {
        return false;
    };
    let mut sides = arguments.split([',', ' ', ')']).filter(|side| !side.is_empty()).map(length);
    sides.all(|side| matches!(side, Some(Length::Pixels(pixels)) if pixels.abs() < NO_SIZE))
}

fn is_empty_path(value: &str) -> bool {
    let share = |text: &str| text.split([' ', ')']).next().and_then(length);
    match value.split_once('(') {
        Some(("inset", arguments)) => matches!(share(arguments), Some(Length::Times(times)) if times >= 0.5),
        Some(("circle" | "ellipse", arguments)) => {
            matches!(share(arguments), Some(Length::Pixels(size) | Length::Times(size)) if size < 0.01)
        }
        _ => false,
    }
}

/// Whether a transformation leaves nothing to be seen where it may be seen.
fn shrinks_to_nothing(value: &str) -> bool {
    value.split(')').any(|function| {
        let Some((name, arguments)) = function.trim().split_once('(') else {
            return false;
        };
        let mut arguments = arguments.split(',').map(str::trim);
        match name {
            "scale" | "scalex" | "scaley" | "scale3d" => {
                arguments.any(|argument| argument.parse::<f32>().is_ok_and(|factor| factor.abs() < 0.02))
            }
            "translate" | "translatex" | "translatey" | "translate3d" => {
                arguments.any(|argument| length(argument).is_some_and(is_far_off))
            }
            _ => false,
        }
    })
}

fn is_image(value: &str) -> bool {
    value.contains("url(") || value.contains("gradient(") || value.contains("image")
}

/// The colour in a `background`, which is see-through without one.
fn background(value: &str) -> Paint {
    let whole = paint(value);
    // The spaces of a function are no ends of words.
    let function = value.find("rgb").or_else(|| value.find("hsl")).and_then(|at| {
        let from = value.get(at..)?;
        paint(from.get(..=from.find(')')?)?)
    });
    let word = || value.split_ascii_whitespace().find_map(|word| paint(word).filter(|_| !word.contains('(')));
    let none = super::colours::Colour { cover: 0.0, ..super::colours::Colour::WHITE };
    whole.filter(|_| !is_image(value)).or(function).or_else(word).unwrap_or(Paint::Known(none))
}
