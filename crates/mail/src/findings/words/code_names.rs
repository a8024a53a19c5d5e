//! Names and purposes of codes.

#[rustfmt::skip]
pub(super) const ONE_TIME: &[&str] = &[
    "otp", "totp", "otc", "one-time code", "one time code", "one-time passcode", "one time passcode",
    "one-time password", "one time password", "one-time pin", "verification number", "verification pin",
    "authentication number", "code à usage unique", "mot de passe à usage unique", "mot de passe unique",
    "einmalcode", "einmal-code", "einmalpasswort", "einmalkennwort", "einmal-pin", "tan", "mtan", "smstan", "sms-tan",
    "pushtan", "*-tan", "código de un solo uso", "contraseña de un solo uso", "clave de un solo uso",
    "clave dinámica", "codice monouso", "codice usa e getta", "codice temporaneo", "password monouso",
    "código de uso único", "senha de uso único", "senha descartável", "palavra-passe de utilização única",
    "token de acesso", "eenmalige code", "eenmalig wachtwoord", "eenmalige toegangscode", "kod jednorazowy",
    "kodu jednorazowego", "jednorazowy kod", "jednorazowego kodu", "hasło jednorazowe", "jednorazowe hasło",
    "engångskod*", "engångslösenord*", "engangskode*", "engangsadgangskode*", "engangspassord*", "kertakäyttö*",
    "kertakoodi*", "jednorázový kód", "jednorázového kódu", "jednorázové heslo", "одноразовый код",
    "одноразового кода", "одноразовый пароль", "одноразового пароля", "одноразовий код", "одноразовий пароль",
    "tek kullanımlık şifre*", "tek kullanımlık kod*", "tek seferlik kod*", "認証コード", "認証番号", "確認コード", "確認番号",
    "ワンタイムパスワード", "ワンタイムコード", "セキュリティコード", "ログインコード", "検証コード", "認証キー", "暗証コード", "本人確認コード", "パスコード", "サインインコード", "验证码",
    "驗證碼", "校验码", "校驗碼", "动态密码", "動態密碼", "动态码", "動態碼", "动态口令", "一次性密码", "一次性密碼", "一次性代码", "认证码", "認證碼", "确认码", "確認碼",
    "安全码", "安全碼", "登录码", "登入碼", "激活码", "验证代码", "驗證代碼", "一次性验证", "一次性驗證", "登录代码", "安全代码", "安全代碼", "授权码", "短信码", "识别码",
    "인증번호", "인증 번호", "인증코드", "인증 코드", "확인코드", "확인 코드", "보안코드", "보안 코드", "확인번호", "확인 번호", "일회용 비밀번호", "일회용 코드",
    "로그인 코드", "로그인코드", "일회용 암호", "본인확인 번호", "본인 확인 코드", "2fa",
];

#[rustfmt::skip]
pub(super) const CODE: &[&str] = &[
    "*code", "passcode", "pin", "pin code", "pin-code", "token", "code pin", "code-pin", "*-pin", "código", "codigo",
    "codice", "clave", "kod", "kodu", "kodem", "*kod", "*koden", "*kode", "*koodi*", "kód", "kódu", "kódem", "код",
    "кода", "коду", "кодом", "пин-код", "пін-код", "kodunuz", "kodunu", "kodunuzu", "コード", "代码", "代碼", "코드", "digits",
    "*-digit number", "*-digit", "ziffern", "*ziffern", "zahlencode", "*zifferncode", "chiffres", "dígitos", "cifre",
    "cijfers", "*cijfercode", "cyfry", "cyfr", "siffror*", "*sifferkod*", "siffer", "sifrene", "sifferne",
    "*sifferkode*", "numerosarja*", "*numeroinen", "číslice", "číslic", "цифры", "цифр", "桁の数字", "数字コード", "位数字",
    "位數字", "자리 숫자", "자리 번호", "smscode", "zahlen", "number below", "following number", "pincode", "tunnusluku*",
    "tunnusluvu*", "avainluku*", "次の番号", "以下の番号", "下記の番号", "six-digit code", "four-digit code", "eight-digit code",
];

#[rustfmt::skip]
pub(super) const YOUR_CODE: &[&str] = &[
    "your code", "votre code", "ton code", "ihr code", "ihren code", "dein code", "deinen code", "tu código",
    "su código", "il tuo codice", "tuo codice", "suo codice", "seu código", "teu código", "o código é", "uw code",
    "je code", "jouw code", "twój kod", "din kod", "din kode", "koodisi", "váš kód", "tvůj kód", "ваш код",
    "твой код", "твій код", "kodunuz", "あなたのコード", "您的代码", "您的代碼", "code you requested", "requested code",
    "code demandé", "angeforderte code", "angeforderter code", "código solicitado", "código que has solicitado",
    "código que solicitaste", "codice richiesto", "codice che hai richiesto", "código que solicitou",
    "gevraagde code", "aangevraagde code", "kod, o który", "begärda koden", "запрошенный код",
    "koden din",
];

