//! Header blocks and separator lines in many languages.

use inboxd_mail::extract_text;

/// Header lines: from, sent, to, subject.
const LABELS: &[[&str; 4]] = &[
    ["From:", "Sent:", "To:", "Subject:"],
    ["From:", "Date:", "To:", "Subject:"],
    ["*From:*", "*Sent:*", "*To:*", "*Subject:*"],
    ["**From:**", "**Date:**", "**To:**", "**Subject:**"],
    ["From :", "Date :", "To :", "Subject :"],
    ["From:\t", "Date:\t", "To:\t", "Subject:\t"],
    ["Von:", "Gesendet:", "An:", "Betreff:"],
    ["Von:", "Datum:", "An:", "Betreff:"],
    ["De :", "Envoyé :", "À :", "Objet :"],
    ["De\u{a0}:", "Date\u{a0}:", "À\u{a0}:", "Objet\u{a0}:"],
    ["De:", "Enviado el:", "Para:", "Asunto:"],
    ["De:", "Fecha:", "Para:", "Asunto:"],
    ["De:", "Enviada em:", "Para:", "Assunto:"],
    ["De:", "Data:", "Para:", "Assunto:"],
    ["Da:", "Inviato:", "A:", "Oggetto:"],
    ["Da:", "Data:", "A:", "Oggetto:"],
    ["Van:", "Verzonden:", "Aan:", "Onderwerp:"],
    ["Van:", "Datum:", "Aan:", "Onderwerp:"],
    ["Od:", "Wysłano:", "Do:", "Temat:"],
    ["Od:", "Data:", "Do:", "Temat:"],
    ["Från:", "Skickat:", "Till:", "Ämne:"],
    ["Från:", "Datum:", "Till:", "Ämne:"],
    ["Fra:", "Sendt:", "Til:", "Emne:"],
    ["Fra:", "Dato:", "Til:", "Emne:"],
    ["Lähettäjä:", "Lähetetty:", "Vastaanottaja:", "Aihe:"],
    ["Lähettäjä:", "Päiväys:", "Vastaanottaja:", "Aihe:"],
    ["Od:", "Odesláno:", "Komu:", "Předmět:"],
    ["Od:", "Datum:", "Komu:", "Předmět:"],
    ["От:", "Отправлено:", "Кому:", "Тема:"],
    ["От:", "Дата:", "Кому:", "Тема:"],
    ["Від:", "Надіслано:", "Кому:", "Тема:"],
    ["Kimden:", "Gönderildi:", "Kime:", "Konu:"],
    ["Feladó:", "Elküldve:", "Címzett:", "Tárgy:"],
    ["De la:", "Trimis:", "Către:", "Subiect:"],
    ["Από:", "Ημερομηνία:", "Προς:", "Θέμα:"],
    ["מאת:", "נשלח:", "אל:", "נושא:"],
    ["\u{200f}من:", "تاريخ الإرسال:", "إلى:", "الموضوع:"],
    ["Từ:", "Đã gửi:", "Đến:", "Chủ đề:"],
    ["Dari:", "Dikirim:", "Kepada:", "Subjek:"],
    ["差出人:", "送信日時:", "宛先:", "件名:"],
    ["差出人：", "日時：", "宛先：", "件名："],
    ["发件人:", "发送时间:", "收件人:", "主题:"],
    ["发件人：", "日期：", "收件人：", "主题："],
    ["发 件 人：", "日  期：", "收 件 人：", "主  题："],
    ["寄件者:", "寄件日期:", "收件者:", "主旨:"],
    ["寄件人：", "日期：", "收件人：", "主旨："],
    ["보낸 사람:", "보낸 날짜:", "받는 사람:", "제목:"],
    ["보낸사람 :", "날짜 :", "받는사람 :", "제목 :"],
    ["| 发件人 |", "| 日期 |", "| 收件人 |", "| 主题 |"],
];

const RULES: &[&str] = &[
    "",
    "________________________________\n",
    "________________________________\n\n",
    "-----Original Message-----\n",
    "-----Ursprüngliche Nachricht-----\n",
    "--------------------\n",
    "────────────\n",
    "-----Message d'origine-----\n",
    "------------------ Original ------------------\n",
    "-----Anna Berg <anna@example.org> wrote: -----\n",
    "---------- Initial Header -----------\n\n",
    "-------- Mensaje original --------\n",
];

