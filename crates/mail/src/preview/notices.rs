//! Notices above a message that are no part of what it says.

use std::sync::LazyLock;

use super::DECORATION;
use crate::phrase_table::PhraseTable;
use crate::reply::fold;
use crate::sanitize;

/// Maximum number of sentences of notices.
const MAX_SENTENCES: usize = 6;
/// Maximum length of such a sentence in bytes; longer ones are text of the author.
const MAX_SENTENCE_BYTES: usize = 400;
/// Minimum length in bytes of a line that the next one continues.
const MIN_WRAPPED_BYTES: usize = 50;

/// The sentence offers to open the message elsewhere.
const ELSEWHERE: u16 = 1;
/// A server warns about an external sender.
const EXTERNAL: u16 = 1 << 1;
/// A program sent the message, and nobody reads replies.
const PROGRAM: u16 = 1 << 2;
/// The sentence is about opening, or about care.
const CARE: u16 = 1 << 3;
/// The sentence is about links or attachments.
const LINKS: u16 = 1 << 4;

/// Returns the text behind the notices at its beginning; the whole text if nothing else remains.
pub(super) fn without_notices(text: &str) -> &str {
    let mut rest = text;
    let mut is_warning = false;
    for _ in 0..MAX_SENTENCES {
        let next = from_word(rest);
        let (sentence, behind) = split_sentence(next);
        let found = meanings(sentence);
        // A warning goes on with the links and attachments.
        let is_care = is_warning && found & CARE != 0 && found & LINKS != 0;
        if found & (ELSEWHERE | EXTERNAL | PROGRAM) == 0 && !is_care {
            break;
        }
        is_warning |= found & EXTERNAL != 0;
        rest = behind;
    }
    if from_word(rest).is_empty() { text } else { rest }
}

/// Strips white space, invisible characters and decoration in front of a word.
fn from_word(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || sanitize::is_invisible(c) || DECORATION.contains(&c))
}

/// Splits the first sentence from a text. A line break ends a sentence, unless the next line continues a long one in
/// lower case.
fn split_sentence(text: &str) -> (&str, &str) {
    let mut line_start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        let next = characters.peek().map(|(_, next)| *next);
        let is_end = match c {
            '\n' => {
                let is_wrapped = at - line_start >= MIN_WRAPPED_BYTES && next.is_some_and(char::is_lowercase);
                line_start = end;
                !is_wrapped
            }
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        };
        if is_end || end >= MAX_SENTENCE_BYTES {
            return text.split_at(end);
        }
    }
    (text, "")
}

/// Returns the meanings of all phrases of a sentence.
fn meanings(sentence: &str) -> u16 {
    if sentence.len() < MAX_SENTENCE_BYTES { PHRASES.meanings(&fold(sentence)) } else { 0 }
}

/// All phrases with their meanings.
static PHRASES: LazyLock<PhraseTable> = LazyLock::new(|| {
    PhraseTable::new(&[
        (OPENED_ELSEWHERE, ELSEWHERE),
        (FROM_OUTSIDE, EXTERNAL),
        (SENT_BY_PROGRAM, PROGRAM),
        (OPENING, CARE),
        (LINKED, LINKS),
    ])
});

