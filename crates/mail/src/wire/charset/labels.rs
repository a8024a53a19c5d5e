//! Names of charsets, as senders write them.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874,
    WINDOWS_1252, X_MAC_CYRILLIC,
};

use super::dos;

/// A way to read octets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Charset {
    /// One of the WHATWG Encoding Standard: those of ISO 8859-1 and of GB 2312 and GBK are read as the larger sets
    /// around them, as every browser and mail program does.
    Standard(&'static Encoding),
    /// The family of ISO 2022 (RFC 1468, RFC 1554, RFC 1557, RFC 1922).
    Escaped,
    /// HZ (RFC 1843).
    Hz,
    /// UTF-7 (RFC 2152).
    Utf7,
    /// UTF-16, whose octet order the text shows.
    Utf16,
    /// UTF-32, likewise.
    Utf32,
    /// A code page of DOS, by the upper half of its characters.
    Dos(&'static str),
}

/// The charset of that name. `None` for names that nobody knows and for those that say nothing: ASCII among them, since
/// a text with other octets is not what it says.
pub(super) fn find(name: &str) -> Option<Charset> {
    // A year may follow: `iso_8859-15:1998`.
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let bare = bare.strip_prefix("cs").or_else(|| bare.strip_prefix('x')).unwrap_or(&bare);
    let special = match bare {
        "usascii" | "ascii" | "ansix341968" | "iso646us" | "userdefined" | "replacement" => return None,
        _ if bare.starts_with("iso2022") => Some(Charset::Escaped),
        "hzgb2312" | "hz" => Some(Charset::Hz),
        _ if bare.ends_with("utf7") => Some(Charset::Utf7),
        "utf16" | "unicode" | "ucs2" | "iso10646ucs2" => Some(Charset::Utf16),
        _ if bare.starts_with("utf32") || bare.ends_with("ucs4") => Some(Charset::Utf32),
        _ if bare.starts_with("utf8") || bare.ends_with("utf8") => Some(Charset::Standard(UTF_8)),
        _ => code_page(bare),
    };
    let standard = || Encoding::for_label(name.as_bytes()).or_else(|| Encoding::for_label(spelled(bare).as_bytes()));
    special.or_else(|| standard().map(Charset::Standard))
}

/// The name as the standard has it, of one without its signs.
fn spelled(bare: &str) -> String {
    match bare.find("8859") {
        Some(at) => {
            let part: String = bare.chars().skip(at + 4).take_while(char::is_ascii_digit).collect();
            let digits = if part.starts_with('1') { 2 } else { 1 };
            format!("iso-8859-{}", part.get(..digits).unwrap_or(&part))
        }
        None => match bare {
            "shiftjis" | "mskanji" | "windows31j" | "sjiswin" | "sjisopen" | "shiftjisms" => "shift_jis".to_owned(),
            "eucjp" | "eucjpms" | "eucjpwin" | "ujis" => "euc-jp".to_owned(),
            "euccn" | "gb" => "gb18030".to_owned(),
            "euctw" | "big5hkscs2004" => "big5".to_owned(),
            "euckr" | "uhc" => "euc-kr".to_owned(),
            "latin7" => "iso-8859-13".to_owned(),
            "latin8" => "iso-8859-14".to_owned(),
            "latin9" => "iso-8859-15".to_owned(),
            "latin10" => "iso-8859-16".to_owned(),
            "koi8" | "koi8r" => "koi8-r".to_owned(),
            "koi8ru" | "koi8u" => "koi8-u".to_owned(),
            "tis620" => "tis-620".to_owned(),
            "macroman" => "macintosh".to_owned(),
            "maccyrillic" | "macukraine" => "x-mac-cyrillic".to_owned(),
            _ if bare.starts_with("ksc5601") => "euc-kr".to_owned(),
            _ => bare.to_owned(),
        },
    }
}

/// The charset of a number of Windows or IBM: `cp1251`, `windows-1251`, `ms950`, `ibm850`, `850`.
fn code_page(bare: &str) -> Option<Charset> {
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let prefix = bare.strip_suffix(digits)?;
    if !matches!(prefix, "" | "cp" | "windows" | "win" | "ms" | "ibm" | "codepage" | "dos" | "pc" | "oem") {
        return None;
    }
    let number: u16 = digits.parse().ok()?;
    let encoding = match number {
        437 => return Some(Charset::Dos(dos::CP437)),
        850 | 858 => return Some(Charset::Dos(dos::CP850)),
        852 => return Some(Charset::Dos(dos::CP852)),
        1200 | 1201 => return Some(Charset::Utf16),
        12000 | 12001 => return Some(Charset::Utf32),
        50220..=50229 => return Some(Charset::Escaped),
        52936 => return Some(Charset::Hz),
        65000 => return Some(Charset::Utf7),
        65001 => UTF_8,
        819 => WINDOWS_1252,
        866 => IBM866,
        874 => WINDOWS_874,
        932 | 943 => SHIFT_JIS,
        936 | 1386 | 51936 | 54936 => GB18030,
        949 | 970 | 51949 => EUC_KR,
        950 | 951 => BIG5,
        10000 => MACINTOSH,
        10007 => X_MAC_CYRILLIC,
        20866 => KOI8_R,
        20932 | 51932 => EUC_JP,
        21866 => KOI8_U,
        1250..=1258 => Encoding::for_label(format!("windows-{number}").as_bytes())?,
        28591..=28606 => Encoding::for_label(format!("iso-8859-{}", number - 28590).as_bytes())?,
        _ => return None,
    };
    Some(Charset::Standard(encoding))
}
