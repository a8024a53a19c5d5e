//! Charsets with correct, wrong and missing names.

use encoding_rs::Encoding;
use inboxd_mail::parse;

/// Returns the text of a message with one part of this charset and these bytes.
fn text(charset: &str, body: &[u8]) -> String {
    let field = if charset.is_empty() { String::new() } else { format!("; charset={charset}") };
    parse(&[format!("Content-Type: text/plain{field}\r\n\r\n").as_bytes(), body].concat()).text.unwrap()
}

#[test]
fn every_common_charset_name_is_known() {
    let tables: [(&[u8], &str, &str); 29] = [
        (
            b"\xc4\xe3\xba\xc3",
            "你好",
            "gb2312, GBK, gb18030, x-gbk, gb_2312-80, csgb2312, cp936, ms936, windows-936, euc-cn, chinese",
        ),
        (b"~{Dc:C~} ok", "你好 ok", "hz-gb-2312, HZ"),
        (b"\xa7A\xa6n", "你好", "big5, cn-big5, x-x-big5, big5-hkscs, cp950, ms950, csBig5"),
        (
            b"\xb0\xa1\x81\x41",
            "가갂",
            "euc-kr, ks_c_5601-1987, ks_c_5601, ksc5601, cp949, windows-949, x-windows-949, uhc, korean, euckr",
        ),
        (
            b"\x82\xa0\x87\x40",
            "あ①",
            "shift_jis, Shift-JIS, shiftjis, cp932, x-sjis, sjis, ms_kanji, windows-31j, csWindows31J, ms932",
        ),
        (
            b"\x1b$B$\"\x1b(B.",
            "あ.",
            "iso-2022-jp, ISO-2022-JP-1, iso-2022-jp-2, iso-2022-jp-ms, csISO2022JP, cp50220, cp50221, iso2022-jp",
        ),
        (b"\x1b$)C\x0e0!\x0f.", "가.", "iso-2022-kr, csiso2022kr, cp50225"),
        (b"\x1b$)A\x0eDc:C\x0f.", "你好.", "iso-2022-cn"),
        (b"\xa4\xa2\x8e\xb1", "あｱ", "euc-jp, x-euc-jp, eucjp, ujis, eucjp-ms, cp51932"),
        (b"\xd0\xd2\xc9", "при", "koi8-r, KOI8R, koi8, cskoi8r, cp20866"),
        (b"\xa6\xa7", "ії", "koi8-u, koi8-ru, koi8u"),
        (
            b"\xef\xf0\xe8",
            "при",
            "windows-1251, cp1251, cp-1251, x-cp1251, win-1251, win1251, 1251, \"windows-1251\", 'windows-1251', windows1251",
        ),
        (b"\x9c\xb9", "śą", "windows-1250, cp1250, x-cp1250"),
        (b"\xb1\xb6", "ąś", "iso-8859-2, ISO8859-2, iso8859_2, iso_8859-2:1987, latin2, Latin-2, 28592"),
        (
            b"caf\xe9 \x80\x93",
            "café €“",
            "iso-8859-1, ISO8859-1, iso8859_1, latin1, Latin-1, windows-1252, cp-1252, ISO-8859-1-Windows-3.0-Latin-1, windows1252, cp819, ansi, iso-8859-1:1987",
        ),
        (b"\xa4", "€", "iso-8859-15, iso8859-15, iso_8859-15:1998, latin9, latin-9, l9"),
        (b"\xe1\xe2", "αβ", "iso-8859-7, greek, windows-1253, cp1253"),
        (b"\xfd\xfe\xf0", "ışğ", "iso-8859-9, latin5, windows-1254"),
        (b"\xf9\xec\xe5\xed", "שלום", "iso-8859-8, iso-8859-8-i, iso-8859-8-e, windows-1255, hebrew"),
        (b"\xc7\xdd", "اف", "windows-1256, cp1256"),
        (b"\xc7\xe1", "اف", "iso-8859-6, arabic"),
        (b"\xbf\xe0\xd8", "При", "iso-8859-5, cyrillic"),
        (b"\xc0\xca\xa1", "ภสก", "tis-620, windows-874, iso-8859-11, cp874, tis620"),
        (b"\x8f\xe0\xa8", "При", "cp866, ibm866, 866, x-cp866"),
        (b"\x81\x84\xe1", "üäß", "cp850, ibm850, 850, cp437, ibm437, cp858"),
        (b"\x88\xbe", "łż", "cp852, ibm852"),
        (b"\x8e\x8a", "éä", "macintosh, x-mac-roman, mac, macroman"),
        (b"Gr+APwA3w-e +- 1", "Grüße + 1", "utf-7, unicode-1-1-utf-7, csUnicode11UTF7, UTF7, x-unicode-2-0-utf-7"),
        (
            "Grüße €".as_bytes(),
            "Grüße €",
            "utf-8, utf8, \"UTF 8\", UTF_8, utf8mb4, cp65001, x-utf-8, unicode-1-1-utf-8, utf-8n",
        ),
    ];
    for (body, expected, names) in tables {
        for name in names.split(", ") {
            assert_eq!(text(name, body), expected, "{name}");
        }
    }
}