#[rustfmt::skip]
const OPENED_ELSEWHERE: &[&str] = &[
    // English
    "view this email in", "view this e-mail in", "view this message in", "view this newsletter in", "view it in your browser",
    "view email in browser", "view in browser", "view in your browser", "view in a browser", "open in browser",
    "see this email in", "read this email in", "view online", "view it online", "open it online", "read it online",
    "view the online version", "view the web version", "view web version", "view as a web page", "trouble viewing",
    "trouble reading this", "problems viewing", "not displaying correctly", "not display correctly", "can't see this email",
    "can't read this email", "cannot see this email", "can't view this email",
    // German
    "im browser ansehen", "im browser anzeigen", "im browser öffnen", "im browser lesen", "im browser betrachten",
    "online-version öffnen", "online-version ansehen", "online-version anzeigen", "zur online-version", "zur onlineversion",
    "zur webversion", "webversion anzeigen", "webversion ansehen", "webversion öffnen", "newsletter online lesen",
    "nicht richtig angezeigt", "nicht korrekt angezeigt", "nicht korrekt dargestellt", "nicht richtig dargestellt",
    // French
    "e-mail dans votre navigateur", "email dans votre navigateur", "mail dans votre navigateur",
    "message dans votre navigateur", "courriel dans votre navigateur", "lettre dans votre navigateur",
    "voir dans le navigateur", "afficher dans le navigateur", "ouvrir dans le navigateur", "consultez la version en ligne",
    "voir la version en ligne", "consulter la version en ligne", "afficher la version en ligne",
    "n'arrivez pas à lire cet", "n'arrivez pas à voir cet", "n'arrivez pas à visualiser", "ne s'affiche pas correctement",
    "s'affiche mal", "pour visualiser correctement",
    // Spanish
    "correo en el navegador", "correo en su navegador", "correo en tu navegador", "email en el navegador",
    "email en tu navegador", "mensaje en el navegador", "mensaje en su navegador", "mensaje en tu navegador",
    "ver en el navegador", "ver en su navegador", "ver en tu navegador", "abra la versión en línea", "ver la versión en línea",
    "ver versión online", "ver la versión web", "ver versión web", "ver bien este", "visualiza correctamente este",
    "visualizar correctamente este",
    // Italian
    "e-mail nel browser", "email nel browser", "mail nel browser", "messaggio nel browser", "newsletter nel browser",
    "visualizza nel browser", "apri nel browser", "e-mail nel tuo browser", "email nel tuo browser",
    "apri la versione online", "vedi la versione online", "visualizza la versione online", "riesci a leggere questa",
    "riesci a visualizzare", "non visualizzi correttamente", "non si visualizza correttamente",
    // Portuguese
    "e-mail no navegador", "email no navegador", "mensagem no navegador", "e-mail no seu navegador",
    "email no seu navegador", "ver no navegador", "abrir no navegador", "visualizar no navegador", "e-mail no browser",
    "email no browser", "ver no browser", "abra a versão online", "ver a versão online", "ver versão online",
    "consegue ler esta", "consegue ler este", "consegue visualizar est", "não visualiza corretamente",
    // Dutch
    "e-mail in uw browser", "email in uw browser", "e-mail in je browser", "email in je browser", "bericht in uw browser",
    "bericht in je browser", "nieuwsbrief in uw browser", "nieuwsbrief in je browser", "bekijk in browser",
    "bekijk in de browser", "bekijk in uw browser", "bekijk in je browser", "open de online versie", "bekijk de online versie",
    "bekijk de webversie", "bekijk online", "niet goed lezen", "niet goed weergegeven", "niet correct weergegeven",
    "wordt niet goed getoond",
    // Swedish, Danish, Norwegian
    "mejlet i webbläsaren", "mailet i webbläsaren", "e-postmeddelandet i webbläsaren", "nyhetsbrevet i webbläsaren",
    "meddelandet i webbläsaren", "visa i webbläsaren", "öppna i webbläsaren", "läs det på webben", "läs på webben",
    "visa webbversionen", "se webbversionen", "visas inte korrekt", "visas inte som det ska", "ser nyhetsbrevet konstigt ut",
    "e-mail i din browser", "mail i din browser", "mailen i din browser", "e-mailen i din browser", "nyhedsbrevet i din browser",
    "besked i din browser", "vis i browser", "vis i din browser", "se i browser", "åbn i browser", "åbn online-versionen",
    "se online-versionen", "se webversionen", "vises ikke korrekt", "ikke læse nyhedsbrevet", "ikke se nyhedsbrevet",
    "e-posten i nettleseren", "e-posten i nettleser", "nyhetsbrevet i nettleseren", "meldingen i nettleseren",
    "vis i nettleser", "åpne i nettleser", "åpne det på nett", "les det på nett", "se nettversjonen", "vis nettversjonen",
    "får du ikke lest nyhetsbrevet",
    // Finnish
    "viesti selaimessa", "viestiä selaimessa", "viestin selaimessa", "uutiskirje selaimessa", "avaa selaimessa",
    "katso selaimessa", "näytä selaimessa", "avaa se verkossa", "lue verkossa", "avaa verkkoversio", "katso verkkoversio",
    "eikö uutiskirje näy", "eikö viesti näy", "ei näy oikein",
    // Polish, Czech
    "wiadomość w przeglądarce", "wiadomości w przeglądarce", "newsletter w przeglądarce", "e-mail w przeglądarce",
    "zobacz w przeglądarce", "otwórz w przeglądarce", "wyświetl w przeglądarce", "otwórz wersję online", "zobacz wersję online",
    "wyświetl wersję online", "nie wyświetla się poprawnie", "nie wyświetla się prawidłowo", "e-mail v prohlížeči",
    "email v prohlížeči", "zprávu v prohlížeči", "newsletter v prohlížeči", "zobrazit v prohlížeči", "otevřít v prohlížeči",
    "otevřete online verzi", "zobrazit online verzi", "zobrazit webovou verzi", "nezobrazuje se newsletter",
    "nezobrazuje se vám", "nezobrazuje správně",
    // Russian
    "письмо в браузере", "рассылку в браузере", "сообщение в браузере", "посмотреть в браузере", "открыть в браузере",
    "смотреть в браузере", "откройте веб-версию", "открыть веб-версию", "посмотреть веб-версию", "веб-версия письма",
    "отображается некорректно", "некорректно отображается", "неправильно отображается", "письмо не отображается",
    // Japanese, Chinese, Korean
    "ブラウザでこのメール", "ブラウザで表示", "ブラウザーで表示", "ブラウザで見る", "webブラウザで", "メールが正しく表示されない", "正しく表示されない場合", "ブラウザでご覧",
    "浏览器中查看", "浏览器中打开", "浏览器查看", "瀏覽器中檢視", "瀏覽器中查看", "瀏覽器中開啟", "无法正常显示", "无法正确显示", "無法正常顯示", "查看网页版", "在线查看此邮件",
    "브라우저에서 이", "브라우저에서 보기", "브라우저에서 메일", "웹에서 보기", "제대로 보이지 않", "정상적으로 보이지 않", "웹브라우저에서 보기",
];

