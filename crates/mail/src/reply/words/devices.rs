//! Lines that programs add about themselves, such as `Sent from my iPhone`.

/// Starts of such a line.
#[rustfmt::skip]
pub(crate) const STARTS: &[&str] = &[
    // English
    "securely sent with", "sent from", "sent via", "sent with", "sent using", "sent through", "get outlook for", "get bluemail for",
    "get typeapp for", "download outlook", "composed with",
    // German
    "gesendet von", "gesendet mit", "gesendet über", "gesendet via", "gesendet aus", "gesendet per",
    "versendet mit", "holen sie sich outlook", "laden sie outlook",
    // French
    "envoyé de", "envoyé depuis", "envoyé à partir", "envoyé avec", "envoyé via", "envoyé par outlook",
    "obtenir outlook", "obtenez outlook", "télécharger outlook", "téléchargez outlook",
    // Spanish
    "enviado desde", "enviado con", "enviado mediante", "enviado vía", "enviado via", "enviado a través",
    "obtener outlook", "obtén outlook", "descargar outlook",
    // Italian
    "inviato da", "inviato con", "inviato tramite", "inviato via", "inviata da", "ottieni outlook",
    "scarica outlook",
    // Portuguese
    "enviado do", "enviado da", "enviado de", "enviado pelo", "enviado a partir", "enviado com",
    "enviado através", "obter o outlook", "obter outlook", "obtenha o outlook", "baixar o outlook",
    "baixe o outlook", "descarregar o outlook", "transferir o outlook",
    // Dutch
    "verzonden vanaf", "verzonden vanuit", "verzonden met", "verzonden via", "verstuurd vanaf",
    "verstuurd vanuit", "verstuurd met", "verstuurd via", "haal outlook",
    // Polish
    "wysłane z", "wysłano z", "wysłane za pomocą", "wysłano za pomocą", "wysłane przez", "wysłano przez",
    "pobierz outlook", "pobierz aplikację outlook", "pobierz program outlook", "uzyskaj outlook",
    "uzyskaj aplikację outlook",
    // Swedish, Danish, Norwegian
    "skickat från", "skickades från", "skickat med", "skickat via", "hämta outlook", "skaffa outlook",
    "ladda ned outlook", "ladda ner outlook", "sendt fra", "sendt med", "sendt via", "hent outlook",
    "få outlook", "skaff deg outlook", "last ned outlook",
    // Finnish
    "lähetetty", "hanki outlook", "lataa outlook",
    // Czech, Slovak
    "odesláno z", "odesláno pomocí", "odesláno přes", "posláno z", "získat outlook", "získejte outlook",
    "stáhnout outlook", "odoslané z",
    // Russian, Ukrainian
    "отправлено с", "отправлено из", "отправлено через", "отправлено при помощи", "отправлено от", "послано с",
    "получить outlook", "получите outlook", "скачать outlook", "загрузить outlook", "надіслано з",
    "надіслано через", "відправлено з", "отримати outlook",
    // Japanese, Chinese
    "发自", "發自", "来自我的", "來自我的", "从我的", "從我的", "寄自", "傳送自", "发送自", "發送自", "获取 outlook", "取得 outlook", "下载适用于",
    "获取适用于", "下載適用於", "取得適用於", "取得 ios 版", "取得 android 版",
    // Turkish, Hungarian, Romanian, Greek, Arabic, Hebrew, Vietnamese, Indonesian, Catalan
    "elküldve", "trimis de", "trimis din", "trimis cu", "στάλθηκε από", "εστάλη από", "أرسلت من", "أُرسلت من",
    "مرسل من", "تم الإرسال من", "נשלח מ", "נשלחה מ", "đã gửi từ", "gửi từ", "được gửi từ", "dikirim dari",
    "terkirim dari", "enviat des",
];

