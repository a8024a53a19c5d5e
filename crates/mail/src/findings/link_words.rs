//! The words around links, by meaning, a line or so for each language:
//! en, fr, de, es, it, pt, nl, pl, sv, da and nb, fi, cs, ru and uk, tr, ja, zh, ko.

use super::lexicon::{Meaning, Table};

/// What a word at a link, or near one, says of what following it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkWord {
    /// To confirm, to verify, to activate.
    Confirm,
    /// To bring to an end what was begun.
    Complete,
    /// What is confirmed so: an address, an account, a subscription.
    Account,
    /// To sign in.
    SignIn,
    /// That the link itself signs in.
    Magic,
    Password,
    /// To set something anew.
    Reset,
    /// To accept, to join.
    Accept,
    /// Invitations, and having been invited.
    Invited,
    /// What one is invited to: a team, a workspace, a project.
    Team,
    /// What is confirmed, accepted and joined in other ways: orders, appointments, calls, offers.
    Thing,
    /// A link that leads elsewhere, whatever is said near it.
    Away,
    /// That the reader did not ask for this.
    Denial,
    /// That the reader may ignore the mail: then a denial is a courtesy.
    Ignore,
    /// A link that does not say what it does.
    Click,
    /// The link lasts but hours, or works but once.
    Care,
    /// The mail tells of something that has been done already.
    Done,
}

use LinkWord as W;

impl Meaning for LinkWord {
    fn is_subject(self) -> bool {
        matches!(
            self,
            Self::Magic | Self::Denial | Self::Ignore | Self::Care | Self::Done | Self::Click | Self::Account
        )
    }

    fn number(self) -> u32 {
        self as u32
    }
}

pub(super) const LINK_WORDS: &Table<LinkWord> = &[
    (W::Confirm, CONFIRM),
    (W::Complete, COMPLETE),
    (W::Account, ACCOUNT),
    (W::SignIn, SIGN_IN),
    (W::Magic, MAGIC),
    (W::Password, PASSWORD),
    (W::Reset, RESET),
    (W::Accept, ACCEPT),
    (W::Invited, INVITED),
    (W::Team, TEAM),
    (W::Thing, THING),
    (W::Away, AWAY),
    (W::Denial, DENIAL),
    (W::Ignore, IGNORE),
    (W::Click, CLICK),
    (W::Care, CARE),
    (W::Done, DONE),
];

#[rustfmt::skip]
const CONFIRM: &[&str] = &[
    "confirm", "confirming", "confirmation link", "verify", "verifying", "verification link", "validate", "validating",
    "activate", "activating", "activation link", "complete your registration", "complete registration", "complete your sign up",
    "complete your signup", "complete sign-up", "finish signing up", "finish registration", "finish your registration",
    "finish setting up", "complete your subscription", "yes, subscribe me", "subscribe me", "opt in", "opt-in", "approve",
    "authorize", "yes, it's me", "it's my email",
    "confirmer", "confirmez", "confirme", "confirmant", "lien de confirmation", "vérifier", "vérifiez", "vérifie", "valider",
    "validez", "valide", "validant", "activer", "activez", "active", "lien d'activation", "finaliser mon inscription",
    "finalisez votre inscription", "finaliser votre inscription", "terminer l'inscription", "approuver",
    "bestätigen", "bestätige", "bestätigst", "bestätigungslink", "verifizieren", "verifiziere", "verifizierungslink", "aktivieren",
    "aktiviere", "aktivierungslink", "freischalten", "freigeben", "registrierung abschließen", "anmeldung abschließen",
    "registrierung abzuschließen", "zu bestätigen", "ja, ich will", "*link zur bestätigung",
    "confirmar", "confirma", "confirme", "confirmando", "enlace de confirmación", "verificar", "verifica", "verifique", "validar",
    "valida", "activar", "activa", "enlace de activación", "completar registro", "completar el registro", "completa tu registro",
    "finalizar registro",
    "conferma", "confermare", "conferma*", "confermi", "confermo", "verifica", "verificare", "verifichi", "convalida", "convalidare",
    "attiva", "attivare", "attivi", "link di conferma", "completa la registrazione", "completare la registrazione",
    "link di attivazione", "link de confirmação", "link de ativação", "ativar", "ative", "validar", "valide", "concluir cadastro",
    "concluir o registo", "concluir registo", "finalizar cadastro",
    "bevestigen", "bevestig", "bevestigt", "bevestigingslink", "verifiëren", "verifieer", "activeren", "activeer", "activatielink",
    "registratie voltooien", "aanmelding voltooien", "te bevestigen", "ja, ik wil",
    "potwierdź", "potwierdzić", "potwierdzam", "potwierdzenia", "potwierdzając*", "zweryfikuj", "zweryfikować", "aktywuj",
    "aktywować", "link aktywacyjny", "dokończ rejestrację", "zakończ rejestrację", "link potwierdzający",
    "bekräfta", "bekräftar", "bekräftelselänk*", "verifiera", "aktivera", "aktiveringslänk*", "slutför registreringen",
    "slutför din registrering", "bekræft", "bekræfte", "bekræftelseslink*", "verificer", "verificere", "aktiver", "aktivere",
    "aktiveringslink*", "fuldfør", "godkend", "bekreft", "bekrefte", "bekreftelseslenke*", "verifiser", "verifisere",
    "aktiveringslenke*", "fullfør",
    "vahvista", "vahvistat", "vahvistaa", "vahvistamalla", "vahvistaaksesi", "vahvistuslinkki*", "vahvistuslinkin*", "varmenna",
    "varmista", "aktivoi", "aktivoida", "aktivoidaksesi", "aktivointilinkki*", "hyväksy tilaus", "viimeistele rekisteröityminen",
    "potvrďte", "potvrdit", "potvrdíte", "potvrď", "potvrzovací odkaz*", "potvrzení e-mailu", "ověřit", "ověřte", "ověření e-mailu",
    "ověř", "aktivovat", "aktivujte", "aktivuj", "aktivační odkaz*", "dokončit registraci", "dokončete registraci",
    "подтвердить", "подтвердите", "подтверди", "подтверждаю", "подтверждения", "активировать", "активируйте", "активации",
    "верифицировать", "завершить регистрацию", "завершите регистрацию", "завершения регистрации",
    "підтвердити", "підтвердіть", "підтвердження", "активувати", "активуйте", "завершити реєстрацію",
    "onayla", "onaylayın", "onaylamak", "doğrula", "doğrulayın", "doğrulamak", "etkinleştir*", "aktifleştir*",
    "確認する", "を確認", "認証する", "を認証", "認証を完了", "有効化", "有効にする", "本登録", "登録を完了", "承認する", "確認を完了",
    "アドレスの確認", "アドレス確認", "登録確認", "認証リンク", "確認リンク", "アドレスの認証", "アクティベート", "登録手続き", "ご確認を完了",
    "确认", "確認", "验证", "驗證", "激活", "啟用", "启用", "激活链接", "完成注册", "完成註冊", "認證", "认证", "开通",
    "인증하기", "인증하", "인증을", "인증 완료", "확인하기", "인증해", "확인해", "활성화", "가입 완료", "이메일 인증", "이메일 확인", "구독 확인", "승인",
];