#[rustfmt::skip]
const FROM_OUTSIDE: &[&str] = &[
    "originated from outside", "originates from outside", "originated outside", "from outside of the organi", "from outside the organi",
    "from outside of your organi", "from outside your organi", "from outside our organi", "sent from outside", "external sender",
    "external email", "external e-mail", "außerhalb der organisation", "außerhalb des unternehmens", "ausserhalb der organisation",
    "außerhalb unserer organisation", "außerhalb ihrer organisation", "externe e-mail", "externe mail", "externer absender",
    "extérieur de l'organisation", "extérieur de l'entreprise", "extérieur de votre organisation", "expéditeur externe",
    "message externe", "courriel externe", "e-mail externe", "mail externe", "fuera de la organización",
    "fuera de su organización", "fuera de la empresa", "remitente externo", "correo externo", "mensaje externo",
    "esterno dell'organizzazione", "esterno della tua organizzazione", "esterno all'organizzazione", "mittente esterno",
    "e-mail esterna", "email esterna", "messaggio esterno", "fora da organização", "fora da sua organização", "fora da empresa",
    "remetente externo", "e-mail externo", "email externo", "mensagem externa", "buiten de organisatie",
    "buiten onze organisatie", "buiten uw organisatie", "externe afzender", "utanför organisationen", "extern avsändare",
    "externt mejl", "extern e-post", "uden for organisationen", "udenfor organisationen", "ekstern afsender", "ekstern e-mail",
    "ekstern mail", "utenfor organisasjonen", "ekstern avsender", "ekstern e-post", "organisaation ulkopuol",
    "ulkoinen lähettäjä", "ulkoinen sähköposti", "ulkopuolinen lähettäjä", "spoza organizacji", "spoza firmy", "nadawca zewnętrzny",
    "zewnętrzny nadawca", "wiadomość zewnętrzna", "mimo organizaci", "mimo naši organizaci", "externí odesílatel",
    "externí e-mail", "externí email", "от внешнего отправителя", "внешний отправитель", "внешнее письмо", "из-за пределов организации",
    "за пределами организации", "組織外から", "社外からのメール", "外部からのメール", "外部送信者", "来自组织外部", "来自公司外部", "外部邮件", "外部发件人", "來自組織外部",
    "外部郵件", "외부에서 발송", "외부 메일", "외부 발신", "외부에서 온 메일",
];

