//! Language of a text.

use std::sync::LazyLock;

use whatlang::{Detector, Lang};

/// Characters that are read.
const SAMPLE_CHARS: usize = 400;
/// Letters without which a text is in no language.
const MIN_LETTERS: usize = 20;
/// Confidence without which a text is in no language.
const MIN_CONFIDENCE: f64 = 0.3;

/// Languages that are told apart, with their tags of two letters (BCP 47).
const LANGUAGES: &[(Lang, &str)] = &[
    (Lang::Ara, "ar"),
    (Lang::Bul, "bg"),
    (Lang::Cat, "ca"),
    (Lang::Ces, "cs"),
    (Lang::Cmn, "zh"),
    (Lang::Dan, "da"),
    (Lang::Deu, "de"),
    (Lang::Ell, "el"),
    (Lang::Eng, "en"),
    (Lang::Est, "et"),
    (Lang::Fin, "fi"),
    (Lang::Fra, "fr"),
    (Lang::Heb, "he"),
    (Lang::Hin, "hi"),
    (Lang::Hrv, "hr"),
    (Lang::Hun, "hu"),
    (Lang::Ind, "id"),
    (Lang::Ita, "it"),
    (Lang::Jpn, "ja"),
    (Lang::Kor, "ko"),
    (Lang::Lav, "lv"),
    (Lang::Lit, "lt"),
    (Lang::Nld, "nl"),
    (Lang::Nob, "nb"),
    (Lang::Pes, "fa"),
    (Lang::Pol, "pl"),
    (Lang::Por, "pt"),
    (Lang::Ron, "ro"),
    (Lang::Rus, "ru"),
    (Lang::Slk, "sk"),
    (Lang::Slv, "sl"),
    (Lang::Spa, "es"),
    (Lang::Srp, "sr"),
    (Lang::Swe, "sv"),
    (Lang::Tha, "th"),
    (Lang::Tur, "tr"),
    (Lang::Ukr, "uk"),
    (Lang::Vie, "vi"),
];

static DETECTOR: LazyLock<Detector> =
    LazyLock::new(|| Detector::with_allowlist(LANGUAGES.iter().map(|(language, _)| *language).collect()));

/// Returns the language of a text as a tag of two letters (BCP 47); `None` for texts that are too short or unclear.
///
/// The start of the text decides, without lines that start with `>`.
#[must_use]
pub fn language(text: &str) -> Option<&'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('>'));
    let sample: String = lines.flat_map(|line| line.chars().chain(['\n'])).take(SAMPLE_CHARS).collect();
    if sample.chars().filter(|character| character.is_alphabetic()).count() < MIN_LETTERS {
        return None;
    }
    let found = DETECTOR.detect(&sample).filter(|found| found.confidence() >= MIN_CONFIDENCE)?;
    LANGUAGES.iter().find(|(language, _)| *language == found.lang()).map(|(_, tag)| *tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_texts_have_their_language() {
        for (text, expected) in [
            ("Could you please send me the invoice for last month? We need it before Friday.", Some("en")),
            (
                "Könnten Sie mir bitte die Rechnung für den letzten Monat schicken? Wir brauchen sie bis Freitag.",
                Some("de"),
            ),
            ("Pourriez-vous m'envoyer la facture du mois dernier ? Nous en avons besoin avant vendredi.", Some("fr")),
            ("Не могли бы вы прислать мне счёт за прошлый месяц? Он нужен нам до пятницы.", Some("ru")),
            ("先月の請求書を送っていただけますか。金曜日までに必要です。よろしくお願いします。", Some("ja")),
            ("请把上个月的发票发给我好吗？我们星期五之前需要它，谢谢您的帮助和支持。", Some("zh")),
            ("OK", None),
            ("4711 / 0815", None),
            ("> Could you please send me the invoice for last month? We need it before Friday.", None),
        ] {
            assert_eq!(language(text), expected, "{text}");
        }
    }
}
