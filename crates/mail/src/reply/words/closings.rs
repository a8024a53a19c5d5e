//! Closings of letters, the last words before the name of the author.

use super::super::lines::fold;

/// Maximum length of a closing in bytes.
const MAX_CLOSING_BYTES: usize = 90;

/// Returns true for a line that closes a letter, for instance `Kind regards,`.
pub(crate) fn is_closing(line: &str) -> bool {
    line.len() <= MAX_CLOSING_BYTES && {
        let folded = fold(line);
        let words = folded.trim_end_matches([',', '.', ':', '!', ';', '，', '。', '！', '、', ' ']);
        CLOSINGS.contains(&words)
    }
}

#[rustfmt::skip]
const CLOSINGS: &[&str] = &[
    // English
    "regards", "best regards", "kind regards", "warm regards", "kindest regards", "warmest regards",
    "with kind regards", "with best regards", "many thanks and kind regards", "thanks and regards",
    "thanks & regards", "best", "all the best", "best wishes", "sincerely", "yours sincerely", "sincerely yours",
    "yours truly", "yours faithfully", "respectfully", "cheers", "thanks", "many thanks", "thank you", "thanks again",
    "thanks in advance", "cordially", "warmly", "take care", "rgds", "br", "yours",
    // German
    "mit freundlichen grüßen", "mit freundlichen grüssen", "mit freundlichem gruß", "mit freundlichem gruss",
    "freundliche grüße", "freundliche grüsse", "freundlichen gruß", "viele grüße", "viele grüsse", "liebe grüße",
    "liebe grüsse", "beste grüße", "beste grüsse", "schöne grüße", "herzliche grüße", "herzliche grüsse",
    "mit besten grüßen", "mit besten grüssen", "mit herzlichen grüßen", "gruß", "gruss", "grüße", "grüsse",
    "hochachtungsvoll", "mfg", "vg", "lg", "danke", "vielen dank",
    // French
    "cordialement", "bien cordialement", "très cordialement", "bien à vous", "bien à toi", "salutations",
    "sincères salutations", "meilleures salutations", "respectueusement", "amicalement", "bonne journée", "cdlt",
    "merci", "à bientôt", "merci d'avance",
    // Spanish, Portuguese, Italian, Catalan
    "saludos", "un saludo", "saludos cordiales", "un cordial saludo", "cordialmente", "atentamente",
    "muy atentamente", "gracias", "muchas gracias", "un abrazo", "reciba un cordial saludo", "atenciosamente",
    "cumprimentos", "com os melhores cumprimentos", "melhores cumprimentos", "os melhores cumprimentos", "abraço",
    "abraços", "um abraço", "obrigado", "obrigada", "att", "cordiali saluti", "distinti saluti", "un cordiale saluto",
    "un saluto", "saluti", "cari saluti", "tanti saluti", "grazie", "a presto", "salutacions", "salutacions cordials",
    // Dutch, Scandinavian, Finnish
    "met vriendelijke groet", "met vriendelijke groeten", "vriendelijke groet", "vriendelijke groeten",
    "hartelijke groet", "hartelijke groeten", "groet", "groeten", "groetjes", "mvg", "hoogachtend", "met dank",
    "bedankt", "med vänlig hälsning", "med vänliga hälsningar", "vänliga hälsningar", "vänlig hälsning",
    "bästa hälsningar", "hälsningar", "mvh", "vh", "tack", "med venlig hilsen", "venlig hilsen", "mange hilsner",
    "hilsen", "de bedste hilsner", "kærlig hilsen", "med vennlig hilsen", "vennlig hilsen", "beste hilsen", "takk",
    "tak", "ystävällisin terveisin", "parhain terveisin", "terveisin", "yst. terv", "t", "kiitos",
    // Polish, Czech, Slovak, Hungarian, Romanian
    "z poważaniem", "pozdrawiam", "pozdrawiam serdecznie", "serdecznie pozdrawiam", "serdeczne pozdrowienia",
    "pozdrowienia", "dziękuję", "z wyrazami szacunku", "łączę pozdrowienia", "s pozdravem", "s přátelským pozdravem",
    "s úctou", "hezký den", "přeji hezký den", "děkuji", "zdravím", "s pozdravom", "üdvözlettel", "tisztelettel",
    "köszönettel", "üdv", "szívélyes üdvözlettel", "cu stimă", "cu stima", "cu respect", "o zi bună", "mulțumesc",
    "cu drag", "numai bine",
    // Russian, Ukrainian, Greek, Turkish
    "с уважением", "с наилучшими пожеланиями", "с благодарностью", "спасибо", "всего доброго", "з повагою", "дякую",
    "з найкращими побажаннями", "με εκτίμηση", "φιλικά", "ευχαριστώ", "με φιλικούς χαιρετισμούς", "χαιρετισμούς",
    "saygılarımla", "saygılarımızla", "iyi çalışmalar", "sevgiler", "selamlar", "teşekkürler", "iyi günler",
    // Chinese, Japanese, Korean, Vietnamese, Indonesian, Arabic, Hebrew
    "此致", "敬礼", "此致敬礼", "顺颂商祺", "祝好", "谢谢", "謝謝", "敬上", "よろしくお願いいたします", "よろしくお願いします", "宜しくお願いいたします",
    "以上、よろしくお願いいたします", "敬具", "감사합니다", "고맙습니다", "드림", "trân trọng", "trân trọng cảm ơn", "kính thư", "cảm ơn",
    "thân ái", "salam", "hormat saya", "terima kasih", "مع تحياتي", "تحياتي", "مع أطيب التحيات",
    "وتفضلوا بقبول فائق الاحترام", "בברכה", "בכבוד רב", "תודה",
];