#[rustfmt::skip]
const SENT_BY_PROGRAM: &[&str] = &[
    "an automated message", "an automated email", "an automated e-mail", "an automatic message", "an automatic email",
    "automatically generated message", "automatically generated email", "automatically generated e-mail",
    "message was generated automatically", "email was generated automatically", "email was sent automatically",
    "do not reply to this", "don't reply to this", "please do not reply", "please don't reply", "replies to this email are not",
    "mailbox is not monitored", "unmonitored mailbox",
    "automatisch erzeugte", "automatisch generierte", "automatisch erstellte", "automatisch versandte", "automatische nachricht",
    "automatisch generiert", "wurde automatisch erstellt", "wurde automatisch versendet", "nicht auf diese e-mail",
    "nicht auf diese mail", "nicht auf diese nachricht", "message automatique", "e-mail automatique", "courriel automatique",
    "envoyé automatiquement", "généré automatiquement", "pas répondre à cet e-mail", "pas répondre à cet email",
    "pas répondre à ce message", "pas répondre à ce mail", "pas répondre à ce courriel", "mensaje automático", "correo automático",
    "mensaje generado automáticamente", "no responda a este", "no respondas a este", "no responder a este",
    "messaggio automatico", "e-mail automatica", "email automatica", "generato automaticamente", "generata automaticamente",
    "inviata automaticamente", "inviato automaticamente", "non rispondere a questa", "non rispondere a questo",
    "mensagem automática", "e-mail automático", "email automático", "gerada automaticamente", "gerado automaticamente",
    "não responda a este", "não responda a esta", "não responder a este", "automatisch gegenereerd", "automatisch bericht",
    "automatisch verzonden", "e-mail niet beantwoorden", "niet op deze e-mail", "niet op dit bericht", "automatiskt meddelande",
    "automatiskt genererat", "skickats automatiskt", "svara inte på detta", "svara inte på det här", "går inte att svara på",
    "automatisk genereret", "automatisk besked", "sendt automatisk", "ikke svare på denne", "svar ikke på denne",
    "svar venligst ikke", "automatisk generert", "automatisk melding", "vennligst ikke svar", "ikke svar på denne",
    "automaattinen viesti", "automaattisesti luotu", "lähetetty automaattisesti", "älä vastaa tähän", "älkää vastatko",
    "wygenerowana automatycznie", "wysłana automatycznie", "wiadomość automatyczna", "automatyczna wiadomość",
    "na nią nie odpowiadać", "nie odpowiadaj na", "nie odpowiadać na", "vygenerována automaticky", "vygenerován automaticky",
    "automaticky generovan", "odeslána automaticky", "neodpovídejte", "сформировано автоматически", "отправлено автоматически",
    "создано автоматически", "автоматическое сообщение", "автоматическое письмо", "не отвечайте на", "自動送信されています", "自動送信されました",
    "自動配信", "自動送信メール", "返信しないでください", "送信専用", "系统自动发送", "自动发送", "自动生成", "系統自動發送", "请勿直接回复", "请勿回复", "請勿直接回覆", "請勿回覆",
    "자동 발송", "자동으로 발송", "자동으로 생성", "발신 전용", "발신전용", "회신하지 마", "답장하지 마",
];

#[rustfmt::skip]
const OPENING: &[&str] = &[
    "click", "open", "careful", "caution", "klick", "öffne", "vorsicht", "cliquez", "ouvrez", "attention", "clic", "abra",
    "cuidado", "precaución", "fare clic", "aprire", "attenzione", "clique", "klik", "voorzichtig", "klicka", "försiktig",
    "åbn", "forsigtig", "åpne", "forsiktig", "napsauta", "avaa", "varovai", "klikaj", "otwiera", "ostrożn", "klikejte",
    "otvírejte", "otevírejte", "pozor", "переходите", "открывайте", "осторожн", "クリック", "開い", "注意", "点击", "打开", "谨慎", "點擊",
    "클릭", "열지", "주의",
];

#[rustfmt::skip]
const LINKED: &[&str] = &[
    "link", "attachment", "anhäng", "anhang", "lien", "pièce", "enlace", "adjunto", "allegat", "anexo", "bijlage", "länk",
    "bilag", "vedhæft", "lenke", "vedlegg", "liite", "liittei", "łącz", "załącznik", "odkaz", "příloh", "ссылк", "вложени",
    "リンク", "添付", "链接", "附件", "連結", "링크", "첨부",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_above_the_text_are_left_out() {
        for (text, expected) in [
            ("View this email in your browser\nHello", "Hello"),
            (
                "CAUTION: External email. Do not click links.\n\nHello Bob, see the attachment.",
                "Hello Bob, see the attachment.",
            ),
            (
                "This email originated from outside of the organization and was checked by the\nmail gateway. Hello",
                "Hello",
            ),
            ("*** Automatisch generierte Nachricht ***\n\nBitte nicht auf diese E-Mail antworten!\nHallo", "Hallo"),
            ("此邮件由系统自动发送，请勿直接回复。您好", "您好"),
            ("This is an automated message.", "This is an automated message."),
            ("Open the attachment before Friday.\nHello", "Open the attachment before Friday.\nHello"),
            ("Hello\nView in browser", "Hello\nView in browser"),
        ] {
            assert_eq!(without_notices(text).trim(), expected, "{text:?}");
        }
    }

    #[test]
    fn long_sentences_stay() {
        let text = format!("Do not reply to this {}. Hello", "x".repeat(MAX_SENTENCE_BYTES));
        assert_eq!(without_notices(&text), text);
        let endless = "é".repeat(10_000);
        assert_eq!(without_notices(&endless), endless);
    }
}
