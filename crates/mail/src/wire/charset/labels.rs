//! Charset names, including the variants that senders write.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874,
    WINDOWS_1252, X_MAC_CYRILLIC,
};

use super::dos;

/// A decoder for bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MailCharset {
    /// An encoding of the WHATWG Encoding Standard. ISO 8859-1, GB 2312 and GBK use their larger supersets, as in
    /// browsers and mail programs.
    Standard(&'static Encoding),
    /// ISO 2022 family (RFC 1468, RFC 1554, RFC 1557, RFC 1922).
    Escaped,
    /// HZ (RFC 1843).
    Hz,
    /// UTF-7 (RFC 2152).
    Utf7,
    /// UTF-16 with byte order detected from the text.
    Utf16,
    /// UTF-32 with byte order detected from the text.
    Utf32,
    /// DOS code page with the characters of its upper half.
    Dos(&'static str),
}

/// Returns the charset of a name; `None` for unknown and meaningless names.
///
/// ASCII is among the meaningless ones, since text with other bytes contradicts it.
pub(super) fn find(name: &str) -> Option<MailCharset> {
    // A year may follow: `iso_8859-15:1998`.
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let bare = bare.strip_prefix("cs").or_else(|| bare.strip_prefix('x')).unwrap_or(&bare);
    let special = match bare {
        "usascii" | "ascii" | "ansix341968" | "iso646us" | "userdefined" | "replacement" => return None,
        _ if bare.starts_with("iso2022") => Some(MailCharset::Escaped),
        "hzgb2312" | "hz" => Some(MailCharset::Hz),
        _ if bare.ends_with("utf7") => Some(MailCharset::Utf7),
        "utf16" | "unicode" | "ucs2" | "iso10646ucs2" => Some(MailCharset::Utf16),
        _ if bare.starts_with("utf32") || bare.ends_with("ucs4") => Some(MailCharset::Utf32),
        _ if bare.starts_with("utf8") || bare.ends_with("utf8") => Some(MailCharset::Standard(UTF_8)),
        _ => code_page(bare),
    };
    let standard = |name: &str| Encoding::for_label(name.as_bytes()).map(MailCharset::Standard);
    special.or_else(|| standard(&name)).or_else(|| iso_8859(bare)).or_else(|| standard(spelled(bare)))
}

/// Returns a part of ISO 8859 by its number, with any text around it: `iso8859-15`, `8859_1`.
fn iso_8859(bare: &str) -> Option<MailCharset> {
    let (_, number) = bare.split_once("8859")?;
    let digits = if matches!(number.as_bytes(), [b'1', b'0'..=b'6', ..]) { 2 } else { 1 };
    Encoding::for_label(format!("iso-8859-{}", number.get(..digits)?).as_bytes()).map(MailCharset::Standard)
}

/// Returns the standard spelling of a name without punctuation.
fn spelled(bare: &str) -> &str {
    match bare {
        "shiftjis" | "mskanji" | "windows31j" | "sjiswin" | "sjisopen" | "shiftjisms" => "shift_jis",
        "eucjp" | "eucjpms" | "eucjpwin" | "ujis" => "euc-jp",
        "euccn" | "gb" => "gb18030",
        "big5hkscs2004" => "big5",
        "euckr" | "uhc" => "euc-kr",
        "utf16le" => "utf-16le",
        "utf16be" => "utf-16be",
        "latin7" => "iso-8859-13",
        "latin8" => "iso-8859-14",
        "latin9" => "iso-8859-15",
        "latin10" => "iso-8859-16",
        "koi8" | "koi8r" => "koi8-r",
        "koi8ru" | "koi8u" => "koi8-u",
        "tis620" => "tis-620",
        "macroman" => "macintosh",
        "maccyrillic" | "macukraine" => "x-mac-cyrillic",
        _ if bare.starts_with("ksc5601") => "euc-kr",
        _ => bare,
    }
}

/// Returns the charset of a Windows or IBM code page number: `cp1251`, `windows-1251`, `ms950`, `ibm850`, `850`.
fn code_page(bare: &str) -> Option<MailCharset> {
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let prefix = bare.strip_suffix(digits)?;
    if !matches!(prefix, "" | "cp" | "windows" | "win" | "ms" | "ibm" | "codepage" | "dos" | "pc" | "oem") {
        return None;
    }
    let number: u16 = digits.parse().ok()?;
    let encoding = match number {
        437 => return Some(MailCharset::Dos(dos::CP437)),
        850 | 858 => return Some(MailCharset::Dos(dos::CP850)),
        852 => return Some(MailCharset::Dos(dos::CP852)),
        1200 | 1201 => return Some(MailCharset::Utf16),
        12000 | 12001 => return Some(MailCharset::Utf32),
        50220..=50229 => return Some(MailCharset::Escaped),
        52936 => return Some(MailCharset::Hz),
        65000 => return Some(MailCharset::Utf7),
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
    Some(MailCharset::Standard(encoding))
}