/// Encodes a text in Russian, Chinese, Korean, Japanese or French with the named charset.
fn encoded(charset: &str, text: &str) -> Vec<u8> {
    let (bytes, _, lost) = Encoding::for_label(charset.as_bytes()).unwrap().encode(text);
    assert!(!lost, "{text:?} in {charset}");
    bytes.into_owned()
}

const RUSSIAN: &str = "Здравствуйте, Анна! Договор мы получили, спасибо. Встречаемся в понедельник.";
const CHINESE: &str = "您好,合同我们已经收到,谢谢。星期一见面可以吗?";
const TAIWANESE: &str = "您好,合約我們已經收到了,謝謝。星期一見面可以嗎?";
const KOREAN: &str = "안녕하세요, 계약서를 잘 받았습니다. 월요일에 뵙겠습니다.";
const JAPANESE: &str = "こんにちは。契約書を受け取りました。月曜日にお会いしましょう。";
const FRENCH: &str = "Bonjour, j’ai bien reçu le contrat, très bientôt déjà à l’hôtel.";
const GREEK: &str = "Καλημέρα, λάβαμε το συμβόλαιο, ευχαριστούμε πολύ.";
const POLISH: &str = "Dzień dobry, umowę już otrzymaliśmy, dziękuję bardzo. Do zobaczenia w środę.";
const HEBREW: &str = "שלום, קיבלנו את החוזה, תודה רבה. נתראה ביום שני.";
const THAI: &str = "สวัสดีครับ เราได้รับสัญญาแล้ว ขอบคุณมาก พบกันวันจันทร์";

const LANGUAGES: [(&str, &str); 13] = [
    ("windows-1251", RUSSIAN),
    ("koi8-r", RUSSIAN),
    ("gb18030", CHINESE),
    ("big5", TAIWANESE),
    ("euc-kr", KOREAN),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("iso-2022-jp", JAPANESE),
    ("windows-1252", FRENCH),
    ("windows-1253", GREEK),
    ("windows-1250", POLISH),
    ("windows-1255", HEBREW),
    ("windows-874", THAI),
];

#[test]
fn wrong_or_missing_charset_is_detected() {
    for (charset, words) in LANGUAGES {
        for named in ["", "utf-8", "us-ascii", "unknown-8bit", "default", "x-user-defined", "no-such"] {
            assert_eq!(text(named, &encoded(charset, words)), words, "{charset} named {named:?}");
        }
    }
}

#[test]
fn utf8_is_decoded_despite_other_name() {
    for (charset, words) in LANGUAGES {
        for named in ["", "us-ascii", "iso-8859-1", "unknown-8bit", "utf-16", "unicode", charset] {
            assert_eq!(text(named, words.as_bytes()), words, "{named}");
        }
    }
}