#[rustfmt::skip]
const COMPLETE: &[&str] = &[
    "complete", "finish", "finalize", "finalise", "finaliser", "finalisez", "terminer", "terminez", "abschließen", "abzuschließen", "abschliessen",
    "completar", "completa", "complete", "finalizar", "finaliza", "terminar", "completare", "completi", "terminare", "concluir", "conclua",
    "voltooien", "voltooi", "afronden", "rond", "dokończ", "dokończyć", "zakończ", "zakończyć", "slutför", "slutföra", "avsluta", "fuldfør",
    "fuldføre", "afslut", "fullfør", "fullføre", "viimeistele", "viimeistelläksesi", "dokončit", "dokončete", "dokonči", "завершить", "завершите",
    "завершення", "завершити", "tamamla*", "完了", "完成", "완료",
];

#[rustfmt::skip]
const ACCOUNT: &[&str] = &[
    "email", "e-mail", "emails", "mail address", "address", "account", "subscription", "registration", "sign up", "signup", "sign-up",
    "identity", "device", "login", "newsletter", "membership", "yourself", "it's you", "opt-in",
    "adresse", "courriel", "mail", "compte", "inscription", "abonnement", "identité", "appareil", "infolettre",
    "*konto", "*adresse", "anmeldung", "registrierung", "abonnement", "abo", "identität", "mailadresse", "gerät", "benutzerkonto",
    "zugang", "kundenkonto", "newsletteranmeldung", "newsletter-anmeldung", "correo", "dirección", "cuenta", "suscripción", "registro",
    "identidad", "dispositivo", "boletín", "indirizzo", "account", "iscrizione", "registrazione", "posta", "identità",
    "endereço", "conta", "assinatura", "inscrição", "cadastro", "registo", "subscrição", "adres", "e-mailadres", "inschrijving",
    "aanmelding", "registratie", "identiteit", "nieuwsbrief", "adres e-mail", "konto", "konta", "subskrypcj*", "zapis", "rejestracj*",
    "tożsamość", "adresu", "e-postadress*", "adress*", "kontot", "prenumeration*", "registrering*", "anmälan", "medlemskap*",
    "nyhetsbrev*", "e-mailadresse*", "e-postadresse*", "kontoen", "abonnement*", "tilmelding*", "påmelding*", "nyhedsbrev*",
    "sähköposti*", "osoite*", "osoitteesi", "tili", "tilin", "tilisi", "tilaus", "tilauksesi", "uutiskirje*", "rekisteröity*", "käyttäjätili*",
    "e-mail*", "adres*", "účet", "účtu", "odběr", "registrac*", "přihlášení k odběru", "totožnost",
    "адрес*", "почт*", "email", "аккаунт*", "учётн*", "учетн*", "подписк*", "регистрац*", "личность", "рассылк*", "акаунт*", "обліков*",
    "пошт*", "реєстрац*", "e-posta*", "hesab*", "abonelik*", "üyelik*", "kayıt*",
    "メール", "アドレス", "アカウント", "登録", "会員", "購読", "メルマガ", "邮箱", "信箱", "电子邮件", "電子郵件", "郵件", "邮件", "帐号", "账号", "账户",
    "帳號", "帳戶", "订阅", "訂閱", "注册", "註冊", "身份", "이메일", "메일", "계정", "가입", "구독", "회원",
];

