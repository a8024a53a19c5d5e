//! Header field names that programs write above a quoted or forwarded message.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Meaning of a header line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderLabel {
    /// Author.
    From,
    /// Time, by a word that only messages use.
    Sent,
    /// Time, by a word that occurs on all kinds of forms.
    Date,
    /// Recipients.
    To,
    /// Copy recipients.
    Copy,
    /// Subject.
    Subject,
}

/// Returns the meaning of a field name; Chinese, Japanese and Korean names must have no spaces.
pub(crate) fn label(name: &str) -> Option<HeaderLabel> {
    LABELS.get(name).copied()
}

/// Index of all names.
static LABELS: LazyLock<HashMap<&str, HeaderLabel>> = LazyLock::new(|| {
    let lists = [
        (SUBJECT, HeaderLabel::Subject),
        (COPY, HeaderLabel::Copy),
        (TO, HeaderLabel::To),
        (DATE, HeaderLabel::Date),
        (SENT, HeaderLabel::Sent),
        (FROM, HeaderLabel::From),
    ];
    lists.into_iter().flat_map(|(names, label)| names.iter().map(move |name| (*name, label))).collect()
});

#[rustfmt::skip]
const FROM: &[&str] = &[
    "from", "von", "absender", "de", "expéditeur", "remitente", "da", "mittente", "remetente", "van",
    "afzender", "od", "nadawca", "från", "avsändare", "fra", "afsender", "avsender", "lähettäjä", "odesílatel",
    "от", "от кого", "отправитель", "від", "від кого", "відправник", "差出人", "送信者", "送信元", "发件人", "發件人", "寄件者",
    "寄件人", "发信人", "보낸사람", "보낸이", "발신자", "발신인", "kimden", "gönderen", "feladó", "expeditor", "de la", "από",
    "αποστολέας", "من", "المرسل", "מאת", "từ", "người gửi", "dari", "pengirim", "remitent", "odosielateľ",
];

#[rustfmt::skip]
const SENT: &[&str] = &[
    "sent", "date sent", "sent at", "sent on", "gesendet", "gesendet am", "datum/uhrzeit", "envoyé",
    "envoyé le", "message du", "envoyée", "date d'envoi", "enviado", "enviado el", "fecha de envío",
    "enviado em", "enviada", "enviada em", "data de envio", "inviato", "inviato il", "data invio", "verzonden",
    "verzonden op", "verstuurd", "wysłano", "wysłane", "wysłany", "data wysłania", "skickat", "skickades",
    "sendt", "sendt den", "lähetetty", "lähetyspäivä", "odesláno", "posláno", "отправлено", "дата отправки",
    "отправлен", "надіслано", "відправлено", "送信日時", "送信日", "发送时间", "發送時間", "发送日期", "寄件日期", "傳送時間", "傳送日期",
    "已发送", "发件时间", "보낸날짜", "보낸시간", "보낸일시", "보낸시각", "발송일", "gönderildi", "gönderilme tarihi", "gönderim tarihi",
    "gönderme tarihi", "elküldve", "küldve", "küldés dátuma", "trimis", "εστάλη", "στάλθηκε", "αποστολή",
    "تاريخ الإرسال", "تم الإرسال", "أرسلت", "أرسل", "נשלח", "đã gửi", "ngày gửi", "dikirim", "terkirim",
    "enviat", "odoslané",
];

#[rustfmt::skip]
const DATE: &[&str] = &[
    "date", "date/time", "datum", "fecha", "data", "dato", "päiväys", "päivämäärä", "pvm", "дата", "日付", "日時",
    "日期", "时间", "時間", "날짜", "일시", "일자", "tarih", "dátum", "ημερομηνία", "التاريخ", "תאריך", "ngày", "tanggal",
];

#[rustfmt::skip]
const TO: &[&str] = &[
    "to", "an", "empfänger", "à", "destinataire", "destinataires", "pour", "a", "para", "destinatario",
    "destinatari", "per", "destinatário", "aan", "ontvanger", "do", "adresat", "till", "mottagare", "til",
    "modtager", "mottaker", "vastaanottaja", "vastaanottajat", "kenelle", "komu", "pro", "příjemce", "кому",
    "получатель", "宛先", "收件人", "收件者", "받는사람", "받는이", "수신자", "수신인", "수신", "kime", "alıcı", "címzett", "către",
    "catre", "προς", "إلى", "الى", "אל", "đến", "tới", "người nhận", "kepada", "ke", "per a",
];

#[rustfmt::skip]
const COPY: &[&str] = &[
    "cc", "bcc", "c/c", "kopie", "kopie (cc)", "copie", "copie à", "copia", "cópia", "con copia", "dw", "kopia",
    "kopi", "kopio", "копия", "копія", "抄送", "抄送人", "副本", "副本抄送", "참조", "bilgi", "másolat", "másolatot kap",
    "κοιν", "κοινοποίηση", "نسخة", "עותק", "tembusan", "ccn", "cci",
];

#[rustfmt::skip]
const SUBJECT: &[&str] = &[
    "subject", "betreff", "objet", "sujet", "asunto", "oggetto", "ogg", "assunto", "onderwerp", "temat", "ämne",
    "emne", "aihe", "předmět", "тема", "件名", "题目", "主题", "主題", "主旨", "標題", "标题", "제목", "konu", "tárgy",
    "subiect", "θέμα", "الموضوع", "נושא", "chủ đề", "tiêu đề", "subjek", "perihal", "assumpte", "predmet",
];
