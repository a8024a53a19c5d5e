//! Styles of the elements of a message.
//!
//! A message may look as it likes. It may not hide text that agents read, lay text over other text, or reach the address
//! that a link shows. So no property places, clips, shrinks, shifts or reverses anything.

use std::borrow::Cow;

/// Properties that stay.
pub(super) const PROPERTIES: &str = "background background-color border border-bottom border-bottom-color border-bottom-style \
    border-bottom-width border-collapse border-color border-left border-left-color border-left-style border-left-width \
    border-radius border-right border-right-color border-right-style border-right-width border-spacing border-style \
    border-top border-top-color border-top-style border-top-width border-width box-sizing clear color display float \
    font-family font-size font-style font-variant font-weight height list-style list-style-type margin margin-bottom \
    margin-left margin-right margin-top max-height max-width min-height min-width overflow-wrap padding padding-bottom \
    padding-left padding-right padding-top table-layout text-align text-decoration text-transform vertical-align \
    white-space width word-break word-wrap";

/// Elements whose content does not run over a smaller height.
const SIZED: [&str; 7] = ["img", "table", "tbody", "tr", "td", "th", "hr"];
/// Functions of values. Others request something, or compute a value that could be negative.
const FUNCTIONS: [&str; 4] = ["rgba(", "rgb(", "hsla(", "hsl("];
/// Units of a font size, each with the smallest size that stays.
const FONT_UNITS: [(&str, f32); 5] = [("px", 6.0), ("pt", 5.0), ("rem", 0.4), ("em", 0.4), ("%", 40.0)];

/// Returns a style of an element without the declarations that could request, hide or move something.
pub(super) fn harmless_style<'s>(element: &str, style: &'s str) -> Cow<'s, str> {
    if style.split(';').all(|declaration| is_harmless(element, declaration)) {
        return Cow::Borrowed(style);
    }
    let kept: Vec<&str> = style.split(';').filter(|declaration| is_harmless(element, declaration)).collect();
    Cow::Owned(kept.join(";"))
}

/// Returns whether a declaration may stay, if its property is one of [`PROPERTIES`].
fn is_harmless(element: &str, declaration: &str) -> bool {
    let mut lower = declaration.to_ascii_lowercase();
    for function in FUNCTIONS {
        lower = lower.replace(function, "");
    }
    // Escapes and comments could hide a function or a sign.
    if lower.contains(['(', '{', '}', '\\', '@']) || lower.contains("/*") {
        return false;
    }
    let (property, value) = lower.split_once(':').unwrap_or((&lower, ""));
    let value = value.trim().trim_end_matches("!important").trim_end();
    match property.trim() {
        "height" | "max-height" => SIZED.contains(&element),
        "font-size" => !is_tiny(value),
        "vertical-align" => !value.contains(|c: char| c.is_ascii_digit()),
        property if property.starts_with("margin") => !value.contains('-'),
        _ => true,
    }
}

/// Returns whether a font size is too small to be read.
fn is_tiny(size: &str) -> bool {
    let number = |unit: &str| size.strip_suffix(unit)?.trim_end().parse::<f32>().ok();
    let known = FONT_UNITS.iter().find_map(|(unit, smallest)| Some(number(unit)? < *smallest));
    known.unwrap_or_else(|| size.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_that_hide_move_or_request_go() {
        for declaration in [
            "background:url(https://evil.example)",
            "background:u\\72l(https://evil.example)",
            "background:/**/url(https://evil.example)",
            "background:image-set('a' 1x)",
            "margin-left:-9999px",
            "MARGIN:0 -1px",
            "margin-top:calc(0px - 99px)",
            "margin-top:/**/-99px",
            "margin-top:-.5em",
            "height:0",
            "max-height:0px !important",
            "vertical-align:-99px",
            "font-size:0",
            "font-size:1px!important",
            "font-size:.01em",
            "font-size:0.5%",
            "font-size:1e-9cm",
            "color{;margin-left:0}",
        ] {
            let style = format!("color:red;{declaration};width:9px");
            assert_eq!(harmless_style("div", &style), "color:red;width:9px", "{declaration}");
        }
    }

    #[test]
    fn declarations_of_ordinary_mail_stay() {
        for (element, style) in [
            ("p", "margin:0 auto;color:rgb(1, 2, 3);background:rgba(0,0,0,.5)"),
            ("td", "height:20px;vertical-align:top;font-size:12px"),
            ("img", "height:10px;max-height:99px"),
            ("span", "font-size:small;font-family:\"A-B\",serif;border-radius:4px"),
            ("span", "font-size:1.2em;font-size:90%;font-size:11pt;font-size:1rem"),
            ("p", ""),
        ] {
            assert_eq!(harmless_style(element, style), style, "{style}");
        }
    }
}