/// Starts and ends of such a line, in languages with the verb at the end.
pub(crate) const FRAMES: &[(&str, &str)] = &[
    ("von mein", "gesendet"),
    ("von samsung", "gesendet"),
    ("von mein", "verschickt"),
    ("von mein", "verfasst"),
    ("von mein", "geschickt"),
    ("diese nachricht wurde", "gesendet"),
    ("diese e-mail wurde", "gesendet"),
    ("diese mail wurde", "gesendet"),
    ("outlook für", "beziehen"),
    ("outlook für", "herunterladen"),
    ("outlook voor", "downloaden"),
    ("outlook voor", "ophalen"),
    ("", "から送信"),
    ("", "から送信されました"),
    ("", "で送信されました"),
    ("", "より送信"),
    ("", "outlook を入手"),
    ("", "outlookを入手"),
    ("outlook for", "を入手"),
    ("outlook for", "다운로드"),
    ("", "용 outlook 다운로드"),
    ("", "용 outlook을 다운로드"),
    ("", "에서 보냄"),
    ("", "에서 보냈습니다"),
    ("", "에서 보낸 메일"),
    ("", "에서 보낸 메일입니다"),
    ("", "에서 전송"),
    ("", "에서 전송됨"),
    ("", "에서 전송되었습니다"),
    ("", "에서 발송"),
    ("", "에서 발송되었습니다"),
    ("", "dan gönderildi"),
    ("", "den gönderildi"),
    ("", "tan gönderildi"),
    ("", "ten gönderildi"),
    ("", "ile gönderildi"),
    ("", "için outlook'u edinin"),
    ("", "mról küldve"),
    ("", "ról küldve"),
    ("", "ről küldve"),
    ("由", "发送"),
    ("由", "傳送"),
    ("使用", "发送"),
    ("使用", "傳送"),
    ("通过", "发送"),
    ("透過", "傳送"),
    ("从", "发送"),
    ("從", "傳送"),
    ("從", "寄出"),
];

/// Stems of device and program names in such a line; many languages inflect them.
#[rustfmt::skip]
pub(crate) const NAMES: &[&str] = &[
    "iphon", "ipad", "ipod", "apple watch", "macbook", "ios", "android", "samsung", "galaxy", "huawei",
    "xiaomi", "redmi", "oneplus", "pixel", "blackberry", "nokia", "motorola", "xperia", "oppo", "realme",
    "fairphone", "windows", "outlook", "yahoo", "proton", "tutanota", "tuta", "gmail", "k-9", "thunderbird",
    "spark", "superhuman", "missive", "polymail", "canary", "edison", "aqua mail", "aquamail", "bluemail", "typeapp",
    "zoho", "gmx", "web.de", "posteo", "yandex", "mail.ru", "mailspring", "fastmail", "яндекс", "мобильн", "почт",
    "телефон", "смартфон", "phone", "smartphone", "mobiltelefon", "mobiltelephone", "handy", "téléphone", "teléfono",
    "telefon", "cellulare", "telefonino", "telemóvel", "telefoon", "puhelim", "matkapuhelim", "älypuhelim",
    "携帯", "スマホ", "スマートフォン", "手机", "手機", "邮箱", "邮件", "郵件", "微信", "스마트폰", "휴대폰", "네이버", "갤럭시", "아이폰",
    "메일", "هاتف", "điện thoại", "ponsel", "τηλέφων", "κινητό",
];

/// Maximum length in bytes of a suffix after a device name; a longer rest belongs to another word.
pub(crate) const MAX_NAME_SUFFIX_BYTES: usize = 8;

/// Ambiguous objects, which count as devices with an owner or as the last word.
pub(crate) const THINGS: &[&str] =
    &["mail", "mobile", "mobil", "mobiel", "portable", "tablet", "tablette", "móvil", "celular", "device", "gerät"];

/// Words for possession.
#[rustfmt::skip]
pub(crate) const OWN: &[&str] = &[
    "my", "mein", "meinem", "mon", "ma", "mi", "meu", "minha", "mio", "mia", "mijn", "moim", "mojego", "min", "mitt", "app", "application",
];

/// Starts of the lines that virus scanners add.
#[rustfmt::skip]
pub(crate) const CHECKED: &[&str] = &[
    "virus-free", "virus free", "this email has been checked", "this e-mail has been checked",
    "this email is free from viruses", "this message has been checked", "scanned by", "virenfrei",
    "diese e-mail wurde", "diese nachricht wurde", "sans virus", "garanti sans virus", "l'absence de virus",
    "cet e-mail a été vérifié", "ce message a été vérifié", "libre de virus", "sin virus", "este correo electrónico",
    "el software de antivirus", "privo di virus", "senza virus", "questa e-mail è stata",
    "livre de vírus", "sem vírus", "este email foi", "este e-mail foi", "virusvrij", "virus-vrij", "deze e-mail is",
    "dit e-mailbericht is", "wolny od wirusów", "bez wirusów", "ta wiadomość", "wiadomość e-mail", "virusfri",
    "virusfritt", "detta e-postmeddelande", "den här e-posten", "denne e-mail", "denne e-posten", "virukseton",
    "viruksista vapaa", "tämä sähköposti", "bez virů", "tento e-mail byl", "без вирусов", "это сообщение", "это письмо",
    "не содержит вирусов", "このメールは", "ウイルス", "ウィルス", "无病毒", "不含病毒", "此电子邮件", "無病毒", "바이러스", "이 이메일은",
    "virüs", "vírusmentes", "fără viruși",
];

/// Names of virus scanners.
pub(crate) const CHECKERS: &[&str] = &["avast", "avg"];