#[test]
fn short_text_valid_in_named_charset_is_not_taken_for_utf8() {
    for (charset, words) in [
        ("gb2312", "模时全之"),
        ("gb18030", "模时全之"),
        ("euc-kr", "칭창칼천"),
        ("big5", "囧坁奡徆"),
        ("windows-1251", "Ж°"),
    ] {
        let bytes = encoded(charset, words);
        assert!(std::str::from_utf8(&bytes).is_ok(), "{charset}: {words}");
        assert_eq!(text(charset, &bytes), words, "{charset}");
    }
    let mail = parse(b"Subject: =?gb2312?B?xKPKscir1q4=?=\r\n\r\nx");
    assert_eq!(mail.subject.as_deref(), Some("模时全之"));
    for (named, words) in [
        // Four characters suffice for single-byte charsets, or if the pairs are invalid in the charset.
        ("windows-1251", "Приём"),
        ("koi8-r", "Приём"),
        ("euc-jp", "Приём"),
        ("gb2312", "Здравствуйте"),
        ("gb2312", "您好"),
    ] {
        assert_eq!(text(named, words.as_bytes()), words, "{named}");
    }
}

#[test]
fn part_header_charset_precedes_html_charset_unless_invalid() {
    let html = |charset: &str, body: &[u8]| {
        let field = format!("Content-Type: text/html{charset}\r\n\r\n<meta charset=windows-1251>");
        parse(&[field.as_bytes(), body].concat()).text.unwrap()
    };
    assert_eq!(html("; charset=koi8-r", b"\xc1"), "а");
    assert_eq!(html("", b"\xe0\xe1"), "аб");
    assert_eq!(html("; charset=utf-8", b"\xe0\xe1"), "аб");
    assert_eq!(html("; charset=utf-8", "аб".as_bytes()), "аб");
    assert_eq!(html("; charset=x-unknown", b"\xe0\xe1"), "аб");
}

#[test]
fn byte_order_mark_precedes_charset_name() {
    for (named, body, expected) in [
        ("utf-8", &b"\xff\xfeh\0i\0"[..], "hi"),
        ("", b"\xfe\xff\0h\0i", "hi"),
        ("iso-8859-1", b"\xef\xbb\xbfcaf\xc3\xa9", "café"),
        ("utf-16", b"\xfe\xff\0h\0i", "hi"),
        ("utf-16le", b"\xff\xfeh\0i\0", "hi"),
        ("utf-16", b"\0h\0i", "hi"),
        ("utf-16", b"h\0i\0", "hi"),
        ("utf-16be", b"\0h\0i", "hi"),
        ("utf-32", b"\0\0\0h\0\0\0i", "hi"),
        ("utf-32", b"\xff\xfe\0\0h\0\0\0\x01\xf6\x01\0", "h😁"),
        ("utf-32le", b"h\0\0\0i\0\0\0", "hi"),
        ("windows-1251", b"\xef\xbb\xbf\xd0\xbf\xd1\x80\xd0\xb8", "при"),
    ] {
        assert_eq!(text(named, body), expected, "{named} {body:x?}");
    }
}

#[test]
fn invalid_bytes_damage_only_themselves() {
    for (named, body, expected) in [
        ("utf-8", &b"caf\xc3\xa9 \xe2\x82 na\xc3\xafve"[..], "café \u{fffd} naïve"),
        ("gb18030", b"\xc4\xe3\xba\xc3\xc4\xe3\xba\xc3\xc4\xe3 \xff\xc4\xe3\xba\xc3", "你好你好你 \u{fffd}你好"),
        ("iso-2022-jp", b"\x1b$B$\"\nline", "あ\nline"),
        ("iso-2022-jp", b"\x1b(I1\x1b(B \xb1\xb2", "ｱ ｱｲ"),
        ("iso-2022-jp", b"\x1b$(D0!\x1b$B$\"\x1b(J~\\", "丂あ~\\"),
        ("iso-2022-jp", b"a\x1bZb", "a\u{1b}Zb"),
        ("hz-gb-2312", b"~~ ~{Dc\nnext ~{:C~}", "~ 你\nnext 好"),
        ("utf-7", b"a+2D3eAQ-b+AOk", "a😁bé"),
        ("utf-7", b"caf\xe9 +", "café +"),
        ("cp437", b"\x9b", "¢"),
        ("", b"\x1b$B$3$s\x1b(B!", "こん!"),
        ("shift_jis", b"\x1b$B$3$s\x1b(B!", "こん!"),
        ("utf-8", "log: \u{1b}[0m \u{1b}$B é".as_bytes(), "log: \u{1b}[0m \u{1b}$B é"),
    ] {
        assert_eq!(text(named, body), expected, "{named} {body:x?}");
    }
}

