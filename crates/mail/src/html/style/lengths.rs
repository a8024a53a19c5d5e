//! CSS lengths (CSS Values and Units Level 4, section 6) and checks for invisible sizes.

/// A length in CSS pixels or in font sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CssLength {
    Pixels(f32),
    Times(f32),
}

/// Default font size in CSS pixels.
pub(crate) const FONT_SIZE: f32 = 16.0;
/// Minimum size in pixels of a box with visible words.
const MIN_BOX_PIXELS: f32 = 2.0;

/// Parses a non-negative length or a named font size.
pub(super) fn font_size(value: &str) -> Option<CssLength> {
    let pixels = match value {
        "xx-small" => 9.0,
        "x-small" => 10.0,
        "small" => 13.0,
        "medium" | "initial" => FONT_SIZE,
        "large" => 18.0,
        "x-large" => 24.0,
        "xx-large" => 32.0,
        "xxx-large" => 48.0,
        "smaller" => return Some(CssLength::Times(0.8)),
        "larger" => return Some(CssLength::Times(1.2)),
        _ => {
            return length(value).filter(|size| match size {
                CssLength::Pixels(number) | CssLength::Times(number) => *number >= 0.0,
            });
        }
    };
    Some(CssLength::Pixels(pixels))
}

/// Parses a number with its unit; zero needs none.
pub(super) fn length(value: &str) -> Option<CssLength> {
    let value = value.strip_prefix("calc(").and_then(|sum| sum.strip_suffix(')')).map_or(value, str::trim);
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
        "em" => return Some(CssLength::Times(number)),
        "ex" | "ch" => return Some(CssLength::Times(number / 2.0)),
        "%" => return Some(CssLength::Times(number / 100.0)),
        "" if number == 0.0 => 0.0,
        _ => return None,
    };
    Some(CssLength::Pixels(pixels))
}

/// Applies `is` to a length; other valid values of a size or position yield false.
pub(super) fn is_length_where(value: &str, is: impl Fn(CssLength) -> bool) -> Option<bool> {
    let has_none = || matches!(value, "auto" | "none" | "initial" | "inherit" | "fit-content");
    length(value).map(is).or_else(|| has_none().then_some(false))
}

pub(super) fn is_nothing(size: CssLength) -> bool {
    match size {
        CssLength::Pixels(pixels) => pixels < MIN_BOX_PIXELS,
        CssLength::Times(times) => times < 0.005,
    }
}

/// Returns true if a minimum size makes a box visible.
pub(super) fn is_visible_size(value: &str) -> bool {
    length(value).is_some_and(|size| !is_nothing(size))
}

/// Returns true if a margin alone moves an element off the screen. The margin of a positioned box often only centres
/// it.
pub(super) fn is_far_margin(margin: CssLength, has_place: bool) -> bool {
    match margin {
        CssLength::Pixels(pixels) if has_place => pixels <= -2000.0,
        margin => is_far_off(margin),
    }
}

/// Returns true if a distance moves an element off the screen.
pub(super) fn is_far_off(distance: CssLength) -> bool {
    match distance {
        CssLength::Pixels(pixels) => pixels < -500.0,
        CssLength::Times(times) => times < -30.0,
    }
}

/// Returns true if `rect(…)` has neither width nor height.
pub(super) fn is_empty_rectangle(value: &str) -> bool {
    let Some(arguments) = value.strip_prefix("rect(") else {
        return false;
    };
    let mut sides = arguments.split([',', ' ', ')']).filter(|side| !side.is_empty()).map(length);
    sides.all(|side| matches!(side, Some(CssLength::Pixels(pixels)) if pixels.abs() < MIN_BOX_PIXELS))
}

pub(super) fn is_empty_path(value: &str) -> bool {
    let share = |text: &str| text.split([' ', ')']).next().and_then(length);
    match value.split_once('(') {
        Some(("inset", arguments)) => matches!(share(arguments), Some(CssLength::Times(times)) if times >= 0.5),
        Some(("circle" | "ellipse", arguments)) => {
            matches!(share(arguments), Some(CssLength::Pixels(size) | CssLength::Times(size)) if size < 0.01)
        }
        Some(("polygon", points)) => {
            let mut sides = points.split([',', ' ', ')']).filter(|side| !side.is_empty()).map(length);
            sides.all(|side| side.is_some_and(is_nothing))
        }
        _ => false,
    }
}

/// Returns true if a factor of size makes the element invisible.
pub(super) fn is_no_scale(factor: &str) -> bool {
    let (number, whole) = factor.strip_suffix('%').map_or((factor, 1.0), |percent| (percent, 100.0));
    number.parse::<f32>().is_ok_and(|factor| factor.abs() < 0.02 * whole)
}

/// Returns true if a transformation makes the element invisible.
pub(super) fn shrinks_to_nothing(value: &str) -> bool {
    value.split(')').any(|function| {
        let Some((name, arguments)) = function.trim().split_once('(') else {
            return false;
        };
        let mut arguments = arguments.split(',').map(str::trim);
        match name {
            "scale" | "scalex" | "scaley" | "scale3d" => arguments.any(is_no_scale),
            "translate" | "translatex" | "translatey" | "translate3d" => {
                arguments.any(|argument| length(argument).is_some_and(is_far_off))
            }
            _ => false,
        }
    })
}
