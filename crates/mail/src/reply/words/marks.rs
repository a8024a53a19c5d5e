//! Words on separator lines between messages.

/// Substrings that mark a forwarded message.
#[rustfmt::skip]
pub(crate) const FORWARDED: &[&str] = &[
    "forwarded", "weitergeleitet", "transféré", "transfére", "réexpédié", "reenviad", "inoltrat", "encaminhad",
    "doorgestuurd", "doorgezonden", "przekazan", "przekazywan", "przesłan", "przesyłan", "podana dalej",
    "vidarebefordra", "videresend", "välitet", "edelleenlähetet", "přepos", "preposlan",
    "пересылаем", "переслан", "переадрес", "перенаправл", "пересила", "転送", "转发", "轉寄", "轉發", "转寄", "전달",
    "iletilen", "iletilmiş", "yönlendirilen", "továbbít", "redirecționat", "redirectionat", "προωθ",
    "معاد توجيه", "المعاد توجيه", "إعادة توجيه", "הועבר", "chuyển tiếp", "diteruskan", "terusan", "reenviat",
];

/// Phrases that announce the parent message.
#[rustfmt::skip]
pub(crate) const ORIGINAL: &[&str] = &[
    "original message", "original message follows", "original mail", "original email", "original e-mail", "original appointment", "reply message",
    "originalmail", "ursprüngliche nachricht", "ursprüngliche mail", "ursprüngliche e-mail",
    "ursprünglicher termin", "original-nachricht", "originalnachricht", "antwort nachricht", "original nachricht", "original-mail",
    "message d'origine", "message original", "message initial", "mail original", "courriel original",
    "e-mail d'origine", "rendez-vous d'origine", "mensaje original", "correo original", "messaggio originale",
    "messaggio di origine", "mail originale", "mensagem original", "oorspronkelijk bericht",
    "oorspronkelijke bericht", "origineel bericht", "originele bericht", "wiadomość oryginalna",
    "oryginalna wiadomość", "wiadomość pierwotna", "wiadomość źródłowa", "ursprungligt meddelande",
    "ursprungsmeddelande", "originalmeddelande", "oprindelig meddelelse", "oprindelig besked",
    "original meddelelse", "original besked", "opprinnelig melding", "original melding", "originalmelding",
    "alkuperäinen viesti", "alkuperäinen sähköposti", "původní zpráva", "původní e-mail", "původní email",
    "originální zpráva", "pôvodná správa", "исходное сообщение", "исходное письмо", "оригинальное сообщение",
    "первоначальное сообщение", "вихідне повідомлення", "оригінальне повідомлення", "початкове повідомлення",
    "元のメッセージ", "元のメール", "オリジナルメッセージ", "原始邮件", "邮件原件", "郵件原件", "原邮件", "原始郵件", "原郵件", "原始訊息", "原始信件", "回复邮件",
    "回复的邮件", "回复的原邮件", "원본 메시지", "원본메시지", "원본 메일", "원본메일", "받은 메일", "받은 메시지", "özgün ileti", "orijinal mesaj",
    "orijinal ileti", "eredeti üzenet", "eredeti levél", "mesaj original", "mesajul original",
    "mesajul inițial", "αρχικό μήνυμα", "الرسالة الأصلية", "رسالة أصلية", "הודעה מקורית", "ההודעה המקורית",
    "tin nhắn gốc", "thư gốc", "thư ban đầu", "pesan asli", "missatge original",
];

/// Substrings of the line that asks for a reply above it.
#[rustfmt::skip]
pub(crate) const WRITE_ABOVE: &[&str] = &[
    "reply above this line", "type your reply above", "write above this line", "reply above the line",
    "above this line to reply", "respond above this line", "oberhalb dieser zeile", "über dieser zeile",
    "au-dessus de cette ligne", "encima de esta línea", "acima desta linha", "sopra questa riga",
    "sopra questa linea", "boven deze regel", "boven deze lijn", "powyżej tej linii", "ovanför denna rad",
    "ovenfor denne linje", "tämän rivin yläpuolelle", "nad tento řádek", "выше этой строки", "выше этой линии",
    "この行より上", "この行の上", "此行上方", "此行以上", "이 줄 위에",
];