#[rustfmt::skip]
const SIGN_IN: &[&str] = &[
    "sign in", "sign-in", "signing in", "log in", "log-in", "login", "logging in", "signin", "sign me in", "log me in",
    "se connecter", "connectez-vous", "me connecter", "connecte-toi", "connexion", "vous connecter", "te connecter",
    "anmelden", "einloggen", "login", "jetzt anmelden", "melden sie sich an", "anmeldelink", "login-link", "anmelde-link", "einzuloggen",
    "anzumelden", "iniciar sesión", "inicia sesión", "inicie sesión", "acceder", "entrar", "ingresar", "inicio de sesión",
    "accedi", "accedere", "acceda", "entra", "accesso", "acessar", "acesse", "aceder", "iniciar sessão", "inicie sessão", "fazer login",
    "inloggen", "log in", "in te loggen", "aanmelden", "inloglink", "zaloguj", "zalogować", "logowania", "logowanie",
    "logga in", "inloggning*", "log ind", "logge ind", "logg inn", "logge inn", "pålogging*", "innlogging*", "loginlink*",
    "kirjaudu", "kirjautu*", "sisäänkirjautu*", "přihlásit", "přihlaste", "přihlášení", "přihlas", "войти", "войдите", "вход", "входа",
    "авторизоваться", "увійти", "увійдіть", "вхід", "входу", "giriş",
    "ログイン", "サインイン", "登录", "登入", "登陆", "로그인",
    "entrare", "entrez", "me connecter à", "anmelden bei",
];

#[rustfmt::skip]
const MAGIC: &[&str] = &[
    "magic link", "magic-link", "sign-in link", "sign in link", "signin link", "login link", "log-in link", "log in link",
    "link to sign in", "link to log in", "one-time link", "one-time login", "one time link", "passwordless", "without a password",
    "no password", "to sign in to", "to log in to", "securely sign in", "sign in instantly", "requested to sign in",
    "requested a link", "sign me in", "log me in", "secure link", "temporary link", "single-use link", "single-use",
    "lien magique", "lien de connexion", "lien à usage unique", "sans mot de passe", "pour vous connecter", "pour te connecter",
    "magischer link", "magischen link", "magic-link", "anmeldelink", "anmelde-link", "login-link", "einmal-link", "einmallink", "einloglink",
    "link zum anmelden", "link zum einloggen", "ohne passwort", "enlace mágico", "enlace de acceso", "enlace de inicio de sesión",
    "enlace para iniciar sesión", "enlace para acceder", "sin contraseña", "enlace de un solo uso", "link magico", "link di accesso",
    "link per accedere", "senza password", "link mágico", "link de acesso", "link de login", "ligação de acesso", "ligação mágica",
    "link para entrar", "sem senha", "link de início de sessão", "magische link", "inloglink", "inlog-link", "link om in te loggen",
    "zonder wachtwoord", "eenmalige link", "magiczny link", "link do logowania", "link logowania", "bez hasła", "jednorazowy link",
    "magisk länk", "magiska länk*", "inloggningslänk*", "utan lösenord", "engångslänk*", "magisk link", "magiske link", "loginlink*",
    "login-link*", "uden adgangskode", "engangslink*", "innloggingslenke*", "påloggingslenke*", "magisk lenke", "engangslenke*",
    "uten passord", "kirjautumislinkki*", "kirjautumislinkin*", "taikalinkki*", "ilman salasanaa", "kertakäyttö*",
    "přihlašovací odkaz*", "magický odkaz", "odkaz pro přihlášení", "odkaz k přihlášení", "bez hesla", "jednorázový odkaz",
    "ссылка для входа", "ссылку для входа", "ссылке для входа", "ссылка для авторизации", "волшебная ссылка", "магическая ссылка",
    "одноразовая ссылка", "одноразовую ссылку", "без пароля", "посилання для входу", "sihirli bağlantı", "giriş bağlantısı",
    "ログインリンク", "マジックリンク", "ログイン用リンク", "ログイン用のリンク", "ログインurl", "ログイン用url", "パスワードなし", "パスワード不要", "サインインリンク",
    "登录链接", "登入連結", "魔法链接", "魔法連結", "免密", "一次性链接", "一次性連結", "登录连结",
    "로그인 링크", "매직 링크", "매직링크", "비밀번호 없이", "일회용 링크", "로그인 url",
];

#[rustfmt::skip]
const PASSWORD: &[&str] = &[
    "password", "passcode", "passwort", "*passwort", "kennwort", "passworts", "passwortes", "kennworts", "mot de passe", "contraseña",
    "clave", "senha", "palavra-passe", "wachtwoord", "wachtwoorden", "hasło", "hasła", "hasłem", "lösenord", "lösenordet",
    "adgangskode", "adgangskoden", "passord", "passordet", "salasana", "salasanan", "salasanasi", "salasanaa", "heslo", "hesla",
    "пароль", "пароля", "паролю", "şifre*", "parola*", "パスワード", "密码", "密碼", "비밀번호", "암호",
];

