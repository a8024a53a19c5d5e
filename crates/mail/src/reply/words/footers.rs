//! Words of the notices that organizations and services add below a message.

use std::sync::LazyLock;

use crate::phrase_table::PhraseTable;

/// Meaning of a phrase in a notice; a set of them is the sum of their values.
pub(crate) mod meaning {
    /// The message names itself.
    pub(crate) const ITSELF: u16 = 1;
    /// It is confidential.
    pub(crate) const SECRET: u16 = 1 << 1;
    /// It is meant for its recipient, or speaks to a reader who is another person.
    pub(crate) const RECIPIENT: u16 = 1 << 2;
    /// It may have been sent to another person by mistake.
    pub(crate) const MISTAKE: u16 = 1 << 3;
    /// The reader shall delete it or tell the sender.
    pub(crate) const DELETION: u16 = 1 << 4;
    /// Printing.
    pub(crate) const PRINTING: u16 = 1 << 5;
    /// The environment.
    pub(crate) const NATURE: u16 = 1 << 6;
    /// Leaving a list.
    pub(crate) const LEAVING: u16 = 1 << 7;
    /// The reader receives the message for a reason.
    pub(crate) const REASON: u16 = 1 << 8;
    /// A program sent the message.
    pub(crate) const PROGRAM: u16 = 1 << 9;
}

/// All phrases with their meanings.
pub(crate) static FOOTERS: LazyLock<PhraseTable> = LazyLock::new(|| {
    PhraseTable::new(&[
        (ITSELF, meaning::ITSELF),
        (SECRET, meaning::SECRET),
        (RECIPIENT, meaning::RECIPIENT),
        (MISTAKE, meaning::MISTAKE),
        (DELETION, meaning::DELETION),
        (PRINTING, meaning::PRINTING),
        (NATURE, meaning::NATURE),
        (LEAVING, meaning::LEAVING),
        (REASON, meaning::REASON),
        (PROGRAM, meaning::PROGRAM),
    ])
});

#[rustfmt::skip]
const ITSELF: &[&str] = &[
    "this e-mail", "this email", "this message", "this mail", "this communication", "this transmission",
    "information contained", "diese e-mail", "diese email", "diese mail", "dieser e-mail", "dieser email",
    "dieser mail", "diese nachricht", "dieser nachricht", "ce message", "cet e-mail", "cet email", "ce courriel",
    "ce mail", "présent message", "este mensaje", "este correo", "esta comunicación", "este e-mail", "este email",
    "esta mensagem", "presente mensaje", "presente mensagem", "questo messaggio", "questa e-mail", "questa email",
    "questa mail", "questa comunicazione", "presente messaggio", "presente e-mail", "presente email", "dit bericht",
    "deze e-mail", "deze email", "deze mail", "dit e-mailbericht", "detta meddelande", "detta mejl", "detta e-post",
    "detta mail", "det här meddelandet", "denne e-mail", "denne email", "denne mail", "denne besked",
    "denne meddelelse", "denne e-post", "denne meldingen", "tämä viesti", "tämä sähköposti", "tämän viestin",
    "tämän sähköpost", "ta wiadomość", "niniejsza wiadomość", "tę wiadomość", "tej wiadomości", "wiadomość ta",
    "niniejszej wiadomości", "treść wiadomości", "niniejszy e-mail", "tato zpráva", "tento e-mail", "tento email",
    "tuto zprávu", "této zprávy", "táto správa", "это сообщение", "настоящее сообщение", "данное сообщение",
    "это письмо", "данное письмо", "настоящее письмо", "настоящем сообщении", "этом сообщении", "это электронное",
    "данное электронное", "це повідомлення", "цей лист", "цього листа", "bu e-posta", "bu mesaj", "bu ileti",
    "ez az üzenet", "ezt az üzenet", "ez az e-mail", "ezt az e-mail", "ezt a level", "jelen üzenet", "acest mesaj",
    "acest e-mail", "acest email", "prezentul mesaj", "αυτό το μήνυμα", "παρόν μήνυμα", "αυτό το email",
    "αυτό το e-mail", "本邮件", "此邮件", "该邮件", "这封邮件", "本郵件", "此郵件", "本电子邮件", "本メール", "このメール", "本電子メール", "この電子メール",
    "이 메일", "본 메일", "이 이메일", "본 이메일", "이 전자우편", "본 전자우편", "thư điện tử này", "thư này", "email này", "هذه الرسالة",
    "هذا البريد", "הודעה זו", "email ini", "surel ini", "aquest missatge",
];

