//! Actions of confirmation links and their objects.

#[rustfmt::skip]
pub(super) const CONFIRM: &[&str] = &[
    "confirm", "confirming", "confirmation link", "verify", "verifying", "verification link", "validate",
    "validating", "activate", "activating", "activation link", "complete your registration", "complete registration",
    "complete your sign up", "complete your signup", "complete sign-up", "finish signing up", "finish registration",
    "finish your registration", "finish setting up", "complete your subscription", "yes, subscribe me",
    "subscribe me", "opt in", "opt-in", "approve", "authorize", "yes, it's me", "it's my email", "confirmer",
    "confirmez", "confirme", "confirmant", "lien de confirmation", "vérifier", "vérifiez", "vérifie", "valider",
    "validez", "valide", "validant", "activer", "activez", "active", "lien d'activation", "finaliser mon inscription",
    "finalisez votre inscription", "finaliser votre inscription", "terminer l'inscription", "approuver", "bestätigen",
    "bestätige", "bestätigst", "bestätigungslink", "verifizieren", "verifiziere", "verifizierungslink", "aktivieren",
    "aktiviere", "aktivierungslink", "freischalten", "freigeben", "registrierung abschließen",
    "anmeldung abschließen", "registrierung abzuschließen", "zu bestätigen", "ja, ich will", "*link zur bestätigung",
    "confirmar", "confirma", "confirmando", "enlace de confirmación", "verificar", "verifica", "verifique", "validar",
    "valida", "activar", "activa", "enlace de activación", "completar registro", "completar el registro",
    "completa tu registro", "finalizar registro", "conferma", "confermare", "conferma*", "confermi", "confermo",
    "verificare", "verifichi", "convalida", "convalidare", "attiva", "attivare", "attivi", "link di conferma",
    "completa la registrazione", "completare la registrazione", "link di attivazione", "link de confirmação",
    "link de ativação", "ativar", "ative", "concluir cadastro", "concluir o registo", "concluir registo",
    "finalizar cadastro", "bevestigen", "bevestig", "bevestigt", "bevestigingslink", "verifiëren", "verifieer",
    "activeren", "activeer", "activatielink", "registratie voltooien", "aanmelding voltooien", "te bevestigen",
    "ja, ik wil", "potwierdź", "potwierdzić", "potwierdzam", "potwierdzenia", "potwierdzając*", "zweryfikuj",
    "zweryfikować", "aktywuj", "aktywować", "link aktywacyjny", "dokończ rejestrację", "zakończ rejestrację",
    "link potwierdzający", "bekräfta", "bekräftar", "bekräftelselänk*", "verifiera", "aktivera", "aktiveringslänk*",
    "slutför registreringen", "slutför din registrering", "bekræft", "bekræfte", "bekræftelseslink*", "verificer",
    "verificere", "aktiver", "aktivere", "aktiveringslink*", "fuldfør", "godkend", "bekreft", "bekrefte",
    "bekreftelseslenke*", "verifiser", "verifisere", "aktiveringslenke*", "fullfør", "vahvista", "vahvistat",
    "vahvistaa", "vahvistamalla", "vahvistaaksesi", "vahvistuslinkki*", "vahvistuslinkin*", "varmenna", "varmista",
    "aktivoi", "aktivoida", "aktivoidaksesi", "aktivointilinkki*", "hyväksy tilaus", "viimeistele rekisteröityminen",
    "potvrďte", "potvrdit", "potvrdíte", "potvrď", "potvrzovací odkaz*", "potvrzení e-mailu", "ověřit", "ověřte",
    "ověření e-mailu", "ověř", "aktivovat", "aktivujte", "aktivuj", "aktivační odkaz*", "dokončit registraci",
    "dokončete registraci", "подтвердить", "подтвердите", "подтверди", "подтверждаю", "подтверждения", "активировать",
    "активируйте", "активации", "верифицировать", "завершить регистрацию", "завершите регистрацию",
    "завершения регистрации", "підтвердити", "підтвердіть", "підтвердження", "активувати", "активуйте",
    "завершити реєстрацію", "onayla", "onaylayın", "onaylamak", "doğrula", "doğrulayın", "doğrulamak", "etkinleştir*",
    "aktifleştir*", "確認する", "を確認", "認証する", "を認証", "認証を完了", "有効化", "有効にする", "本登録", "登録を完了", "承認する", "確認を完了", "アドレスの確認",
    "アドレス確認", "登録確認", "認証リンク", "確認リンク", "アドレスの認証", "アクティベート", "登録手続き", "ご確認を完了", "确认", "確認", "验证", "驗證", "激活", "啟用",
    "启用", "激活链接", "完成注册", "完成註冊", "認證", "认证", "开通", "인증하기", "인증하", "인증을", "인증 완료", "확인하기", "인증해", "확인해", "활성화",
    "가입 완료", "이메일 인증", "이메일 확인", "구독 확인", "승인",
];