#[rustfmt::skip]
const RESET: &[&str] = &[
    "reset", "resetting", "new", "change", "changing", "choose", "set", "set up", "create", "recover", "forgot", "forgotten", "update",
    "réinitialis*", "nouveau", "modifier", "choisir", "créer", "changer", "définir", "oublié",
    "zurücksetz*", "zurückzusetzen", "neues", "neu", "ändern", "festlegen", "vergeben", "erstellen", "passwortreset", "vergessen",
    "restablec*", "nueva", "cambiar", "crear", "recuper*", "restaur*", "olvid*", "elegir", "reimposta*", "ripristin*", "nuova", "reset*",
    "cambia", "cambiare", "recupera*", "crea", "dimentica*", "redefin*", "repor", "nova", "alterar", "criar", "esquec*", "reposição",
    "herstel*", "opnieuw instellen", "opnieuw in te stellen", "nieuw", "nieuwe", "wijzig*", "instellen", "resetten", "vergeten",
    "resetuj", "zresetuj", "zresetować", "resetowania", "resetowanie", "nowe", "zmień", "ustaw", "odzysk*", "przywróć",
    "återställ*", "nytt", "ändra", "välj", "byt", "glömt", "nulstil*", "ny", "skift", "vælg", "opret", "glemt", "tilbakestill*",
    "endre", "velg", "nullstill*", "gjenopprett*", "palauta", "palauttaa", "palauttaaksesi", "nollaa", "nollata*", "vaihda", "vaihtaa",
    "uusi", "uuden", "aseta", "asettaa", "unohtu*", "obnov*", "resetovat", "nové", "změnit", "nastavit", "zapomen*", "nového",
    "сброс*", "восстанов*", "новый", "нового", "изменить", "сменить", "создать", "забыли", "скинути", "скидання", "відновити", "новий",
    "sıfırla*", "yenile*", "yeni", "再設定", "リセット", "再発行", "変更", "新しい", "设定", "重置", "重設", "重设", "找回", "修改", "更改", "新密码", "新密碼",
    "재설정", "변경", "초기화", "새", "찾기",
];

#[rustfmt::skip]
const ACCEPT: &[&str] = &[
    "accept", "join", "joining",
    "accepter", "acceptez", "accepte", "rejoindre", "rejoignez", "rejoins", "annehmen", "akzeptieren", "beitreten", "beizutreten",
    "teilnehmen", "mitmachen", "anzunehmen", "aceptar", "acepta", "acepte", "unirme", "unirte", "unirse", "únete", "unirme al", "accetta",
    "accettare", "accetti", "unisciti", "partecipa", "unirti", "aceitar", "aceite", "aceita", "participar", "juntar-se",
    "junte-se", "accepteren", "accepteer", "deelnemen", "lid worden", "word lid", "aansluiten",
    "zaakceptuj", "zaakceptować", "akceptuj", "przyjmij", "przyjąć", "dołącz", "dołączyć", "acceptera", "gå med", "anslut", "tacka ja",
    "accepter", "acceptér", "deltag", "bliv medlem", "tilslut", "godta", "aksepter", "bli med", "delta", "hyväksy", "hyväksyä",
    "liity", "liittyä", "liittyäksesi", "přijmout", "přijměte", "přijmi", "připojit se", "připojte se", "принять", "примите", "присоединиться",
    "присоединяйтесь", "прийняти", "приєднатися", "kabul et", "katıl*", "承諾", "承認", "参加", "受け入れ", "接受", "加入",
    "수락", "참여", "참가", "합류",
];

#[rustfmt::skip]
const INVITED: &[&str] = &[
    "invitation", "invite", "invited", "invites", "invitations", "invité", "invitée", "invite à", "vous invite", "t'invite",
    "einladung", "einladungslink", "eingeladen", "lädt dich", "lädt sie", "invitación", "invitado", "invitada", "ha invitado", "te invitó",
    "invito", "invitato", "invitata", "invita a", "convite", "convidado", "convidada", "convidou", "uitnodiging", "uitgenodigd", "uitgenodigt",
    "zaproszenie", "zaproszenia", "zaprasza", "zaprosił", "zaprosiła", "zaproszono", "inbjudan", "inbjuden", "bjudit in", "bjuder in",
    "invitation", "invitationen", "inviteret", "inviterer", "invitasjon*", "invitert", "kutsu", "kutsun", "kutsui", "kutsuttu", "kutsunut",
    "kutsuu", "pozvánk*", "pozván", "pozvána", "pozval", "pozvala", "zve", "приглашение", "приглашения", "приглашает", "приглашены",
    "пригласил", "пригласила", "запрошення", "запросив", "запросила", "запрошує", "davet*", "招待", "邀请", "邀請", "초대",
];