#[test]
fn header_bytes_use_charset_of_text() {
    for (charset, words) in LANGUAGES {
        let encoded = encoded(charset, words);
        let raw = [
            b"From: ",
            &encoded[..],
            b" <a@example.org>\r\nSubject: ",
            &encoded,
            b"\r\nContent-Type: multipart/mixed; boundary=bb\r\n\r\n--bb\r\nContent-Type: text/plain; charset=",
            charset.as_bytes(),
            b"\r\n\r\n",
            &encoded,
            b"\r\n--bb\r\nContent-Type: application/pdf; name=\"",
            &encoded,
            b"\"\r\n\r\nx\r\n--bb--",
        ];
        let mail = parse(&raw.concat());
        assert_eq!(mail.subject.as_deref(), Some(words), "{charset}");
        assert_eq!(mail.text.as_deref(), Some(words), "{charset}");
        let name = words.trim_end_matches('.').replace('?', "-");
        assert_eq!(mail.attachments[0].filename.as_deref(), Some(name.as_str()), "{charset}");
        // Only the ASCII comma separates addresses, not those of these languages.
        let name = words.rsplit(',').next().unwrap().trim();
        assert_eq!(mail.from.last().unwrap().name.as_deref(), Some(name), "{charset}");
    }
}

#[test]
fn one_word_subject_uses_charset_of_text() {
    for (charset, word) in [("windows-1251", "Да"), ("gb18030", "好"), ("euc-kr", "네"), ("iso-8859-2", "ąę")] {
        let field = format!("\r\nContent-Type: text/plain; charset={charset}\r\n\r\nx");
        let raw = [b"Subject: ", &encoded(charset, word)[..], field.as_bytes()].concat();
        assert_eq!(parse(&raw).subject.as_deref(), Some(word), "{charset}");
    }
}

#[test]
fn message_without_charset_name_uses_single_charset() {
    for (charset, subject, words) in [
        ("gb18030", "发票", CHINESE),
        ("euc-jp", "請求書", JAPANESE),
        ("windows-1251", "Да", RUSSIAN),
        ("windows-1250", "Děkuji", POLISH),
        ("windows-874", "สวัสดี", THAI),
    ] {
        let raw = [b"Subject: ", &encoded(charset, subject)[..], b"\r\n\r\n", &encoded(charset, words)];
        let mail = parse(&raw.concat());
        assert_eq!(mail.subject.as_deref(), Some(subject), "{charset}");
        assert_eq!(mail.text.as_deref(), Some(words), "{charset}");
    }
}

#[test]
fn few_western_bytes_suffice_for_detection() {
    for words in [
        "é",
        "£10",
        "€5",
        "25 µm",
        "¡Hola!",
        "½",
        "Zoë",
        "“quoted”",
        "don’t",
        "Señor",
        "São Paulo",
        "Ærø",
        "Tschüß",
        "L’été",
        "¿Qué tal?",
        "Français – réponse",
        "© 2026",
        "Île de Ré",
        "Jürgen Groß",
        "Crème brûlée",
    ] {
        let mail = parse(&[b"Subject: ", &encoded("windows-1252", words)[..], b"\r\n\r\nx"].concat());
        assert_eq!(mail.subject.as_deref(), Some(words));
    }
}