#[rustfmt::skip]
pub(super) const COMPLETE: &[&str] = &[
    "complete", "finish", "finalize", "finalise", "finaliser", "finalisez", "terminer", "terminez", "abschließen",
    "abzuschließen", "abschliessen", "completar", "completa", "finalizar", "finaliza", "terminar", "completare",
    "completi", "terminare", "concluir", "conclua", "voltooien", "voltooi", "afronden", "rond", "dokończ",
    "dokończyć", "zakończ", "zakończyć", "slutför", "slutföra", "avsluta", "fuldfør", "fuldføre", "afslut", "fullfør",
    "fullføre", "viimeistele", "viimeistelläksesi", "dokončit", "dokončete", "dokonči", "завершить", "завершите",
    "завершення", "завершити", "tamamla*", "完了", "完成", "완료",
];

#[rustfmt::skip]
pub(super) const ACCOUNT: &[&str] = &[
    "email", "e-mail", "emails", "mail address", "address", "account", "subscription", "registration", "sign up",
    "signup", "sign-up", "identity", "device", "login", "newsletter", "membership", "yourself", "it's you", "opt-in",
    "adresse", "courriel", "mail", "compte", "inscription", "abonnement", "identité", "appareil", "infolettre",
    "*konto", "*adresse", "anmeldung", "registrierung", "abo", "identität", "mailadresse", "gerät", "benutzerkonto",
    "zugang", "kundenkonto", "newsletteranmeldung", "newsletter-anmeldung", "correo", "dirección", "cuenta",
    "suscripción", "registro", "identidad", "dispositivo", "boletín", "indirizzo", "iscrizione", "registrazione",
    "posta", "identità", "endereço", "conta", "assinatura", "inscrição", "cadastro", "registo", "subscrição", "adres",
    "e-mailadres", "inschrijving", "aanmelding", "registratie", "identiteit", "nieuwsbrief", "adres e-mail", "konto",
    "konta", "subskrypcj*", "zapis", "rejestracj*", "tożsamość", "adresu", "e-postadress*", "adress*", "kontot",
    "prenumeration*", "registrering*", "anmälan", "medlemskap*", "nyhetsbrev*", "e-mailadresse*", "e-postadresse*",
    "kontoen", "abonnement*", "tilmelding*", "påmelding*", "nyhedsbrev*", "sähköposti*", "osoite*", "osoitteesi",
    "tili", "tilin", "tilisi", "tilaus", "tilauksesi", "uutiskirje*", "rekisteröity*", "käyttäjätili*", "e-mail*",
    "adres*", "účet", "účtu", "odběr", "registrac*", "přihlášení k odběru", "totožnost", "адрес*", "почт*",
    "аккаунт*", "учётн*", "учетн*", "подписк*", "регистрац*", "личность", "рассылк*", "акаунт*", "обліков*", "пошт*",
    "реєстрац*", "e-posta*", "hesab*", "abonelik*", "üyelik*", "kayıt*", "メール", "アドレス", "アカウント", "登録", "会員", "購読",
    "メルマガ", "邮箱", "信箱", "电子邮件", "電子郵件", "郵件", "邮件", "帐号", "账号", "账户", "帳號", "帳戶", "订阅", "訂閱", "注册", "註冊", "身份", "이메일",
    "메일", "계정", "가입", "구독", "회원",
];

#[rustfmt::skip]
pub(super) const SIGN_IN: &[&str] = &[
    "sign me in", "log me in", "se connecter", "connectez-vous", "me connecter", "connecte-toi", "vous connecter",
    "te connecter", "anmelden", "einloggen", "jetzt anmelden", "melden sie sich an", "anmeldelink", "login-link",
    "anmelde-link", "einzuloggen", "anzumelden", "inicie sesión", "acceder", "ingresar", "accedi", "acceda", "entra",
    "acesse", "aceder", "inicie sessão", "fazer login", "inloggen", "aanmelden", "inloglink", "zaloguj", "zalogować",
    "logowania", "logowanie", "inloggning*", "loginlink*", "kirjaudu", "přihlásit", "přihlaste", "přihlášení",
    "přihlas", "войдите", "вход", "входа", "авторизоваться", "увійдіть", "entrare", "entrez", "me connecter à",
    "anmelden bei",
];