#[rustfmt::skip]
const TEAM: &[&str] = &[
    "team", "workspace", "organization", "organisation", "project", "group", "board", "repository", "channel", "space", "company",
    "family", "collaborate", "collaborator", "collaboration", "shared folder", "community", "household", "club", "member",
    "équipe", "espace", "espace de travail", "organisation", "projet", "groupe", "collaborer", "tableau",
    "arbeitsbereich", "projekt", "gruppe", "mitarbeit*", "zusammenarbeit*", "equipo", "espacio", "organización", "proyecto", "grupo",
    "colaborar", "squadra", "gruppo", "progetto", "spazio", "organizzazione", "collaborare", "equipe", "equipa", "espaço", "organização",
    "projeto", "organisatie", "project", "werkruimte", "groep", "zespół", "zespołu", "projekt*", "przestrze*", "organizacj*", "grup*",
    "arbetsyta*", "teamet", "projektet", "gruppen", "arbejdsområde*", "organisationen", "projektet", "arbeidsområde*", "prosjekt*",
    "organisasjon*", "teamet", "tiimi*", "työtila*", "projekti*", "organisaatio*", "ryhmä*", "tým*", "pracovní*", "organizac*", "skupin*",
    "команд*", "рабоч*", "проект*", "групп*", "организац*", "простір*", "груп*", "ekip*", "takım*", "çalışma alanı*", "proje*",
    "チーム", "ワークスペース", "プロジェクト", "グループ", "組織", "团队", "團隊", "工作区", "工作區", "项目", "專案", "组织", "群组", "工作空间", "空间",
    "팀", "워크스페이스", "프로젝트", "그룹", "조직",
    "arbejdsrum*", "arbeitsraum",
];

#[rustfmt::skip]
const THING: &[&str] = &[
    "order", "booking", "reservation", "appointment", "attendance", "delivery", "shipment", "payment", "purchase", "rsvp", "meeting",
    "webinar", "call", "event", "offer", "quote", "deal", "coupon", "card", "trial", "interview", "seat", "terms", "invoice",
    "transfer", "webinar", "conference", "session", "sale", "discount", "voucher", "gift", "prize", "reward", "points", "availability",
    "commande", "réservation", "rendez-vous", "livraison", "paiement", "achat", "présence", "réunion", "offre", "webinaire", "carte",
    "bestellung", "buchung", "reservierung", "termin", "lieferung", "zahlung", "kauf", "teilnahme", "meeting", "angebot", "gutschein",
    "webinar", "veranstaltung", "besprechung", "überweisung", "pedido", "reserva", "cita", "entrega", "pago", "compra", "asistencia",
    "reunión", "oferta", "evento", "ordine", "prenotazione", "appuntamento", "consegna", "pagamento", "acquisto", "presenza", "riunione",
    "offerta", "encomenda", "consulta", "pagamento", "presença", "reunião", "evento", "bestelling", "boeking", "reservering", "afspraak",
    "bezorging", "betaling", "aanwezigheid", "vergadering", "aanbod", "zamówieni*", "rezerwacj*", "wizyt*", "dostaw*", "płatnoś*",
    "spotkani*", "ofert*", "obecność", "beställning*", "bokning*", "leverans*", "betalning*", "möte*", "erbjudande*", "närvaro",
    "bestilling*", "ordre*", "reservation*", "aftale*", "levering*", "betaling*", "møde*", "tilbud*", "avtale*", "møte*", "time",
    "varaus*", "varaukse*", "ajanvarau*", "toimitu*", "maksu*", "kokou*", "tarjou*", "tapahtuma*", "objednáv*", "rezervac*", "schůzk*",
    "doručen*", "platb*", "nabídk*", "účast", "termín*", "заказ*", "бронирован*", "бронь", "встреч*", "доставк*", "платёж*", "платеж*",
    "оплат*", "участие", "запись на", "предложени*", "мероприяти*", "sipariş*", "rezervasyon*", "randevu*", "toplantı*",
    "注文", "予約", "配送", "配達", "支払", "会議", "ミーティング", "イベント", "出欠", "クーポン", "订单", "訂單", "预订", "預訂", "预约", "預約", "付款",
    "会议", "會議", "活动", "活動", "快递", "优惠", "주문", "예약", "배송", "결제", "회의", "이벤트", "참석", "쿠폰",
    "profile", "profil", "perfil", "profilo", "profiel", "profiili*", "профиль", "プロフィール", "个人资料", "個人資料", "프로필",
];

