//! Attributions of mail programs in many languages.

use inboxd_mail::extract_text;

/// Attribution lines of programs with the settings of many countries.
const ATTRIBUTIONS: &[&str] = &[
    // English
    "On Fri, Nov 20, 2026 at 10:00 AM Anna Berg <anna@example.org> wrote:",
    "On Fri, 20 Nov 2026, 10:00 Anna Berg, <anna@example.org> wrote:",
    "On Nov 20, 2026, at 10:00 AM, Anna Berg <anna@example.org> wrote:",
    "On 20 Nov 2026, at 10:00, Anna Berg <anna@example.org> wrote:",
    "On 20/11/2026 10:00, Anna Berg wrote:",
    "On Friday, November 20th, 2026 at 10:00 AM, Anna Berg <anna@example.org> wrote:",
    "On Fri, Nov 20, 2026, 10:00 AM Anna Berg <anna@example.org> wrote:",
    "On 2026-11-20 10:00, Anna Berg wrote:",
    "At 2026-11-20 10:00:00, \"Anna Berg\" <anna@example.org> wrote:",
    "---- On Fri, 20 Nov 2026 10:00:00 +0100 Anna Berg <anna@example.org> wrote ----",
    "---- On Fri, 20 Nov 2026 10:00:00 +0100 anna@example.org wrote ---",
    "Anna Berg <anna@example.org> wrote on 20.11.2026 10:00:00:",
    "Anna Berg writes:",
    "Quoting Anna Berg <anna@example.org>:",
    "* Anna Berg <anna@example.org> [2026-11-20 10:00]:",
    "Anna Berg (anna@example.org) wrote:",
    "Anna Berg <anna@example.org> wrote:",
    "In a message dated 11/20/2026 10:00:00 AM Eastern Standard Time, anna@example.org writes:",
    "--- On Fri, 11/20/26, Anna Berg <anna@example.org> wrote:",
    "Nov 20, 2026, 10:00 by anna@example.org:",
    "On 20 November 2026 at 10:00:00, Anna Berg (anna@example.org) wrote:",
    "On 11/20/26, 10:00 AM, \"Anna Berg\" <anna@example.org> wrote:",
    "On Fri, 20 Nov 2026 10:00:00 +0100\nAnna Berg <anna@example.org> wrote:",
    "On 20 Nov 2026, 10:00 +0100, Anna Berg <anna@example.org>, wrote:",
    // German
    "Am Fr., 20. Nov. 2026 um 10:00 Uhr schrieb Anna Berg <anna@example.org>:",
    "Am 20.11.2026 um 10:00 schrieb Anna Berg:",
    "Am 20.11.26 um 10:00 schrieb Anna Berg via Liste:",
    "Am 20. November 2026 10:00:00 MEZ schrieb Anna Berg <anna@example.org>:",
    "Am Freitag, 20. November 2026, 10:00:00 CET schrieb Anna Berg:",
    "Anna Berg <anna@example.org> schrieb am Fr., 20. Nov. 2026, 10:00:",
    "Anna Berg hat am 20.11.2026 10:00 geschrieben:",
    "Zitat von Anna Berg <anna@example.org>:",
    "---- Am Fr, 20 Nov 2026 10:00:00 +0100 Anna Berg <anna@example.org> schrieb ----",
    // French
    "Le ven. 20 nov. 2026 à 10:00, Anna Berg <anna@example.org> a écrit :",
    "Le 20/11/2026 à 10:00, Anna Berg a écrit\u{a0}:",
    "Le 20 nov. 2026 à 10:00, Anna Berg <anna@example.org> a écrit :",
    "Le vendredi 20 novembre 2026 à 10:00:00 UTC+1, Anna Berg <anna@example.org> a écrit :",
    "Le\u{a0}ven. 20 nov. 2026 à\u{202f}10:00, Anna Berg <anna@example.org> a écrit\u{202f}:",
    // Spanish, Catalan, Portuguese, Italian
    "El vie, 20 nov 2026 a las 10:00, Anna Berg (<anna@example.org>) escribió:",
    "El 20/11/26 a las 10:00, Anna Berg escribió:",
    "El 20 nov 2026, a las 10:00, Anna Berg <anna@example.org> escribió:",
    "El viernes, 20 de noviembre de 2026, 10:00:00 CET, Anna Berg <anna@example.org> escribió:",
    "Missatge de Anna Berg <anna@example.org> del dia dv., 20 de nov. 2026 a les 10:00:",
    "Em sex., 20 de nov. de 2026 às 10:00, Anna Berg <anna@example.org> escreveu:",
    "Em 20/11/2026 10:00, Anna Berg escreveu:",
    "Anna Berg <anna@example.org> escreveu no dia sexta, 20/11/2026 à(s) 10:00:",
    "No dia 20 de nov. de 2026, às 10:00, Anna Berg <anna@example.org> escreveu:",
    "Il giorno ven 20 nov 2026 alle ore 10:00 Anna Berg <anna@example.org> ha scritto:",
    "Il 20/11/2026 10:00, Anna Berg ha scritto:",
    "Il 20 nov 2026, alle ore 10:00, Anna Berg <anna@example.org> ha scritto:",
    "Il venerdì 20 novembre 2026 alle ore 10:00:00 CET, Anna Berg <anna@example.org> ha scritto:",
    // Dutch
    "Op vr 20 nov 2026 om 10:00 schreef Anna Berg <anna@example.org>:",
    "Op 20-11-2026 om 10:00 schreef Anna Berg:",
    "Op 20 nov. 2026 om 10:00 heeft Anna Berg <anna@example.org> het volgende geschreven:",
    // Polish
    "pt., 20 lis 2026 o 10:00 Anna Berg <anna@example.org> napisał(a):",
    "W dniu 20.11.2026 o 10:00, Anna Berg pisze:",
    "W dniu 2026-11-20 10:00:00 użytkownik Anna Berg <anna@example.org> napisał:",
    "Wiadomość napisana przez Anna Berg <anna@example.org> w dniu 20 lis 2026, o godz. 10:00:",
    "Dnia 20 listopada 2026 10:00 Anna Berg <anna@example.org> napisał(a):",
    // Swedish, Danish, Norwegian, Finnish
    "Den fre 20 nov. 2026 kl 10:00 skrev Anna Berg <anna@example.org>:",
    "Den 2026-11-20 kl. 10:00, skrev Anna Berg:",
    "20 nov. 2026 kl. 10:00 skrev Anna Berg <anna@example.org>:",
    "Den fre. 20. nov. 2026 kl. 10.00 skrev Anna Berg <anna@example.org>:",
    "Den 20.11.2026 kl. 10.00 skrev Anna Berg:",
    "fre. 20. nov. 2026 kl. 10:00 skrev Anna Berg <anna@example.org>:",
    "pe 20. marrask. 2026 klo 10.00 Anna Berg (anna@example.org) kirjoitti:",
    "Anna Berg kirjoitti 20.11.2026 klo 10.00:",
    "Anna Berg <anna@example.org> kirjoitti 20.11.2026 kello 10.00:",
    // Czech, Slovak, Hungarian, Romanian, Croatian
    "pá 20. 11. 2026 v 10:00 odesílatel Anna Berg <anna@example.org> napsal:",
    "Dne 20. 11. 26 v 10:00 Anna Berg napsal(a):",
    "Dne 20.11.2026 v 10:00 Anna Berg napsal(a):",
    "20. 11. 2026 v 10:00, Anna Berg <anna@example.org>:",
    "pi 20. 11. 2026 o 10:00 Anna Berg <anna@example.org> napísal(a):",
    "Anna Berg <anna@example.org> ezt írta (időpont: 2026. nov. 20., P, 10:00):",
    "2026. 11. 20. 10:00 keltezéssel, Anna Berg írta:",
    "În vin., 20 nov. 2026 la 10:00, Anna Berg <anna@example.org> a scris:",
    "pet, 20. stu 2026. u 10:00 Anna Berg <anna@example.org> napisao je:",
    // Russian, Ukrainian, Greek, Turkish
    "пт, 20 нояб. 2026 г. в 10:00, Anna Berg <anna@example.org>:",
    "20.11.2026 10:00, Анна Берг пишет:",
    "20 нояб. 2026 г., в 10:00, Анна Берг <anna@example.org> написал(а):",
    "Пятница, 20 ноября 2026, 10:00 +03:00 от Анна Берг <anna@example.org>:",
    "20.11.2026, 10:00, \"Анна Берг\" <anna@example.org>:",
    "пт, 20 лист. 2026 р. о 10:00 Anna Berg <anna@example.org> пише:",
    "Στις Παρ 20 Νοε 2026 στις 10:00 π.μ., ο χρήστης Anna Berg <anna@example.org> έγραψε:",
    "Anna Berg <anna@example.org>, 20 Kas 2026 Cum, 10:00 tarihinde şunu yazdı:",
    "20.11.2026 10:00 tarihinde Anna Berg yazdı:",
    // Arabic, Hebrew, Vietnamese, Indonesian
    "في الجمعة، 20 نوفمبر 2026 في 10:00 ص تمت كتابة ما يلي بواسطة Anna Berg <anna@example.org>:",
    "\u{200f}\u{202b}בתאריך יום ו׳, 20 בנוב׳ 2026 ב-10:00 מאת \u{202a}Anna Berg\u{202c}\u{200f} <\u{202a}anna@example.org\u{202c}\u{200f}>:",
    "Vào Th 6, 20 thg 11, 2026 vào lúc 10:00 Anna Berg <anna@example.org> đã viết:",
    "Pada tanggal Jum, 20 Nov 2026 pukul 10.00 Anna Berg <anna@example.org> menulis:",
    "ในวันที่ ศ. 20 พ.ย. 2026 เวลา 10:00 Anna Berg <anna@example.org> เขียนว่า:",
    "Þann fös., 20. nóv. 2026 kl. 10:00 skrifaði Anna Berg <anna@example.org>:",
    "Kuupäeval R, 20. november 2026 kell 10:00 kirjutas Anna Berg <anna@example.org>:",
    // Japanese, Chinese, Korean
    "2026年11月20日(金) 10:00 Anna Berg <anna@example.org>:",
    "2026/11/20 10:00、Anna Berg <anna@example.org>のメール:",
    "On 2026/11/20 10:00, Anna Berg wrote:",
    "Anna Berg さんは 2026/11/20 10:00 に書きました:",
    "Anna Berg <anna@example.org> 于2026年11月20日周五 10:00写道：",
    "Anna Berg <anna@example.org> 於 2026年11月20日 週五 上午10:00寫道：",
    "在 2026-11-20 10:00:00，\"Anna Berg\" <anna@example.org> 写道：",
    "在 2026/11/20 10:00, Anna Berg 写道:",
    "2026年11月20日 10:00，Anna Berg <anna@example.org> 写道：",
    "Anna Berg <anna@example.org> 於 2026年11月20日 上午10:00 寫道：",
    "2026년 11월 20일 (금) 오전 10:00, Anna Berg <anna@example.org>님이 작성:",
    "2026. 11. 20. 오전 10:00, Anna Berg <anna@example.org> 작성:",
    "On 2026-11-20 오전 10:00, Anna Berg wrote:",
];