#[rustfmt::skip]
pub(super) const MAGIC: &[&str] = &[
    "magic link", "magic-link", "sign-in link", "sign in link", "signin link", "login link", "log-in link",
    "log in link", "link to sign in", "link to log in", "one-time link", "one-time login", "one time link",
    "passwordless", "without a password", "no password", "to sign in to", "to log in to", "securely sign in",
    "sign in instantly", "requested to sign in", "requested a link", "sign me in", "log me in", "secure link",
    "temporary link", "single-use link", "single-use", "lien magique", "lien de connexion", "lien à usage unique",
    "sans mot de passe", "pour vous connecter", "pour te connecter", "magischer link", "magischen link",
    "anmeldelink", "anmelde-link", "login-link", "einmal-link", "einmallink", "einloglink", "link zum anmelden",
    "link zum einloggen", "ohne passwort", "enlace mágico", "enlace de acceso", "enlace de inicio de sesión",
    "enlace para iniciar sesión", "enlace para acceder", "sin contraseña", "enlace de un solo uso", "link magico",
    "link di accesso", "link per accedere", "senza password", "link mágico", "link de acesso", "link de login",
    "ligação de acesso", "ligação mágica", "link para entrar", "sem senha", "link de início de sessão",
    "magische link", "inloglink", "inlog-link", "link om in te loggen", "zonder wachtwoord", "eenmalige link",
    "magiczny link", "link do logowania", "link logowania", "bez hasła", "jednorazowy link", "magisk länk",
    "magiska länk*", "inloggningslänk*", "utan lösenord", "engångslänk*", "magisk link", "magiske link", "loginlink*",
    "login-link*", "uden adgangskode", "engangslink*", "innloggingslenke*", "påloggingslenke*", "magisk lenke",
    "engangslenke*", "uten passord", "kirjautumislinkki*", "kirjautumislinkin*", "taikalinkki*", "ilman salasanaa",
    "kertakäyttö*", "přihlašovací odkaz*", "magický odkaz", "odkaz pro přihlášení", "odkaz k přihlášení", "bez hesla",
    "jednorázový odkaz", "ссылка для входа", "ссылку для входа", "ссылке для входа", "ссылка для авторизации",
    "волшебная ссылка", "магическая ссылка", "одноразовая ссылка", "одноразовую ссылку", "без пароля",
    "посилання для входу", "sihirli bağlantı", "giriş bağlantısı", "ログインリンク", "マジックリンク", "ログイン用リンク", "ログイン用のリンク",
    "ログインurl", "ログイン用url", "パスワードなし", "パスワード不要", "サインインリンク", "登录链接", "登入連結", "魔法链接", "魔法連結", "免密", "一次性链接", "一次性連結",
    "登录连结", "로그인 링크", "매직 링크", "매직링크", "비밀번호 없이", "일회용 링크", "로그인 url",
];

#[rustfmt::skip]
pub(super) const PASSWORD: &[&str] = &[
    "password", "passcode", "passwort", "*passwort", "kennwort", "passworts", "passwortes", "kennworts",
    "mot de passe", "contraseña", "clave", "senha", "palavra-passe", "wachtwoord", "wachtwoorden", "hasło", "hasła",
    "hasłem", "lösenord", "lösenordet", "adgangskode", "adgangskoden", "passord", "passordet", "salasana",
    "salasanan", "salasanasi", "salasanaa", "heslo", "hesla", "пароль", "пароля", "паролю", "şifre*", "parola*",
    "パスワード", "密码", "密碼", "비밀번호", "암호",
];

