//! Words of attributions such as `On … Anna wrote:`.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns true for a word that starts an attribution before the date.
pub(crate) fn is_opener(word: &str) -> bool {
    OPENERS.contains(&word)
}

#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "on", "in", "þann", "ในวันที่", "at", "am", "le", "el", "il", "em", "no", "a", "op", "den", "w", "dnia",
    "dne", "på", "в", "у", "pada", "vào", "στις", "în", "la", "בתאריך", "ב", "في", "在", "dňa", "kuupäeval",
    "quoting", "dia", "zitat", "à", "pe",
];

/// Returns true for a verb of writing.
pub(crate) fn is_verb(word: &str) -> bool {
    ALL_VERBS.contains(word)
}

/// Index of all verbs.
static ALL_VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| VERBS.iter().copied().collect());

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "wrote", "writes", "schrieb", "schrieben", "geschrieben", "schreibt", "écrit", "écrivait", "écrivit",
    "ecrit", "escribió", "escribio", "escribía", "escribe", "escrito", "escreveu", "escreve", "scritto",
    "scrisse", "scrive", "schreef", "geschreven", "schrijft", "napisał(a)", "napisał", "napisała",
    "napisał/a", "napisali", "napisana", "napisane", "pisze", "napisano", "skrev", "skriver", "skrivit",
    "skrevet", "kirjoitti", "kirjoittaa", "kirjoittanut", "napsal(a)", "napsal", "napsala", "napsal/a",
    "píše", "napísal", "napísala", "napísal(a)", "написал", "написала", "написал(а)", "написали", "пишет",
    "писал", "писала", "писал(а)", "пишете", "написав", "пише", "написав(ла)", "написав/ла", "yazdı",
    "yazmış", "yazıyor", "írta", "írja", "scris", "έγραψε", "έγραφε", "כתב", "כתבה", "כתב/ה", "كتب", "كتبت", "كتابة",
    "viết", "menulis", "escriure", "missatge", "quoting", "zitat", "citando", "citat", "citace", "cytowanie",
    "citerar", "lainaus", "citeert", "цитирую", "लिखा", "نوشت", "написао", "napisao", "napisala",
    "napisao/la", "написа", "rašė", "rakstīja", "kirjutas", "skrifaði",
];

/// Verbs in scripts without spaces between words.
#[rustfmt::skip]
pub(crate) const UNSPACED_VERBS: &[&str] = &[
    "เขียนว่า", "写道", "寫道", "写到", "寫到", "撰写", "書きました", "は書き", "のメール", "からのメール", "님이 작성", "님이 쓴", "님의 말",
    "님의 메일", "님께서 작성", "작성:", "썼습니다", "작성했습니다", "작성하였습니다",
];

/// Returns true for a lower-case word that may precede a name or occur in one.
pub(crate) fn is_name_particle(word: &str) -> bool {
    matches!(
        word,
        "by" | "von" | "de" | "di" | "der" | "par" | "por" | "da" | "van" | "od" | "av" | "af" | "от" | "від"
    )
}

/// Returns true for a verb of speech, which counts only beside an address or a date.
pub(crate) fn is_weak_verb(word: &str) -> bool {
    matches!(word, "said" | "says" | "sagte" | "dit" | "dijo" | "disse" | "zei" | "sa" | "sanoi" | "сказал" | "сказала")
}

/// Returns true for a first-person word, which no program writes.
pub(crate) fn is_first_person(word: &str) -> bool {
    FIRST_PERSON.contains(&word)
}

#[rustfmt::skip]
const FIRST_PERSON: &[&str] = &[
    "i", "we", "ich", "wir", "j'ai", "je", "nous", "yo", "nosotros", "eu", "io", "ho", "abbiamo", "ik", "wij",
    "jag", "jeg", "vi", "minä", "я", "мы", "que", "what", "was", "che",
];