#[rustfmt::skip]
const AWAY: &[&str] = &[
    "unsubscribe", "opt out", "opt-out", "preferences", "manage", "notification settings", "email settings", "settings", "privacy", "privacy policy", "terms",
    "terms of service", "help", "help center", "help centre", "support", "contact us", "faq", "view in browser", "view this email",
    "view online", "web version", "read online", "app store", "google play", "download", "get the app", "facebook", "twitter",
    "linkedin", "instagram", "youtube", "tiktok", "learn more", "read more", "report", "report it", "deny", "not me", "wasn't me", "this wasn't me",
    "was not me", "it wasn't me", "wasn’t me", "no, it", "not you", "cancel", "revoke", "reject", "decline", "maybe", "secure my account", "secure your account",
    "secure account", "let us know", "tell us", "forward", "share", "shop", "blog", "imprint", "remove me", "delete", "block", "lock my account", "lock account",
    "change email", "wrong address", "didn't sign up", "didn't request", "view invoice", "view order", "track", "tracking",
    "desabonner", "désabonner", "désinscri*", "désinscription", "préférences", "confidentialité", "conditions", "aide", "assistance",
    "nous contacter", "contactez-nous", "version en ligne", "voir dans le navigateur", "navigateur", "signaler", "ce n'était pas moi",
    "ce n'est pas moi", "ce n’était pas moi", "annuler", "refuser", "décliner", "mentions légales", "en savoir plus", "télécharger", "se désabonner", "gérer",
    "abmelden vom newsletter", "newsletter abbestellen", "abbestellen", "abmeldung", "austragen", "einstellungen", "datenschutz*", "impressum", "agb", "hilfe", "hilfe-center",
    "kontakt", "im browser", "browser ansehen", "online ansehen", "melden", "war ich nicht", "das war ich nicht", "nicht ich", "ablehnen", "stornieren",
    "abbrechen", "mehr erfahren", "weiterlesen", "herunterladen", "konto sichern", "konto sperren", "sperren", "widerrufen", "vielleicht",
    "cancelar suscripción", "cancelar la suscripción", "darse de baja", "darme de baja", "date de baja", "preferencias", "privacidad", "ayuda", "términos",
    "contacto", "ver en el navegador", "navegador", "no fui yo", "no he sido yo", "denunciar", "reportar", "rechazar", "cancelar", "más información",
    "aviso legal", "descargar", "proteger", "bloquear", "asegurar mi cuenta", "soporte",
    "disiscriv*", "cancella iscrizione", "annulla iscrizione", "cancellati", "preferenze", "informativa", "aiuto", "assistenza", "contattaci",
    "browser", "non sono stato io", "non sono io", "non sei stato tu", "segnala", "rifiuta", "annulla", "scopri di più", "scarica", "blocca", "condizioni", "termini",
    "cancelar inscrição", "cancelar subscrição", "descadastr*", "sair da lista", "preferências", "privacidade", "ajuda", "suporte", "contato",
    "não fui eu", "recusar", "rejeitar", "saiba mais", "saber mais", "baixar", "descarregar", "termos", "bloquear", "denunciar",
    "uitschrijven", "afmelden", "voorkeuren", "privacybeleid", "voorwaarden", "hulp", "helpcentrum", "contact", "in je browser", "bekijk online", "webversie",
    "dit was ik niet", "ik was dit niet", "was ik niet", "ben ik niet", "weigeren", "afwijzen", "annuleren", "melden", "lees meer", "downloaden", "beveilig", "blokkeer", "blokkeren", "misschien",
    "wypisz", "anuluj subskrypcję", "zrezygnuj", "rezygnacja", "preferencje", "polityka prywatności", "prywatności", "regulamin", "pomoc", "kontakt",
    "w przeglądarce", "to nie ja", "nie ja", "odrzuć", "anuluj", "zgłoś", "dowiedz się", "pobierz", "zablokuj", "zabezpiecz",
    "avregistrera", "avsluta prenumeration*", "inställningar", "integritet*", "villkor", "hjälp*", "kontakta", "i webbläsare*", "webbversion", "det var inte jag",
    "inte jag", "avböj", "neka", "avvisa", "avbryt", "rapportera", "läs mer", "ladda ner", "kanske", "spärra", "kundtjänst", "kundservice",
    "afmeld", "afmelding", "indstillinger", "privatliv*", "persondata*", "betingelser", "hjælp", "kontakt os", "i browser*", "det var ikke mig", "ikke mig",
    "afvis", "annuller", "rapporter", "anmeld", "læs mere", "hent appen", "måske", "spær", "meld deg av", "avmeld*", "innstillinger", "personvern*",
    "vilkår", "hjelp*", "kontakt oss", "i nettleser*", "det var ikke meg", "ikke meg", "avslå", "avvis", "les mer", "last ned", "kanskje", "kundeservice", "sperr",
    "peruuta", "poistu listalta", "poistu postituslistalta", "lopeta tilaus", "lopettaa", "asetukset", "asetuksia", "tietosuoja*", "käyttöehdot", "ehdot", "ohje", "ohjeet", "tuki",
    "ota yhteyttä", "selaimessa", "en ollut minä", "se en ollut minä", "en minä", "hylkää", "kieltäydy", "ilmoita", "lue lisää", "lataa", "asiakaspalvelu*", "lukitse", "ehkä",
    "odhlásit", "odhlášení", "odhlaste", "předvolby", "nastavení", "soukromí", "ochrana", "podmínky", "nápověda", "podpora", "kontakt", "v prohlížeči",
    "nebyl jsem to já", "to jsem nebyl", "to nejsem já", "odmítnout", "zrušit", "nahlásit", "více informací", "stáhnout", "zablokovat", "možná",
    "отписаться", "отписка", "отказаться", "настройки", "конфиденциальност*", "условия", "помощь", "поддержк*", "справк*", "в браузере", "это был не я",
    "это не я", "не я", "отклонить", "отменить", "сообщить", "пожаловаться", "подробнее", "скачать", "заблокировать", "возможно", "связаться",
    "відписатися", "налаштування", "конфіденційн*", "допомога", "підтримк*", "це був не я", "це не я", "відхилити", "скасувати",
    "abonelikten", "gizlilik", "yardım", "destek", "ben değildim", "reddet", "iptal",
    "配信停止", "配信解除", "購読解除", "登録解除", "解除", "設定", "プライバシー", "利用規約", "規約", "ヘルプ", "サポート", "お問い合わせ", "ブラウザ", "身に覚えのない",
    "心当たりがない", "心当たりのない", "私ではありません", "自分ではない", "拒否", "辞退", "キャンセル", "報告", "詳しく", "詳細", "ダウンロード", "未定", "よくある",
    "退订", "退訂", "取消订阅", "取消訂閱", "偏好", "设置", "設定", "隐私", "隱私", "条款", "條款", "帮助", "幫助", "说明", "支持", "联系", "聯絡", "客服", "浏览器",
    "瀏覽器", "不是我", "非本人", "拒绝", "拒絕", "取消", "举报", "檢舉", "了解更多", "下载", "下載", "冻结",
    "수신거부", "수신 거부", "구독 취소", "구독취소", "환경설정", "개인정보", "이용약관", "약관", "도움말", "고객센터", "고객지원", "문의", "브라우저", "본인이 아닙니다", "본인이 아닌", "제가 아닙니다",
    "내가 아닙니다", "거절", "취소", "신고", "자세히", "다운로드", "차단", "앱스토어",
    "meld het", "meld dit", "zeg het ons", "laat het ons weten", "dis-le-nous", "dites-le-nous", "sag uns",
    "sagen sie uns", "dínoslo", "faccelo sapere", "avise-nos", "daj nam znać", "berätta för oss", "sig til",
    "fortell oss", "kerro meille", "dejte nám vědět", "сообщите нам", "что это не вы",
];