#[rustfmt::skip]
pub(super) const RESET: &[&str] = &[
    "reset", "resetting", "new", "change", "changing", "choose", "set", "set up", "create", "recover", "forgot",
    "forgotten", "update", "réinitialis*", "nouveau", "modifier", "choisir", "créer", "changer", "définir", "oublié",
    "zurücksetz*", "zurückzusetzen", "neues", "neu", "ändern", "festlegen", "vergeben", "erstellen", "passwortreset",
    "vergessen", "restablec*", "nueva", "cambiar", "crear", "recuper*", "restaur*", "olvid*", "elegir", "reimposta*",
    "ripristin*", "nuova", "reset*", "cambia", "cambiare", "recupera*", "crea", "dimentica*", "redefin*", "repor",
    "nova", "alterar", "criar", "esquec*", "reposição", "herstel*", "opnieuw instellen", "opnieuw in te stellen",
    "nieuw", "nieuwe", "wijzig*", "instellen", "resetten", "vergeten", "resetuj", "zresetuj", "zresetować",
    "resetowania", "resetowanie", "nowe", "zmień", "ustaw", "odzysk*", "przywróć", "återställ*", "nytt", "ändra",
    "välj", "byt", "glömt", "nulstil*", "ny", "skift", "vælg", "opret", "glemt", "tilbakestill*", "endre", "velg",
    "nullstill*", "gjenopprett*", "palauta", "palauttaa", "palauttaaksesi", "nollaa", "nollata*", "vaihda", "vaihtaa",
    "uusi", "uuden", "aseta", "asettaa", "unohtu*", "obnov*", "resetovat", "nové", "změnit", "nastavit", "zapomen*",
    "nového", "сброс*", "восстанов*", "новый", "нового", "изменить", "сменить", "создать", "забыли", "скинути",
    "скидання", "відновити", "новий", "sıfırla*", "yenile*", "yeni", "再設定", "リセット", "再発行", "変更", "新しい", "设定", "重置",
    "重設", "重设", "找回", "修改", "更改", "新密码", "新密碼", "재설정", "변경", "초기화", "새", "찾기",
];

#[rustfmt::skip]
pub(super) const ACCEPT: &[&str] = &[
    "accept", "join", "joining", "accepter", "acceptez", "accepte", "rejoindre", "rejoignez", "rejoins", "annehmen",
    "akzeptieren", "beitreten", "beizutreten", "teilnehmen", "mitmachen", "anzunehmen", "aceptar", "acepta", "acepte",
    "unirme", "unirte", "unirse", "únete", "unirme al", "accetta", "accettare", "accetti", "unisciti", "partecipa",
    "unirti", "aceitar", "aceite", "aceita", "participar", "juntar-se", "junte-se", "accepteren", "accepteer",
    "deelnemen", "lid worden", "word lid", "aansluiten", "zaakceptuj", "zaakceptować", "akceptuj", "przyjmij",
    "przyjąć", "dołącz", "dołączyć", "acceptera", "gå med", "anslut", "tacka ja", "acceptér", "deltag", "bliv medlem",
    "tilslut", "godta", "aksepter", "bli med", "delta", "hyväksy", "hyväksyä", "liity", "liittyä", "liittyäksesi",
    "přijmout", "přijměte", "přijmi", "připojit se", "připojte se", "принять", "примите", "присоединиться",
    "присоединяйтесь", "прийняти", "приєднатися", "kabul et", "katıl*", "承諾", "承認", "参加", "受け入れ", "接受", "加入", "수락",
    "참여", "참가", "합류",
];

#[rustfmt::skip]
pub(super) const INVITED: &[&str] = &[
    "invitation", "invite", "invited", "invites", "invitations", "invité", "invitée", "invite à", "vous invite",
    "t'invite", "einladung", "einladungslink", "eingeladen", "lädt dich", "lädt sie", "invitación", "invitado",
    "invitada", "ha invitado", "te invitó", "invito", "invitato", "invitata", "invita a", "convite", "convidado",
    "convidada", "convidou", "uitnodiging", "uitgenodigd", "uitgenodigt", "zaproszenie", "zaproszenia", "zaprasza",
    "zaprosił", "zaprosiła", "zaproszono", "inbjudan", "inbjuden", "bjudit in", "bjuder in", "invitationen",
    "inviteret", "inviterer", "invitasjon*", "invitert", "kutsu", "kutsun", "kutsui", "kutsuttu", "kutsunut",
    "kutsuu", "pozvánk*", "pozván", "pozvána", "pozval", "pozvala", "zve", "приглашение", "приглашения", "приглашает",
    "приглашены", "пригласил", "пригласила", "запрошення", "запросив", "запросила", "запрошує", "davet*", "招待", "邀请",
    "邀請", "초대",
];