#[rustfmt::skip]
pub(super) const YOUR: &[&str] = &[
    "your", "votre", "ton", "ihr", "ihren", "ihrem", "dein", "deinen", "deinem", "tu", "su", "il tuo", "tuo", "suo",
    "seu", "teu", "uw", "je", "jouw", "twój", "din", "ditt", "váš", "tvůj", "ваш", "твой", "твій", "あなたの", "お客様の",
    "您的", "你的", "고객님의", "회원님의", "귀하의", "당신의",
];

/// Words between "your" and "code" that specify the code.
#[rustfmt::skip]
pub(in crate::findings) const NEW: &[&str] = &[
    "new", "latest", "current", "personal", "nouveau", "neuer", "neuen", "nuevo", "nuovo", "novo", "nieuwe", "nowy",
    "nya", "nye", "uusi", "nový", "новый", "новий", "yeni", "新しい", "新", "新的", "새", "새로운",
];

#[rustfmt::skip]
pub(super) const PURPOSE: &[&str] = &[
    "verif*", "authenti*", "security", "sign up", "sign-up", "signup", "access", "activat*", "one-time", "one time",
    "single-use", "2-step", "two-step", "two-factor", "2fa", "mfa", "identity", "device", "temporary", "registration",
    "registering", "password reset", "reset your password", "reset code", "pairing", "passcode", "it's you",
    "it is you", "vérif*", "sécurité", "connecter", "accès", "usage unique", "identité", "inscription", "validation",
    "valider", "réinitialis*", "identification", "appareil", "verifizier*", "sicherheits*", "anmeld*", "zugangs*",
    "zugriffs*", "login*", "freischalt*", "aktivier*", "registrier*", "identität", "einmalig*", "authentifizier*",
    "prüf*", "zwei-faktor*", "zurücksetz*", "gerät", "freigabe*", "einlog*", "verific*", "seguridad", "acceso",
    "activación", "identidad", "registro", "restablec*", "autentic*", "autentific*", "validación", "un solo uso",
    "sicurezza", "attivazione", "identità", "registrazione", "reimposta*", "convalida", "monouso", "segurança",
    "acesso", "início de sessão", "ativação", "identidade", "cadastro", "registo", "redefin*", "validação",
    "uso único", "verificatie*", "beveiligings*", "inlog*", "toegangs*", "aanmeld*", "activering*", "identiteit",
    "registratie", "eenmalig*", "aan te melden", "controle*", "herstel*", "weryfik*", "bezpieczeństwa", "logowani*",
    "zalogow*", "dostęp*", "aktywac*", "uwierzyteln*", "tożsamo*", "autoryz*", "rejestrac*", "jednorazow*",
    "resetow*", "verifier*", "säkerhets*", "inlogg*", "åtkomst*", "aktiver*", "identitet*", "engångs*", "registrer*",
    "sikkerheds*", "sikkerhets*", "adgangs*", "tilgangs*", "engangs*", "godkendelse*", "autoris*", "autentifi*",
    "legitima*", "indlogning*", "vahvist*", "turva*", "kirjaudu*", "aktivoin*", "todennus*", "tunnist*", "varmennus*",
    "varmistus*", "rekisteröi*", "kertakäyttö*", "ověř*", "bezpečnostní*", "přihláš*", "přihlaš*", "aktivač*",
    "přístup*", "autoriza*", "totožnost*", "registrac*", "jednorázov*", "autentiza*", "провер*", "безопасност*",
    "вход*", "доступ*", "авторизац*", "активац*", "аутентифик*", "верифик*", "личност*", "регистрац*", "одноразов*",
    "защит*", "безпек*", "перевір*", "автентиф*", "реєстрац*", "doğrula*", "güvenlik", "aktivasyon", "kimlik",
    "erişim", "oturum", "認証", "セキュリティ", "本人確認", "登録", "検証", "ワンタイム", "アクセス", "二段階", "2段階", "验证", "驗證", "安全", "身份",
    "身分", "注册", "註冊", "激活", "认证", "認證", "一次性", "啟用", "重设", "重設", "인증", "보안", "본인", "가입", "일회용", "2단계", "pair",
    "connect", "browser", "koble", "verbinden", "jumeler", "associer", "vincular", "abbinare", "confirming",
    "signing you up", "signing up", "sign you in", "signing you in", "log you in", "logging you in", "temporaire",
    "temporär*", "temporal", "temporaneo", "temporanea", "temporário", "tijdelijk*", "tymczasow*", "tillfällig*",
    "midlertidig*", "väliaikai*", "dočasn*", "временн*", "一時", "临时", "臨時", "임시", "pincode", "sessie",
];

#[rustfmt::skip]
pub(super) const CONFIRMATION: &[&str] = &[
    "confirm*", "bestätig*", "conferm*", "bevestig*", "potwierd*", "bekräft*", "bekræft*", "bekreft*", "potvrz*",
    "potvrď*", "подтвер*", "підтвер*", "onay*", "確認", "确认", "確認碼", "확인", "authoriz*", "authoris*",
];