#[rustfmt::skip]
const DENIAL: &[&str] = &[
    "if this wasn't you", "if it wasn't you", "if this was not you", "if that wasn't you", "wasn’t you", "wasn't you", "was not you", "didn't request", "did not request",
    "didn’t request", "didn't make this", "did not make", "not you?", "didn't sign up", "did not sign up", "didn't create", "did not create", "don't recognize",
    "do not recognize", "don't recognise", "do not recognise", "didn't do this", "did not do this", "didn't authorize", "didn't change", "did not change", "wasn’t requested by you",
    "n'êtes pas à l'origine", "n'est pas vous", "n'était pas vous", "pas vous", "pas demandé", "pas reconnu", "ne reconnaissez pas", "n'êtes pas l'auteur",
    "nicht angefordert", "nicht sie waren", "waren sie das nicht", "nicht du warst", "warst du das nicht", "nicht selbst", "nicht veranlasst", "nicht von ihnen", "nicht von dir", "nicht erkennen",
    "no fuiste tú", "no has sido tú", "no has solicitado", "no solicitaste", "no solicitó", "no reconoces", "no reconoce", "no ha sido usted", "no hiciste",
    "non sei stato tu", "non hai richiesto", "non riconosci", "non è stato lei", "non ha richiesto", "non hai effettuato", "não foi você", "não foste tu", "não solicitou", "não reconhece", "não pediu",
    "niet door jou", "niet door u", "niet aangevraagd", "was jij dit niet", "jij het niet was", "u het niet was", "niet herkent", "ben jij dit niet",
    "to nie ty", "nie ty", "to nie pan", "nie prosił*", "nie rozpoznajesz", "nie wysyłał*", "var det inte du", "inte du", "inte var du", "inte begärt", "inte känner igen",
    "var det ikke dig", "ikke dig", "ikke anmodet", "ikke genkender", "ikke bedt", "var det ikke deg", "ikke deg", "ikke bedt om", "ikke gjenkjenner",
    "et ollut sinä", "et tehnyt", "et pyytänyt", "etkö", "et tunnista", "nebyli jste to vy", "to vy nebyli", "nežádali", "nepožádali", "nebyl jste", "nepoznáváte", "nebyla jste",
    "это были не вы", "не вы", "не запрашивали", "не узнаёте", "не узнаете", "не совершали", "це були не ви", "не ви", "siz değilseniz", "siz yapmadıysanız",
    "心当たり", "覚えのない", "身に覚え", "ご本人でない", "不是您", "非您本人", "非本人", "不是你", "若非", "如非", "并非您", "本人でない", "본인이 아", "요청하지 않", "하지 않으셨", "직접 하지",
    "no account", "geen account", "pas créé", "pas inscrit", "nicht erstellt", "nicht registriert", "no creaste",
    "no te registraste", "no has creado", "no te has registrado", "non hai creato", "non ti sei registrato",
    "non ti sei iscritto", "não criou", "não se registou", "não se cadastrou", "não se inscreveu", "nie zakładał*",
    "nie rejestrował*", "inte skapat", "inte registrerat", "ikke oprettet", "ikke tilmeldt", "ikke opprettet",
    "ikke registrert", "et luonut", "et rekisteröi*", "nevytvořil*", "neregistroval*", "не регистрировались",
    "не создавали", "登録していない", "登録した覚え", "未注册", "没有注册", "沒有註冊", "並未", "并未", "가입하지 않", "가입한 적",
];

#[rustfmt::skip]
const IGNORE: &[&str] = &[
    "ignore", "disregard", "no action", "delete this", "nothing to do", "discard", "ignorer", "ignorez", "ignore", "supprimez", "ignorieren", "ignorier*", "löschen", "gegenstandslos", "nichts zu tun", "nichts weiter", "ignora",
    "ignora*", "ignore", "haz caso omiso", "omite", "no tienes que", "desconsider*", "negeer", "negeren", "zignoruj*", "zignorować", "pomiń", "usuń", "ignorera", "bortse", "ignorer",
    "se bort", "slett", "jättää huomiotta", "jätä huomiotta", "voit ohittaa", "ohita", "ignorujte", "ignorovat", "игнорируйте", "проигнорируйте", "ігноруйте", "проігноруйте",
    "yok say*", "dikkate alma*", "無視", "破棄", "削除", "忽略", "无需", "無需", "무시",
];

