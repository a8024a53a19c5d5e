//! CSS colours (CSS Color Module Level 4), as far as mail uses them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A colour: red, green and blue from 0 to 255, and an alpha channel from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CssColour {
    pub(crate) channels: [f32; 3],
    pub(crate) alpha: f32,
}

/// Value of a colour property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CssPaint {
    Known(CssColour),
    /// An image, a system colour, or an unsupported notation.
    Unknown,
    /// Inherited from the parent element.
    Inherited,
}

/// Maximum difference in each channel of two colours that look equal.
const MAX_CHANNEL_DIFFERENCE: f32 = 8.0;

impl CssColour {
    pub(crate) const BLACK: Self = Self { channels: [0.0; 3], alpha: 1.0 };
    pub(crate) const WHITE: Self = Self { channels: [255.0; 3], alpha: 1.0 };
    /// Default colour of links.
    pub(crate) const LINK: Self = Self { channels: [0.0, 0.0, 238.0], alpha: 1.0 };

    /// Blends this colour over `behind`.
    pub(crate) fn over(self, behind: Self) -> Self {
        let [red, green, blue] = self.channels;
        let [red_behind, green_behind, blue_behind] = behind.channels;
        let mix = |front: f32, back: f32| front * self.alpha + back * (1.0 - self.alpha);
        Self { channels: [mix(red, red_behind), mix(green, green_behind), mix(blue, blue_behind)], alpha: 1.0 }
    }

    pub(crate) fn is_nearly(self, other: Self) -> bool {
        self.channels.iter().zip(other.channels).all(|(one, two)| (one - two).abs() <= MAX_CHANNEL_DIFFERENCE)
    }
}

/// Parses a lower-case value of `color`; `None` for values that browsers ignore.
pub(crate) fn paint(value: &str) -> Option<CssPaint> {
    if let Some(digits) = value.strip_prefix('#') {
        return hexadecimal(digits).map(CssPaint::Known);
    }
    if let Some((function, arguments)) = value.split_once('(') {
        let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
        let known = match function {
            "rgb" | "rgba" => rgb(arguments),
            "hsl" | "hsla" => hsl(arguments),
            _ => None,
        };
        return Some(known.map_or(CssPaint::Unknown, CssPaint::Known));
    }
    match value {
        "transparent" => Some(CssPaint::Known(CssColour { alpha: 0.0, ..CssColour::BLACK })),
        "inherit" | "currentcolor" | "unset" => Some(CssPaint::Inherited),
        "initial" | "revert" | "auto" => Some(CssPaint::Unknown),
        _ if SYSTEM.contains(&value) => Some(CssPaint::Unknown),
        _ => named(value).and_then(hexadecimal).map(CssPaint::Known),
    }
}

/// Parses the value of a `bgcolor` or `color` attribute, which may lack the `#`.
pub(crate) fn attribute_paint(value: &str) -> Option<CssPaint> {
    let value = value.trim().to_ascii_lowercase();
    paint(&value).or_else(|| hexadecimal(&value).map(CssPaint::Known))
}

fn hexadecimal(digits: &str) -> Option<CssColour> {
    let mut values = [0.0_f32; 8];
    for (value, digit) in values.iter_mut().zip(digits.chars()) {
        *value = f32::from(u8::try_from(digit.to_digit(16)?).ok()?);
    }
    if matches!(digits.len(), 3 | 4) {
        let [red, green, blue, alpha, ..] = values.map(|value| value * 17.0);
        let alpha = if digits.len() == 4 { alpha / 255.0 } else { 1.0 };
        return Some(CssColour { channels: [red, green, blue], alpha });
    }
    let mut pairs = values.chunks_exact(2).map(|pair| pair.iter().fold(0.0, |value, digit| value * 16.0 + digit));
    let channels = [pairs.next()?, pairs.next()?, pairs.next()?];
    match digits.len() {
        6 => Some(CssColour { channels, alpha: 1.0 }),
        8 => Some(CssColour { channels, alpha: pairs.next()? / 255.0 }),
        _ => None,
    }
}

/// Parses function arguments separated by commas, spaces or slashes: numbers with a percentage flag.
fn numbers(arguments: &str) -> Option<([(f32, bool); 3], f32)> {
    let mut all = arguments.split([',', ' ', '/']).filter(|piece| !piece.is_empty()).map(|piece| {
        let (number, is_share) = piece.strip_suffix('%').map_or((piece, false), |number| (number, true));
        let number = number.strip_suffix("deg").unwrap_or(number);
        Some((number.parse::<f32>().ok()?, is_share))
    });
    let channels = [all.next()??, all.next()??, all.next()??];
    let alpha = match all.next() {
        Some(alpha) => alpha.map(|(alpha, is_share)| if is_share { alpha / 100.0 } else { alpha })?,
        None => 1.0,
    };
    Some((channels, alpha.clamp(0.0, 1.0)))
}

fn rgb(arguments: &str) -> Option<CssColour> {
    let (channels, alpha) = numbers(arguments)?;
    let value = |(number, is_share): (f32, bool)| if is_share { number * 2.55 } else { number }.clamp(0.0, 255.0);
    Some(CssColour { channels: channels.map(value), alpha })
}

fn hsl(arguments: &str) -> Option<CssColour> {
    let ([(hue, _), (saturation, _), (lightness, _)], alpha) = numbers(arguments)?;
    let (saturation, lightness) = ((saturation / 100.0).clamp(0.0, 1.0), (lightness / 100.0).clamp(0.0, 1.0));
    let strength = saturation * lightness.min(1.0 - lightness);
    let channel = |shift: f32| {
        let angle = (shift + hue.rem_euclid(360.0) / 30.0) % 12.0;
        (lightness - strength * (angle - 3.0).min(9.0 - angle).clamp(-1.0, 1.0)) * 255.0
    };
    Some(CssColour { channels: [channel(0.0), channel(8.0), channel(4.0)], alpha })
}

fn named(name: &str) -> Option<&'static str> {
    static NAMED: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let names = NAMES.split_ascii_whitespace().step_by(2);
        names.zip(NAMES.split_ascii_whitespace().skip(1).step_by(2)).collect()
    });
    NAMED.get(name).copied()
}

/// Names of system colours.
const SYSTEM: &[&str] = &[
    "activetext",
    "background",
    "buttonface",
    "buttontext",
    "canvas",
    "canvastext",
    "field",
    "fieldtext",
    "graytext",
    "highlight",
    "highlighttext",
    "infobackground",
    "infotext",
    "linktext",
    "mark",
    "marktext",
    "menu",
    "menutext",
    "visitedtext",
    "window",
    "windowtext",
];

/// Named colours with their hexadecimal digits (CSS Color, section 6.1).
const NAMES: &str = "\
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 \
    black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue \
    5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson \
    dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 \
    darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid \
    9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f \
    darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray \
    696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia \
    ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 \
    greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 \
    khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 \
    lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 \
    lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa \
    lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen \
    32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid \
    ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a \
    mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 \
    moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 \
    orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred \
    db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple \
    800080 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 \
    seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray \
    708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle \
    d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow \
    ffff00 yellowgreen 9acd32 rebeccapurple 663399";