#[rustfmt::skip]
const SECRET: &[&str] = &[
    "confidential", "privileged", "vertraulich", "rechtlich geschützt", "confidentiel", "confidencia",
    "confidenziali", "riservat", "vertrouwelijk", "konfidenti", "konfidential", "fortrolig", "sekretess",
    "luottamuksel", "salassapid", "poufn", "tajemnic", "důvěrn", "dôvern", "конфиденциальн", "конфіденційн", "gizli",
    "bizalmas", "confidenți", "confidenti", "εμπιστευτικ", "保密", "机密", "機密", "秘密", "기밀", "비밀", "bí mật", "bảo mật",
    "سرية", "סודי", "rahasia",
];

#[rustfmt::skip]
const RECIPIENT: &[&str] = &[
    "if you have received", "if you receive", "if received", "sollten sie diese", "wenn sie diese", "falls sie diese",
    "si vous avez reçu", "si vous recevez", "si usted ha recibido", "si ha recibido", "si lo ha recibido",
    "si recibe este", "se avete ricevuto", "se ha ricevuto", "se lo avete ricevuto", "qualora", "se recebeu",
    "se você", "indien u", "heeft u dit", "om du har fått", "hvis du har", "har du modtaget", "har du mottatt",
    "er du ikke", "jos olet saanut", "jeżeli otrzymal", "jeśli otrzymal", "pokud jste", "если вы получили",
    "если вы не", "якщо ви отримали", "eğer bu", "yanlışlıkla aldıysanız", "ha tévedésből", "amennyiben",
    "dacă ați primit", "dacă l-ați primit", "αν το λάβατε", "εάν λάβατε", "如果您", "如您", "若您", "nếu bạn nhận được",
    "jika anda", "intended recipient", "intended solely", "intended only", "addressee", "intended for",
    "for the use of", "for the sole use", "adressat", "empfänger bestimmt", "richtige empfänger",
    "beabsichtigte empfänger", "vorgesehene empfänger", "genannten empfänger", "destinataire", "destinatari",
    "destinatár", "geadresseerde", "bestemd voor", "beoogde ontvanger", "avsedd för", "avsett för", "mottagaren",
    "mottageren", "modtager", "beregnet for", "beregnet til", "ment for", "vastaanottaja", "tarkoitettu", "adresat",
    "adresát", "určen", "адресат", "получател", "предназначен", "призначен", "отримувач", "alıcı", "címzett",
    "destinat", "παραλήπτ", "收件人", "收件者", "受信者", "宛先", "수신인", "수신자", "người nhận", "المرسل إليه", "נמען", "penerima",
];

#[rustfmt::skip]
const MISTAKE: &[&str] = &[
    "in error", "by mistake", "not the intended", "not an intended", "received it erroneously", "irrtümlich",
    "versehentlich", "nicht der richtige", "nicht der beabsichtigte", "nicht für sie", "par erreur",
    "pas le destinataire", "por error", "por equivocación", "no es el destinatario", "per errore", "erroneamente",
    "por engano", "por erro", "indevidamente", "abusievelijk", "per abuis", "ten onrechte", "per vergissing",
    "niet voor u bestemd", "av misstag", "felaktigt", "ved en fejl", "ved en feil", "feilaktig", "fejlagtigt",
    "ikke er rette", "vahingossa", "erehdyksessä", "virheellisesti", "omyłkowo", "pomyłk", "omyłk", "nie jest",
    "nie są państwo", "omylem", "nejste", "по ошибке", "ошибочно", "не являетесь", "помилково", "yanlışlıkla",
    "sehven", "muhatabı değil", "tévedés", "din greșeală", "din greseala", "din eroare", "κατά λάθος",
    "εκ παραδρομής", "错收", "误收", "誤收", "不是指定", "誤って", "誤送信", "잘못", "nhầm lẫn", "عن طريق الخطأ", "בטעות", "kesalahan",
];

#[rustfmt::skip]
const DELETION: &[&str] = &[
    "delete", "destroy", "notify the sender", "notify us", "inform the sender", "disclosure", "dissemination",
    "löschen", "vernichten", "informieren", "benachrichtigen", "unbefugte weitergabe", "détruire", "supprimer",
    "avertir", "prévenir", "elimine", "elimínelo", "bórrelo", "borrarlo", "destruya", "destruir", "notifíquelo",
    "comunique", "divulgación", "cancellar", "distruggere", "eliminar", "avvisare", "divulgazione", "apague",
    "informe o remetente", "avise", "verwijder", "vernietig", "waarschuw", "te melden", "radera", "förstör",
    "meddela avsändaren", "slet", "underret", "giv afsender", "kontakt avsender", "poista", "tuhoa", "hävit",
    "ilmoit", "usunięci", "usuń", "zniszcz", "powiadomi", "rozpowszechniani", "smaž", "odstraň", "vymaž",
    "informujte", "удалите", "уничтож", "сообщите", "уведомите", "разглашен", "видаліть", "знищ", "повідомте",
    "silin", "imha", "bilgilendirin", "bildirin", "törölje", "értesítse", "ștergeți", "stergeti", "anunțați",
    "διαγράψ", "καταστρ", "ενημερώσ", "ειδοποι", "删除", "刪除", "通知发件人", "削除", "破棄", "삭제", "파기", "xóa", "احذف", "حذف",
    "למחוק", "hapus",
];