#[test]
fn header_blocks_start_another_message() {
    let mut missed = Vec::new();
    for [from, sent, to, subject] in LABELS {
        for rule in RULES {
            let from = format!("{from} Anna Berg <anna@example.org>");
            let (sent, to) = (
                format!("{sent} 2026-11-20 10:00"),
                format!("{to} Bo <bo@example.org>; C. D. <c@example.org>;\n  E <e@example.org>"),
            );
            let subject = format!("{subject} Re: Figures: when?");
            for header in [
                format!("{from}\n{sent}\n{to}\n{subject}\n"),
                format!("{from}\n{sent}\n{to}\nCc: X\n{subject}\n"),
                format!("{sent}\n{from}\n{to}\n{subject}\n"),
                format!("{subject}\n{sent}\n{from}\n{to}\n"),
                format!("{from}\n\n{sent}\n\n{to}\n\n{subject}\n"),
                format!("{from}\n{subject}\n{sent}\n{to}\n"),
            ] {
                let text = format!("Yes.\nBo\n\n{rule}{header}\nWhen?\n\nAnna");
                if extract_text(&text) != "Yes.\nBo" {
                    missed.push(text);
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} {:#?}", missed.len(), missed.get(..10));
}

#[test]
fn reply_below_quoted_header_block_is_new() {
    for [from, sent, to, subject] in LABELS {
        let header = format!("{from} Anna\n{sent} 2026-11-20\n{to} Bo\n{subject} x\n");
        for text in [
            format!("{header}\n> When?\n\nMonday."),
            format!("-----Original Message-----\n{header}\n> When?\n\nMonday."),
        ] {
            assert_eq!(extract_text(&text), "Monday.", "{text}");
        }
    }
}

#[test]
fn separator_lines_start_another_message() {
    let mut missed = Vec::new();
    for line in [
        "-----Original Message-----",
        "----- Original Message -----",
        "-------- Original message --------",
        "‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐",
        "------- Original Message -------",
        "--- Original Message ---",
        "-----Original Appointment-----",
        "----Original Message Follows----",
        "----- Original Message:",
        "*-----Original Message-----*",
        "-----Ursprüngliche Nachricht-----",
        "-------- Ursprüngliche Nachricht --------",
        "-------- Original-Nachricht --------",
        "--- Ursprüngliche Nachricht ---",
        "-----Message d'origine-----",
        "-----Message d’origine-----",
        "-------- Message d'origine --------",
        "----- Mail original -----",
        "-----Mensaje original-----",
        "----- Mensaje original -----",
        "-----Messaggio originale-----",
        "-----Messaggio Originale-----",
        "-----Mensagem original-----",
        "-----Oorspronkelijk bericht-----",
        "-------- Oorspronkelijk bericht --------",
        "-----Original message-----",
        "-----Wiadomość oryginalna-----",
        "-------- Oryginalna wiadomość --------",
        "-----Ursprungligt meddelande-----",
        "-------- Originalmeddelande --------",
        "-----Oprindelig meddelelse-----",
        "-----Opprinnelig melding-----",
        "-----Alkuperäinen viesti-----",
        "-----Původní zpráva-----",
        "---------- Původní e-mail ----------",
        "-----Исходное сообщение-----",
        "-------- Исходное сообщение --------",
        "----- 元のメッセージ -----",
        "-----邮件原件-----",
        "------------------ 原始邮件 ------------------",
        "------------------&nbsp;原始邮件&nbsp;------------------",
        "-----原始邮件-----",
        "-----原始郵件-----",
        "---- 回复的原邮件 ----",
        "-----원본 메시지-----",
        "---------[ 받은 메일 내용 ]----------",
        "-----Özgün İleti-----",
        "-----Eredeti üzenet-----",
        "##- Please type your reply above this line -##",
        "--- Reply above this line ---",
        "-- Bitte antworten Sie oberhalb dieser Zeile --",
    ] {
        if extract_text(&format!("Yes.\nBo\n\n{line}\nWhen?\n\nAnna")) != "Yes.\nBo" {
            missed.push(line);
        }
        let alone = format!("{line}\nWhen?\n\nAnna");
        assert_eq!(extract_text(&alone), alone);
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn forwarded_messages_remain() {
    let mut missed = Vec::new();
    for line in [
        "---------- Forwarded message ---------",
        "---------- Forwarded message ----------",
        "-------- Forwarded Message --------",
        "----- Forwarded Message -----",
        "------- Forwarded Message -------",
        "----- Forwarded message from Anna Berg <anna@example.org> -----",
        "----- Forwarded by Bo/Example on 20.11.2026 10:00 -----",
        "============ Forwarded message ============",
        "Begin forwarded message:",
        "-------- Weitergeleitete Nachricht --------",
        "Anfang der weitergeleiteten Nachricht:",
        "---------- Weitergeleitete Nachricht ----------",
        "-------- Message transféré --------",
        "Début du message transféré :",
        "Début du message réexpédié :",
        "-------- Mensaje reenviado --------",
        "Inicio del mensaje reenviado:",
        "-------- Messaggio Inoltrato --------",
        "Inizio messaggio inoltrato:",
        "-------- Mensagem encaminhada --------",
        "Início da mensagem reencaminhada:",
        "-------- Doorgestuurd bericht --------",
        "Begin doorgestuurd bericht:",
        "-------- Przekazana wiadomość --------",
        "Początek przekazywanej wiadomości:",
        "-------- Vidarebefordrat meddelande --------",
        "Vidarebefordrat brev:",
        "-------- Videresendt besked --------",
        "Start på videresendt besked:",
        "-------- Videresendt melding --------",
        "Videresendt melding:",
        "-------- Välitetty viesti --------",
        "Välitetty viesti alkaa:",
        "-------- Přeposlaná zpráva --------",
        "Začátek přeposlané zprávy:",
        "-------- Перенаправленное сообщение --------",
        "-------- Пересылаемое сообщение --------",
        "Начало переадресованного сообщения:",
        "-------- 転送メッセージ --------",
        "転送されたメッセージ:",
        "---------- 转发的邮件 ----------",
        "开始转发的邮件：",
        "---------- 轉寄郵件 ----------",
        "以下是轉寄的郵件：",
        "-------- 전달된 메시지 --------",
        "전달된 메시지:",
        "-------- İletilen Mesaj --------",
        "İletilen ileti başlangıcı:",
        "-------- Továbbított üzenet --------",
        "-------- Προωθημένο μήνυμα --------",
    ] {
        let text = format!(
            "FYI\n\n{line}\n\nFrom: Anna <a@b.c>\nDate: Fri, 20 Nov 2026 10:00\nSubject: x\nTo: Bo\n\nNews.\n-- \nAnna\n> old"
        );
        if extract_text(&text) != text {
            missed.push(line);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