#[rustfmt::skip]
const CLICK: &[&str] = &[
    "click here", "click", "tap", "here", "this link", "link below", "button below", "following link", "button", "continue", "yes", "go", "proceed", "open", "start", "let's go", "paste", "next",
    "cliquez", "cliquer", "clique", "ici", "ce lien", "lien suivant", "lien", "bouton", "continuer", "oui", "commencer", "klicken", "klick", "klicke", "hier", "link", "weiter", "button", "schaltfläche", "ja", "fortfahren", "los",
    "clic", "pulsa", "haz clic", "haga clic", "aquí", "enlace", "botón", "continuar", "sí", "clicca", "cliccare", "cliccando", "qui", "pulsante", "link", "continua", "sì", "clique", "clicar", "aqui", "botão",
    "sim", "klik", "klikken", "knop", "doorgaan", "verder", "kliknij", "tutaj", "przycisk*", "kontynuuj", "dalej", "tak", "klicka", "här", "länk*", "knappen", "fortsätt", "her", "knap*", "lenke*",
    "fortsæt", "fortsett", "trykk", "tryk", "klikkaa", "napsauta", "paina", "tästä", "linkki*", "linkistä", "painike*", "jatka", "kyllä", "klikněte", "kliknutím", "klikni", "zde", "odkaz*", "tlačítk*", "pokračovat", "ano",
    "нажмите", "перейдите", "перейти", "здесь", "ссылк*", "кнопк*", "продолжить", "да", "натисніть", "тут", "посилання", "tıkla*", "buraya", "bağlantı*",
    "クリック", "こちら", "リンク", "ボタン", "url", "タップ", "続ける", "次へ", "はい", "点击", "點擊", "點選", "点此", "這裡", "这里", "链接", "連結", "按钮", "按鈕", "继续", "是的", "클릭", "여기", "링크", "버튼", "계속", "누르",
];

#[rustfmt::skip]
const CARE: &[&str] = &[
    "expires in", "expire in", "will expire", "expires on", "expires after", "expires at", "expires", "valid for", "only be used once", "used only once", "can be used once", "works once", "single use",
    "expire dans", "expirera", "expire le", "valable", "valide pendant", "une seule fois", "usage unique", "gültig", "läuft in", "läuft ab", "einmal verwendet", "nur einmal", "verfällt", "caduca", "caducará", "expira", "expirará", "vence",
    "válido", "una sola vez", "una vez", "scade", "scadrà", "valido", "una sola volta", "uma única vez", "uma vez", "válida", "geldig", "verloopt", "eenmalig", "één keer", "ważny", "wygasa", "wygaśnie", "jednorazow*", "tylko raz", "giltig", "upphör",
    "går ut", "en gång", "gyldig", "gælder", "udløber", "én gang", "utløper", "voimassa", "vanhenee", "kerran", "platný", "platnost", "platí", "vyprší", "jednou", "действительн*", "действует",
    "истекает", "истечёт", "истечет", "один раз", "одноразов*", "дійсн*", "діє", "geçerli", "有効期限", "有効です", "一度", "1回", "分以内", "時間以内", "有效", "过期", "過期", "失效", "一次", "유효", "만료", "한 번",
    "used once", "lapses", "lapse", "expirent", "expiran", "scadono", "expiram", "verlopen", "verfallen",
    "gäller", "gjelder",
];

#[rustfmt::skip]
const DONE: &[&str] = &[
    "was changed", "has been changed", "was updated", "has been updated", "was reset", "has been reset", "were changed", "changed your password", "successfully changed", "password changed", "new sign-in", "new login", "new device", "signed in from", "sign-in from",
    "a été modifié", "a été changé", "a bien été", "nouvelle connexion", "wurde geändert", "wurde erfolgreich", "wurde zurückgesetzt", "neue anmeldung", "neuer login", "ha sido cambiada", "se ha cambiado", "ha cambiado", "se cambió", "fue cambiada",
    "nuevo inicio de sesión", "è stata modificata", "è stata cambiata", "nuovo accesso", "foi alterada", "foi alterado", "foi redefinida", "novo acesso", "novo login", "novo início", "is gewijzigd", "is aangepast", "nieuwe aanmelding", "nieuwe inlog*", "zostało zmienione",
    "zmieniono", "nowe logowanie", "har ändrats", "har uppdaterats", "ny inloggning", "er blevet ændret", "er ændret", "nyt login", "nyt log ind", "ny pålogging", "ny innlogging", "er endret", "har blitt endret", "ble endret", "on vaihdettu", "on muutettu", "uusi kirjautuminen", "bylo změněno", "bylo úspěšně",
    "nové přihlášení", "был изменён", "был изменен", "изменён", "новый вход", "выполнен вход", "було змінено", "новий вхід", "değiştirildi", "変更されました", "変更が完了", "変更いたしました", "新しいログイン", "新しい端末", "已修改", "已更改", "已变更", "已變更", "修改成功", "新设备", "新裝置", "異地登入", "异地登录",
    "변경되었", "변경됐", "새로운 기기", "새 기기", "새로운 로그인",
];
