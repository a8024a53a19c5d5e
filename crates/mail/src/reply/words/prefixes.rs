//! Subject prefixes of replies and forwards, in lower case.

/// Forms of `Re` in all languages.
#[rustfmt::skip]
pub(crate) const REPLIES: &[&str] = &[
    "re", "aw", "antw", "antwort", "rép", "ré", "réf", "sv", "vs", "odp", "r", "rif", "res", "resp", "rsp", "ynt",
    "yan", "vá", "vál", "απ", "σχετ", "ответ", "отв", "відп", "atb", "bls", "bales", "reply", "回复", "回覆", "答复",
    "答覆", "回信", "返信", "답장", "회신", "رد", "השב", "תגובה", "trả lời", "răsp", "ats",
];

/// Forms of `Fwd` in all languages.
pub(crate) const FORWARDS: &[&str] = &[
    "fwd",
    "fw",
    "forward",
    "forwarded",
    "wg",             // German: weitergeleitet
    "wtrlt",          // German, GroupWise
    "tr",             // French: transfert
    "rv",             // Spanish: reenvío
    "rv.",            // Spanish
    "reenv",          // Spanish
    "enc",            // Portuguese: encaminhada
    "inoltro",        // Italian
    "inoltra",        // Italian
    "weitergeleitet", // German
    "encaminhado",    // Portuguese
    "reenviado",      // Spanish
    "transfert",      // French
    "doorst",         // Dutch: doorgestuurd
    "doorgest",       // Dutch
    "pd",             // Polish: podaj dalej
    "vb",             // Swedish: vidarebefordrat
    "vbf",            // Swedish
    "vl",             // Finnish: välitetty
    "vdr",            // Norwegian: videresendt
    "přepos",         // Czech: přeposlaná
    "přesl",          // Czech
    "předáno",        // Czech
    "пересл",         // Russian: пересланное
    "转发",           // Chinese
    "轉寄",           // Chinese
    "轉發",           // Chinese
    "转寄",           // Chinese
    "转",             // Chinese
    "転送",           // Japanese
    "전달",           // Korean
    "ilt",            // Turkish: iletilen
    "i̇lt",            // Turkish: lower case of `İLT`
    "tov",            // Hungarian: továbbított
    "továbbítás",     // Hungarian
    "redirecționare", // Romanian
    "πρθ",            // Greek: προώθηση
    "إعادة توجيه",    // Arabic
    "הועבר",          // Hebrew
    "chuyển tiếp",    // Vietnamese
    "trs",            // Indonesian: terusan
    "fs",             // Icelandic: framsent
];
/// Prefixes of gateways.
pub(crate) const TAGS: &[&str] = &["ext", "extern", "externe", "external", "spam"];

/// Words above a parent message in Finnish and Estonian programs.
pub(crate) const FINNISH: &[&str] =
    &["Lähettäjä", "Lähetetty", "Vastaanottaja", "kirjoitti", "Aihe:", "Saatja:", "kirjutas"];