#[rustfmt::skip]
const PRINTING: &[&str] = &[
    "print", "druck", "imprim", "impresi", "stampa", "afdruk", "skriver ut", "skriva ut", "utskrift", "udskriv",
    "tulost", "wydruk", "druk", "vytisk", "tisk", "распечат", "печат", "друку", "yazdır", "nyomtat", "tipări",
    "tipari", "εκτυπώσ", "εκτύπωσ", "打印", "列印", "印刷", "인쇄", "출력", "khi in ", "trước khi in", "طباعة", "להדפיס",
    "mencetak",
];

#[rustfmt::skip]
const NATURE: &[&str] = &[
    "environment", "trees", "planet", "umwelt", "bäume", "environnement", "arbres", "planète", "medio ambiente",
    "medioambiente", "ambiente", "árbol", "árvore", "alberi", "milieu", "bomen", "miljö", "miljø", "ympäristö",
    "środowisk", "drzew", "životní prostředí", "přírod", "окружающ", "природ", "эколог", "довкілл", "çevre", "doğa",
    "környezet", "mediul", "natura", "περιβάλλον", "环境", "環境", "环保", "環保", "환경", "môi trường", "البيئة", "הסביבה",
    "lingkungan",
];

#[rustfmt::skip]
const LEAVING: &[&str] = &[
    "unsubscribe", "opt out", "opt-out", "manage your preferences", "notification settings", "email preferences",
    "abmelden", "abbestellen", "abzumelden", "désinscri", "désabonn", "desabonn", "se désinscrire", "darse de baja",
    "darte de baja", "cancelar suscripción", "cancelar la suscripción", "annulla l'iscrizione", "disiscri",
    "cancellati", "cancelar subscrição", "cancelar a subscrição", "cancelar inscrição", "cancelar a inscrição",
    "descadastr", "afmelden", "uitschrijven", "prenumerationen", "avregistrera", "avprenumerera", "avmeld", "afmeld",
    "frameld", "peruuta tilaus", "peruuttaa tilauksen", "lopeta tilaus", "wypisz", "wypisać", "rezygnuj",
    "rezygnacja", "odhlásit", "zrušit odběr", "отписаться", "отказаться от рассылки", "відписатис", "abonelikten",
    "aboneliği iptal", "leiratkoz", "dezabon", "διαγραφή", "κατάργηση εγγραφής", "退订", "退訂", "取消订阅", "取消訂閱", "配信停止",
    "配信解除", "수신거부", "수신 거부", "구독 취소", "hủy đăng ký", "إلغاء الاشتراك", "הסרה", "berhenti berlangganan",
];

#[rustfmt::skip]
const REASON: &[&str] = &[
    "you receive this", "you received this", "you are receiving", "you're receiving", "you are subscribed",
    "you subscribed", "this email was sent to", "this message was sent to", "you have received this message because",
    "sie erhalten diese", "du erhältst diese", "sie erhalten unsere", "vous recevez", "recibe este", "recibes este",
    "ha recibido este", "ricevi questa", "ricevi questo", "riceve questa", "recebe esta", "recebeu est",
    "você está recebendo", "u ontvangt", "je ontvangt", "du får", "ni får", "du mottar", "du modtager", "saat tämän",
    "otrzymujesz", "otrzymałeś", "otrzymują państwo", "dostáváte", "obdrželi jste", "вы получили", "вы получаете",
    "ви отримали", "ви отримуєте", "alıyorsunuz", "gönderilmiştir", "azért kapja", "azért kaptad", "primiți ace",
    "ați primit ace", "λαμβάνετε", "λάβατε αυτό", "您收到", "你收到", "お送りしています", "配信しています", "받으셨습니다", "받고 계", "발송되었습니다",
    "bạn nhận được", "تتلقى هذ", "קיבלת", "anda menerima",
];

#[rustfmt::skip]
const PROGRAM: &[&str] = &[
    "this message was sent by atlassian", "this is an automatically generated",
    "this message was automatically generated", "this email was automatically generated",
    "this is an automated message", "do not reply to this email", "please do not reply to this",
    "diese e-mail wurde automatisch", "diese nachricht wurde automatisch", "ce message a été envoyé automatiquement",
    "ce message est généré automatiquement", "este es un mensaje automático", "messaggio generato automaticamente",
    "messaggio automatico", "mensagem automática", "automatisch gegenereerd", "wiadomość wygenerowana automatycznie",
    "wiadomość została wygenerowana automatycznie", "это автоматическое", "письмо сформировано автоматически", "自动发送",
    "自動送信", "自動配信", "발신전용", "발신 전용",
];