#[test]
fn attributions_are_removed_with_quotations() {
    for line in ATTRIBUTIONS {
        for (form, text, expected) in [
            ("above", format!("Yes.\nBo\n\n{line}\n\n> When?\n> Where?\n"), "Yes.\nBo"),
            ("adjacent", format!("Yes.\nBo\n{line}\n> When?\n"), "Yes.\nBo"),
            ("below", format!("{line}\n> When?\n\nMonday."), "Monday."),
            ("marked", format!("Yes.\n\n> {line}\n> \n> When?\n"), "Yes."),
        ] {
            assert_eq!(extract_text(&text), expected, "{form}: {line}");
        }
    }
}

#[test]
fn attributions_may_be_wrapped_at_any_gap() {
    let mut missed = Vec::new();
    for line in ATTRIBUTIONS.iter().filter(|line| line.contains('@')) {
        for (at, _) in line.match_indices(' ').filter(|(at, _)| line[..*at].chars().count() > 20) {
            let (head, tail) = line.split_at(at);
            let wrapped = format!("{head}\n{}", tail.trim_start());
            if extract_text(&format!("Yes.\nBo\n\n{wrapped}\n\n> When?\n> Where?\n")) != "Yes.\nBo" {
                missed.push(wrapped);
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn attributions_with_address_need_no_marks() {
    let mut missed = Vec::new();
    for line in ATTRIBUTIONS.iter().filter(|line| line.contains('@') && line.contains("10")) {
        let text = format!("Yes.\nBo\n\n{line}\n\nWhen?\n\nWhere?\n");
        if extract_text(&text) != "Yes.\nBo" {
            missed.push(line);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
