//! The words around codes, by meaning, a line or so for each language:
//! en, fr, de, es, it, pt, nl, pl, sv, da and nb, fi, cs, ru and uk, tr, ja, zh, ko.

use super::lexicon::{Meaning, Table};

/// What a word near a number says of the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeWord {
    /// A code for typing in once, and nothing else.
    OneTime,
    /// Some code.
    Code,
    /// Some code, and it is the reader's.
    YourCode,
    /// What such codes are for: signing in, proving who one is.
    Purpose,
    /// The same, but of bookings and orders too.
    Confirmation,
    /// The code lasts but minutes, or is not to be told to others.
    Care,
    /// A number with a name of its own: that of an order, a coupon, a telephone.
    OtherNumber,
    /// A thing that has a number right behind it.
    Numbered,
    /// What a number right before it counts.
    Unit,
    /// Locks, alarms, networks of people who tell one another their codes.
    Household,
    /// To enter something.
    Enter,
    /// Programs and mail servers talk of what went wrong.
    Technical,
    /// The mail is about a meeting to dial into.
    Meeting,
    /// The mail is about buying cheaply.
    Promotion,
    /// The mail is about something bought, booked or sent.
    Trade,
    /// The mail hands over a list of codes to keep.
    Recovery,
}

impl Meaning for CodeWord {
    fn is_subject(self) -> bool {
        matches!(
            self,
            Self::Care
                | Self::Enter
                | Self::Technical
                | Self::Household
                | Self::Meeting
                | Self::Promotion
                | Self::Trade
                | Self::Recovery
        )
    }

    fn number(self) -> u32 {
        self as u32
    }
}

use CodeWord as W;

pub(super) const CODE_WORDS: &Table<CodeWord> = &[
    (W::OneTime, ONE_TIME),
    (W::Code, CODE),
    (W::YourCode, YOUR_CODE),
    (W::Purpose, PURPOSE),
    (W::Confirmation, CONFIRMATION),
    (W::Care, CARE),
    (W::OtherNumber, OTHER_NUMBER),
    (W::Numbered, NUMBERED),
    (W::Unit, UNIT),
    (W::Household, HOUSEHOLD),
    (W::Enter, ENTER),
    (W::Technical, TECHNICAL),
    (W::Meeting, MEETING),
    (W::Promotion, PROMOTION),
    (W::Trade, TRADE),
    (W::Recovery, RECOVERY),
];

#[rustfmt::skip]
const ONE_TIME: &[&str] = &[
    "otp", "totp", "otc", "one-time code", "one time code", "one-time passcode", "one time passcode",
    "one-time password",
    "one time password", "one-time pin", "verification number", "verification pin", "authentication number",
    "code à usage unique", "mot de passe à usage unique", "mot de passe unique",
    "einmalcode", "einmal-code", "einmalpasswort", "einmalkennwort", "einmal-pin", "tan", "mtan", "smstan", "sms-tan",
    "pushtan", "*-tan",
    "código de un solo uso", "contraseña de un solo uso", "clave de un solo uso", "clave dinámica",
    "codice monouso", "codice usa e getta", "codice temporaneo", "password monouso",
    "código de uso único", "senha de uso único", "senha descartável", "palavra-passe de utilização única",
    "token de acesso",
    "eenmalige code", "eenmalig wachtwoord", "eenmalige toegangscode",
    "kod jednorazowy", "kodu jednorazowego", "jednorazowy kod", "jednorazowego kodu", "hasło jednorazowe",
    "jednorazowe hasło",
    "engångskod*", "engångslösenord*", "engangskode*", "engangsadgangskode*", "engangspassord*",
    "kertakäyttö*", "kertakoodi*", "jednorázový kód", "jednorázového kódu", "jednorázové heslo",
    "одноразовый код", "одноразового кода", "одноразовый пароль", "одноразового пароля", "одноразовий код",
    "одноразовий пароль",
    "tek kullanımlık şifre*", "tek kullanımlık kod*", "tek seferlik kod*",
    "認証コード", "認証番号", "確認コード", "確認番号", "ワンタイムパスワード", "ワンタイムコード", "セキュリティコード",
    "ログインコード", "検証コード", "認証キー", "暗証コード", "本人確認コード", "パスコード", "サインインコード",
    "验证码", "驗證碼", "校验码", "校驗碼", "动态密码", "動態密碼", "动态码", "動態碼", "动态口令", "一次性密码", "一次性密碼",
    "一次性代码", "认证码", "認證碼", "确认码", "確認碼", "安全码", "安全碼", "登录码", "登入碼", "激活码", "验证代码", "驗證代碼",
    "一次性验证", "一次性驗證", "登录代码", "安全代码", "安全代碼", "授权码", "短信码", "识别码",
    "인증번호", "인증 번호", "인증코드", "인증 코드", "확인코드", "확인 코드", "보안코드", "보안 코드", "확인번호", "확인 번호",
    "일회용 비밀번호", "일회용 코드", "로그인 코드", "로그인코드", "일회용 암호", "본인확인 번호", "본인 확인 코드",
    "2fa",
];

#[rustfmt::skip]
const CODE: &[&str] = &[
    "*code", "passcode", "pin", "pin code", "pin-code", "token", "code pin", "code-pin", "*-pin",
    "código", "codigo", "codice", "clave", "kod", "kodu", "kodem", "*kod", "*koden", "*kode", "*koodi*",
    "kód", "kódu", "kódem", "код", "кода", "коду", "кодом", "пин-код", "пін-код", "kodunuz", "kodunu", "kodunuzu",
    "コード", "代码", "代碼", "코드",
    "digits", "*-digit number", "*-digit", "ziffern", "*ziffern", "zahlencode", "*zifferncode", "chiffres",
    "dígitos", "cifre", "cijfers", "*cijfercode", "cyfry", "cyfr", "siffror*", "*sifferkod*", "siffer", "sifrene",
    "sifferne", "*sifferkode*", "numerosarja*", "*numeroinen", "číslice", "číslic", "цифры", "цифр", "桁の数字",
    "数字コード", "位数字", "位數字", "자리 숫자", "자리 번호", "smscode", "zahlen",
    "number below", "following number",
    "pincode", "tunnusluku*", "tunnusluvu*", "avainluku*", "次の番号", "以下の番号", "下記の番号", "six-digit code",
    "four-digit code", "eight-digit code",
];

#[rustfmt::skip]
const YOUR_CODE: &[&str] = &[
    "your code", "votre code", "ton code", "ihr code", "ihren code", "dein code", "deinen code", "tu código",
    "su código",
    "il tuo codice", "tuo codice", "suo codice", "seu código", "teu código", "o código é", "uw code", "je code",
    "jouw code",
    "twój kod", "din kod", "din kode", "koodisi", "váš kód", "tvůj kód", "ваш код", "твой код", "твій код", "kodunuz",
    "あなたのコード", "您的代码", "您的代碼",
    "code you requested", "requested code", "code demandé", "angeforderte code", "angeforderter code",
    "código solicitado", "código que has solicitado", "código que solicitaste", "codice richiesto",
    "codice che hai richiesto", "código que solicitou", "gevraagde code", "aangevraagde code", "kod, o który",
    "begärda koden", "запрошенный код",
];

#[rustfmt::skip]
const PURPOSE: &[&str] = &[
    "verif*", "authenti*", "security", "login", "log in", "log-in", "logging in", "sign in", "sign-in", "signin",
    "signing in",
    "sign up", "sign-up", "signup", "access", "activat*", "one-time", "one time", "single-use", "2-step", "two-step",
    "two-factor", "2fa", "mfa", "identity", "device", "temporary", "registration", "registering", "password reset",
    "reset your password", "reset code", "pairing", "passcode", "it's you", "it is you",
    "vérif*", "sécurité", "connexion", "connecter", "accès", "usage unique", "identité", "inscription", "validation",
    "valider", "réinitialis*", "identification", "appareil",
    "verifizier*", "sicherheits*", "anmeld*", "zugangs*", "zugriffs*", "login*", "freischalt*", "aktivier*",
    "registrier*",
    "identität", "einmalig*", "authentifizier*", "prüf*", "zwei-faktor*", "zurücksetz*", "gerät", "freigabe*",
    "einlog*",
    "verific*", "seguridad", "acceso", "iniciar sesión", "inicio de sesión", "inicia sesión", "activación",
    "identidad",
    "registro", "restablec*", "autentic*", "autentific*", "validación", "un solo uso",
    "sicurezza", "accesso", "accedere", "attivazione", "identità", "registrazione", "reimposta*", "convalida",
    "monouso",
    "segurança", "acesso", "acessar", "entrar", "iniciar sessão", "início de sessão", "ativação", "identidade",
    "cadastro",
    "registo", "redefin*", "validação", "uso único",
    "verificatie*", "beveiligings*", "inlog*", "in te loggen", "toegangs*", "aanmeld*", "activering*", "identiteit",
    "registratie", "eenmalig*", "aan te melden", "controle*", "herstel*",
    "weryfik*", "bezpieczeństwa", "logowani*", "zalogow*", "dostęp*", "aktywac*", "uwierzyteln*", "tożsamo*",
    "autoryz*",
    "rejestrac*", "jednorazow*", "resetow*",
    "verifier*", "säkerhets*", "inlogg*", "logga in", "åtkomst*", "aktiver*", "identitet*", "engångs*", "registrer*",
    "sikkerheds*", "sikkerhets*", "log ind", "logge ind", "logge inn", "logg inn", "innlogging*", "adgangs*",
    "tilgangs*",
    "engangs*", "pålogging*", "godkendelse*", "autoris*", "autentifi*", "legitima*", "indlogning*",
    "vahvist*", "turva*", "kirjautu*", "kirjaudu*", "sisäänkirjautu*", "aktivoin*", "todennus*", "tunnist*",
    "varmennus*",
    "varmistus*", "rekisteröi*", "kertakäyttö*",
    "ověř*", "bezpečnostní*", "přihláš*", "přihlaš*", "aktivač*", "přístup*", "autoriza*", "totožnost*", "registrac*",
    "jednorázov*", "autentiza*",
    "провер*", "безопасност*", "вход*", "войти", "доступ*", "авторизац*", "активац*", "аутентифик*", "верифик*",
    "личност*",
    "регистрац*", "одноразов*", "защит*", "безпек*", "вхід", "входу", "увійти", "перевір*", "автентиф*", "реєстрац*",
    "doğrula*", "giriş", "güvenlik", "aktivasyon", "kimlik", "erişim", "oturum",
    "認証", "ログイン", "サインイン", "セキュリティ", "本人確認", "登録", "検証", "ワンタイム", "アクセス", "二段階", "2段階",
    "验证", "驗證", "登录", "登入", "登陆", "安全", "身份", "身分", "注册", "註冊", "激活", "认证", "認證", "一次性", "啟用", "重设", "重設",
    "인증", "로그인", "보안", "본인", "가입", "일회용", "2단계",
    "pair", "connect", "browser", "koble", "verbinden", "jumeler", "associer", "vincular", "abbinare", "confirming",
    "signing you up", "signing up", "sign you in", "signing you in", "log you in", "logging you in",
    "temporaire", "temporär*", "temporal", "temporaneo", "temporanea", "temporário", "tijdelijk*", "tymczasow*",
    "tillfällig*", "midlertidig*", "väliaikai*", "dočasn*", "временн*", "一時", "临时", "臨時", "임시", "pincode", "sessie",
];

#[rustfmt::skip]
const CONFIRMATION: &[&str] = &[
    "confirm*", "bestätig*", "conferm*", "bevestig*", "potwierd*", "bekräft*", "bekræft*", "bekreft*", "potvrz*",
    "potvrď*",
    "подтвер*", "підтвер*", "onay*", "確認", "确认", "確認碼", "확인",
    "authoriz*", "authoris*",
];

#[rustfmt::skip]
const CARE: &[&str] = &[
    "expires in", "expire in", "will expire", "expires after", "expires at", "expires on", "valid for", "valid until",
    "valid only for", "only be used once", "used only once", "good for", "share this code", "share your code",
    "share the code", "share it with", "share this with", "give this code", "ignore this email",
    "ignore this message",
    "didn't request", "did not request", "didn’t request", "didn't try", "disregard this", "enter this code",
    "enter the code", "use this code", "enter it", "enter the following", "use the following", "safely ignore",
    "expire dans", "expirera", "valable", "valide pendant", "ne partagez", "ne le partagez", "ne communiquez",
    "ne le communiquez",
    "ignorez", "ignorer", "pas demandé", "à l'origine de cette", "saisissez ce code", "entrez ce code",
    "gültig", "läuft in", "läuft ab", "verfällt", "geben sie ihn", "niemandem", "nicht weiter", "nicht angefordert",
    "ignorieren sie", "ignoriere", "gib diesen code", "geben sie diesen code", "geben sie den code", "diesen code",
    "caduca", "expira", "vence en", "válido", "no compartas", "no comparta", "no lo compartas", "no lo comparta",
    "ignora este",
    "ignore este", "no has solicitado", "no solicitaste", "no solicitó", "ingresa este", "introduce este",
    "este código",
    "scade", "scadrà", "valido per", "valido", "non condivider*", "ignora questa", "ignorare questa",
    "non hai richiesto",
    "questo codice", "válida por", "não compartilhe", "não partilhe", "não solicitou", "não pediu", "desconsidere",
    "geldig", "verloopt", "deel deze", "deel dit", "niet aangevraagd", "negeer", "deze code", "niemand",
    "ważny", "wygasa", "wygaśnie", "nie udostępniaj", "nie przekazuj", "nikomu", "zignoruj", "tego kodu",
    "giltig", "upphör", "går ut", "dela inte", "ignorera", "bortse", "koden är", "begärt", "dela aldrig",
    "gyldig", "udløber", "utløper", "del ikke", "del aldrig", "del aldri", "ikke anmodet", "ikke bedt om",
    "voimassa", "vanhenee", "älä jaa", "jätä huomiotta", "et pyytänyt", "etkö pyytänyt", "kellekään", "kenellekään",
    "platný", "platnost", "platí", "vyprší", "nesdílejte", "nesdělujte", "ignorujte", "nežádali", "tento kód",
    "действителен", "действует", "истекает", "истечет", "истечёт", "никому", "не сообщайте", "не передавайте",
    "не запрашивали",
    "проигнорируйте", "дійсний", "нікому", "не повідомляйте",
    "geçerli", "paylaşmayın", "kimseyle",
    "有効期限", "分間有効", "有効です", "以内に", "教えないで", "共有しないで", "心当たり", "入力して", "ご入力", "入力してください",
    "有效", "请勿", "請勿", "分钟内", "分鐘內", "泄露", "洩露", "忽略", "告诉他人", "过期", "過期", "失效",
    "유효", "분 이내", "분간", "공유하지", "알려주지", "요청하지", "무시하", "입력해", "만료",
];

#[rustfmt::skip]
const OTHER_NUMBER: &[&str] = &[
    "order number", "order no", "order id", "order code", "invoice number", "invoice no", "invoice id",
    "tracking number",
    "tracking code", "tracking no", "tracking id", "ticket number", "ticket id", "case number", "case id", "case no",
    "reference number", "reference code", "reference no", "booking number", "booking code",
    "booking reference", "booking id", "reservation number", "reservation code", "record locator",
    "confirmation number",
    "confirmation no", "itinerary number", "flight number", "account number", "customer number", "customer id",
    "client id",
    "member number", "membership number", "member id", "serial number", "model number", "part number",
    "phone number", "postal code", "post code",
    "postcode", "zip code", "zipcode", "area code", "country code", "dial code", "dialing code", "sort code",
    "swift code", "vat no", "vat number", "tax id", "tax number", "company number",
    "registration number", "company no", "registered number", "error code", "status code", "exit code",
    "response code",
    "promo code", "promotion code", "promotional code", "coupon code", "coupon", "discount code", "voucher code",
    "voucher", "offer code", "referral code", "invite code", "invitation code", "gift code", "gift card code",
    "gift card number", "gift card", "claim code", "redemption code", "redeem code", "deal code", "vip code",
    "code at checkout", "rebate code", "savings code", "priority code", "source code", "code review",
    "review code", "qr code", "qr-code", "barcode", "bar code", "dress code", "product code", "item code",
    "color code",
    "colour code", "code of conduct", "morse code", "legacy code", "meeting id", "meeting number", "meeting code",
    "access number", "conference id", "conference code", "webinar id", "dial-in", "host code", "participant code",
    "participant pin", "host pin", "phone conference id", "build number",
    "transaction id", "transaction number", "transaction code", "payment id", "payment reference", "receipt number",
    "receipt no", "receipt", "policy number", "contract number", "claim number", "student number", "employee id",
    "user id", "license key", "licence key", "product key", "activation key", "api key", "pickup code",
    "pick-up code",
    "pick up code", "collection code", "collection pin", "locker code", "delivery code", "delivery pin", "gate code",
    "door code", "entry code", "lockbox code", "lock code", "wifi code", "wi-fi code", "wifi password",
    "wi-fi password",
    "ending in", "ending with", "card number", "last four", "last 4", "survey code", "class code",
    "room code", "hs code", "backup code*",
    "recovery code*", "emergency code*", "game code", "friend code",
    "numéro de commande", "numéro de facture", "numéro de suivi", "numéro de client", "numéro client",
    "numéro de dossier",
    "numéro de ticket", "numéro de réservation", "n° de commande", "commande n°", "facture n°", "n° de suivi",
    "code promo*", "code de réduction", "code réduction", "code avantage", "code cadeau", "code postal",
    "code de retrait",
    "code de suivi", "code d'erreur", "code erreur", "code source", "code vestimentaire", "code-barres", "code qr",
    "code de réservation", "code parrain*", "code de la porte",
    "bestellnummer", "bestell-nr", "rechnungsnummer", "rechnungs-nr", "rechnungsnr", "sendungsnummer",
    "trackingnummer",
    "vorgangsnummer", "ticketnummer", "kundennummer", "kunden-nr", "kundennr", "auftragsnummer", "buchungsnummer",
    "buchungscode", "buchungs-code", "reservierungsnummer", "referenznummer", "aktenzeichen", "vertragsnummer",
    "telefonnummer", "postleitzahl", "gutscheincode", "gutschein-code", "gutschein*",
    "rabattcode", "rabatt-code", "aktionscode", "promocode", "promo-code", "fehlercode", "quellcode", "strichcode",
    "abholcode", "abhol-code", "steuernummer", "ust-id", "ust-idnr", "handelsregister*", "türcode",
    "tracking-code", "sendungscode", "artikelnummer", "seriennummer", "flugnummer", "mitgliedsnummer",
    "empfehlungscode",
    "einladungscode", "geschenkcode", "kontonummer", "bankleitzahl", "vorgangs-id", "backup-code*",
    "wiederherstellungscode*",
    "número de pedido", "número de factura", "número de seguimiento", "número de reserva", "número de cliente",
    "nº de pedido",
    "código promocional", "código de descuento", "código de cupón", "código postal", "código de reserva",
    "código de seguimiento",
    "código de error", "código de barras", "código fuente", "código qr", "cupón",
    "código de recogida", "código de regalo", "código de invitación", "código de referido",
    "numero d'ordine", "numero ordine", "numero di ordine", "numero fattura", "numero di fattura",
    "numero di tracking",
    "numero di spedizione", "numero cliente", "codice sconto", "codice promo*", "codice coupon", "codice postale",
    "codice fiscale",
    "codice di prenotazione", "codice prenotazione", "codice cliente", "codice ordine", "codice di tracciamento",
    "codice tracking",
    "codice errore", "codice sorgente", "codice a barre", "codice regalo", "codice di ritiro", "codice articolo",
    "partita iva", "p.iva", "p. iva", "codice invito", "codice amico", "codice di errore",
    "número do pedido", "número da encomenda", "número da fatura", "número de rastreamento", "código de rastreio",
    "código de rastreamento", "código de desconto", "cupom", "cupão",
    "código de erro", "código-fonte",
    "código de levantamento", "código de retirada", "código da reserva",
    "bestelnummer", "ordernummer", "factuurnummer", "klantnummer", "volgnummer", "reserveringsnummer",
    "boekingsnummer",
    "boekingscode", "kortingscode", "actiecode", "vouchercode", "cadeaucode", "foutcode", "broncode", "trackingcode",
    "track-en-tracecode", "afhaalcode", "ophaalcode", "telefoonnummer", "dossiernummer",
    "zaaknummer", "deurcode", "uitnodigingscode",
    "numer zamówienia", "nr zamówienia", "zamówienie nr", "zamówienia nr", "numer faktury", "faktura nr",
    "numer przesyłki",
    "numer klienta", "numer rezerwacji", "kod rabatowy", "kodem rabatowym", "kodu rabatowego", "kod promocyjny",
    "kod pocztowy",
    "kod błędu", "kod odbioru", "kod rezerwacji", "kod źródłowy", "kod kreskowy", "kod qr", "kupon*",
    "numer telefonu",
    "numer zgłoszenia", "zgłoszenie", "kod polecający", "kodu pocztowego",
    "beställningsnummer", "fakturanummer", "kundnummer", "bokningsnummer", "bokningskod*", "kollinummer",
    "spårningsnummer", "ärendenummer", "rabattkod*", "kampanjkod*", "presentkod*", "värdekod*", "postnummer",
    "felkod*",
    "källkod*", "streckkod*", "hämtkod*", "hämtningskod*", "orgnr", "org.nr", "organisationsnummer",
    "referensnummer", "portkod*", "dörrkod*", "inbjudningskod*",
    "ordrenummer", "kundenummer", "bookingnummer", "bestillingsnummer", "bestillingskode*", "bookingkode*",
    "sporingsnummer", "sagsnummer", "saksnummer", "rabatkode*", "rabattkode*", "kampagnekode*", "kampanjekode*",
    "gavekode*",
    "fejlkode*", "feilkode*", "kildekode*", "stregkode*", "strekkode*", "hentekode*", "afhentningskode*",
    "referansenummer", "referencenummer", "reservationsnummer", "dørkode*",
    "invitationskode*",
    "tilausnumero*", "tilausnro", "laskun numero*", "laskunumero*", "asiakasnumero*", "varausnumero*",
    "varaustunnus*",
    "varauskoodi*", "seurantakoodi*", "seurantanumero*", "lähetystunnus*", "alennuskoodi*", "kampanjakoodi*",
    "etukoodi*",
    "lahjakoodi*", "postinumero*", "virhekoodi*", "lähdekoodi*", "viivakoodi*", "noutokoodi*", "ovikoodi*",
    "puhelinnumero*",
    "y-tunnus", "viitenumero*", "tikettinumero*", "kutsukoodi*", "qr-koodi*",
    "číslo objednávky", "objednávka č", "objednávky č", "číslo faktury", "faktura č", "číslo zásilky",
    "číslo rezervace",
    "zákaznické číslo", "slevový kód", "slevového kódu", "slevovým kódem", "slevovy kod", "promo kód",
    "poštovní směrovací",
    "chybový kód", "kód chyby", "zdrojový kód", "čárový kód", "qr kód", "kód pro vyzvednutí", "kupón",
    "variabilní symbol", "rezervační kód", "kód rezervace", "dárkový kód", "sledovací číslo", "výdejní kód",
    "номер заказа", "заказ №", "заказа №", "номер счёта", "номер счета", "номер отправления", "трек-номер*",
    "трек-код*",
    "номер бронирования", "код бронирования", "код брони", "номер обращения", "номер заявки", "номер клиента",
    "промокод*",
    "промо-код*", "код скидки", "код ошибки", "исходный код", "исходного кода", "почтовый индекс", "штрих-код*",
    "qr-код*",
    "код получения", "код выдачи", "код домофона", "купон*",
    "артикул*", "номер замовлення", "код товара", "код города", "реферальный код", "код приглашения",
    "sipariş numara*", "sipariş no", "takip numara*", "takip kodu*", "indirim kodu*", "kupon kodu*", "posta kodu*",
    "hata kodu*",
    "rezervasyon kodu*", "fatura no",
    "注文番号", "ご注文番号", "伝票番号", "お問い合わせ番号", "お問合せ番号", "追跡番号", "予約番号", "受付番号", "会員番号",
    "お客様番号", "請求書番号", "クーポンコード", "クーポン", "プロモーションコード", "割引コード", "招待コード", "紹介コード",
    "エラーコード", "ソースコード", "バーコード", "qrコード", "郵便番号", "〒", "受取コード", "受け取りコード",
    "ギフトコード", "型番", "商品コード", "口座番号", "便名", "確認書番号", "予約コード", "ミーティングid", "会議id", "ギフト券番号",
    "订单号", "订单编号", "訂單編號", "訂單號碼", "快递单号", "运单号", "物流单号", "追踪号码", "追蹤號碼", "预订号", "订位代号",
    "訂位代號", "预订编号", "預訂編號", "发票号码", "發票號碼", "优惠码", "優惠碼", "折扣码", "折扣碼", "兑换码", "兌換碼", "促销码",
    "邀请码", "邀請碼", "推荐码", "取件码", "取件碼", "取货码", "邮政编码", "郵遞區號", "邮编", "错误代码", "錯誤代碼", "源代码",
    "源碼", "二维码", "條碼", "条形码", "手机号", "客户编号", "工单号", "案件编号", "案件編號", "会议号", "会议id", "会员号",
    "确认号", "礼品卡", "禮品卡", "尾号", "尾號", "末四位", "票号", "航班号", "客服热线", "热线", "座位", "门锁密码", "优惠券码",
    "주문번호", "주문 번호", "송장번호", "송장 번호", "운송장", "예약번호", "예약 번호", "접수번호", "접수 번호", "고객번호", "회원번호",
    "쿠폰코드", "쿠폰 코드", "쿠폰번호", "쿠폰", "할인코드", "할인 코드", "프로모션 코드", "추천코드", "추천인 코드", "초대코드", "초대 코드",
    "오류 코드", "에러 코드", "오류코드", "소스 코드", "소스코드", "바코드", "qr코드", "우편번호", "사업자등록번호",
    "사업자 등록번호", "계좌번호", "회의 id", "문의번호", "상품코드", "항공편", "대표전화", "고객센터", "기프트카드", "픽업 코드",
    "session", "session id", "client number", "station code", "last four digits", "last 4 digits", "last digits",
    "quatre derniers chiffres", "derniers chiffres", "letzten vier ziffern", "letzten ziffern",
    "últimos cuatro dígitos", "últimos dígitos", "ultime quattro cifre", "ultime cifre", "últimos quatro dígitos",
    "laatste vier cijfers", "laatste cijfers", "ostatnie cztery cyfry", "ostatnie cyfry", "sista siffror*",
    "sidste fire cifre", "siste fire siffer", "viimeiset numerot", "poslední čtyři číslice", "последние цифры",
    "последние четыре цифры", "下4桁", "下四桁", "끝자리",
    "code produit", "código de producto", "codice prodotto", "código do produto", "kod produktu", "kód produktu",
    "kód výrobku", "ürün kodu*",
];

#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "phone", "tel", "telephone", "mobile", "fax", "call", "hotline", "version", "score",
    "population", "http", "issue", "build", "commit", "seat", "gate", "flight", "serial", "téléphone", "tél",
    "telefon", "rufnummer", "durchwahl", "teléfono", "tfno", "telefono", "telefone", "telefoon", "tfn", "tlf", "puh",
    "puhelin", "телефон*", "тел", "電話", "电话", "전화", "電話番号", "전화번호", "zip", "iban", "bic", "swift", "vat", "sku",
    "siret", "siren", "tva", "capital", "cap", "cep", "cnpj", "cpf", "nif", "kvk", "btw", "nip", "regon",
    "krs", "cvr", "инн", "огрн", "кпп", "hrb", "plz", "blz", "ičo", "dič", "psč", "индекс", "ref", "réf", "referenz",
    "referencia", "riferimento", "referência", "referentie", "référence", "reference", "kenmerk", "protocolo",
    "localizador", "locator", "pnr", "copyright", "©", "call us", "pull request", "room number", "table number",
    "order", "invoice", "ticket", "case", "booking", "reservation", "tracking", "room", "suite", "apt", "floor",
    "account", "number", "no", "nr", "nº", "n°", "№", "id", "po box", "p.o. box", "box", "page", "line", "port",
    "year",
    "rfc", "iso", "error", "bug", "pr",
    "chapter", "section", "route", "bus", "train", "unit", "item", "model", "series", "eur", "usd", "gbp", "chf",
    "kr", "rs",
    "inr", "jpy", "cny", "rmb", "sek", "nok", "dkk", "pln", "czk", "zł", "kč", "руб",
    "commande", "facture", "dossier", "numéro", "réservation", "compte", "vol", "cs", "bp", "rcs",
    "bestellung", "rechnung", "auftrag", "nummer", "vorgang", "konto", "flug", "postfach", "zimmer", "buchung",
    "ausgabe",
    "pedido", "factura", "número", "reserva", "cuenta", "vuelo", "fatura", "encomenda", "conta", "voo",
    "ordine", "fattura", "numero", "prenotazione", "conto", "volo", "ordre", "faktura", "bestelling", "factuur",
    "postbus",
    "boeking", "rekening", "vlucht", "zamówienie", "zamówienia", "numer", "konta", "lot", "rezerwacja", "kundenr",
    "order nr", "bokning", "ärende", "sag", "sak", "tilaus", "lasku", "varaus", "asiakas", "objednávka", "číslo",
    "rezervace", "účet", "заказ", "заказа", "счёт", "счет", "номер", "рейс", "заявка", "обращение", "г", "году",
    "sipariş",
    "€", "$", "£", "¥", "₽", "r$", "番号", "第", "编号", "編號", "号码", "號碼", "번호",
    "transfer", "überweisung", "virement", "transferencia", "bonifico", "transferência", "przelew*", "payment",
    "until", "till", "bis", "jusqu'à", "hasta", "fino alle", "até", "tot", "request", "step", "extension", "ext",
    "ending", "endend auf", "endet auf", "terminant par", "se terminant par", "terminada en", "que termina en",
    "che termina con", "terminado em", "eindigend op", "kończącej się na", "slutar på", "slutter på", "päättyvä",
    "končící", "xx", "xxx", "xxxx",
    "rev", "revision", "doc", "document",
];

#[rustfmt::skip]
const UNIT: &[&str] = &[
    "€", "$", "£", "¥", "₽", "₩", "%", "eur", "euro", "euros", "usd", "gbp", "chf", "kr", "kr.", "sek", "nok", "dkk",
    "pln", "zł",
    "czk", "kč", "руб*", "р.", "₺", "tl", "dollars", "points", "people", "users", "members", "customers", "km",
    "miles", "m²",
    "words", "steps", "hours", "days", "years", "mb", "gb", "kb", "items", "subscribers", "followers", "points.",
    "views",
    "points,", "punkte", "personen", "kunden", "nutzer", "stunden", "uhr", "personnes", "clients", "puntos",
    "personas",
    "clientes", "punti", "persone", "clienti", "pontos", "pessoas", "punten", "mensen", "punktów", "osób", "poäng",
    "personer",
    "point", "poeng", "pistettä", "henkilöä", "bodů", "lidí", "баллов", "человек", "г.", "год", "года", "году", "гг",
    "円", "年", "人", "件", "名様", "点", "ポイント", "元", "月", "积分", "位", "个", "號", "号", "원", "년", "명", "포인트", "개",
];

#[rustfmt::skip]
const HOUSEHOLD: &[&str] = &[
    "door", "gate", "alarm", "lockbox", "key box", "garage", "padlock", "wifi", "wi-fi", "shed", "bike",
    "front door", "intercom", "locker", "cabin", "printer", "photocopier", "copier",
    "porte", "portail", "digicode", "immeuble", "cadenas", "boîte à clés", "interphone", "haustür*", "tür", "garage*",
    "schlüsseltresor*", "schlüsselbox", "alarmanlage", "schlüsselkasten", "tor", "wlan*", "puerta", "portón",
    "candado", "caja fuerte", "portone", "porta", "cancello", "lucchetto", "citofono", "cassetta", "portão",
    "cadeado", "cofre",
    "deur", "voordeur", "poort", "sleutelkluis*", "sleutelkastje", "hangslot", "drzwi", "bramy", "bramie", "furtk*",
    "domofon*",
    "kłódk*", "dörren", "porten", "ytterdörren", "låset", "nyckelskåp*", "nøkkelboks*", "nøgleboks*", "døren", "døra",
    "hoveddøren",
    "ovi", "oveen", "alaoven", "alaoveen", "ulko-ov*", "avainboks*", "dveř*", "vchod*", "zámek", "dver*", "двер*",
    "подъезд*", "домофон*", "калитк*", "ворот*", "замок", "замка", "kapı*",
    "玄関", "ドア", "鍵", "キーボックス", "オートロック", "門鎖", "门锁", "大门", "门禁", "單元門", "鑰匙", "钥匙", "현관", "도어락", "출입문", "열쇠",
];

#[rustfmt::skip]
const ENTER: &[&str] = &[
    "enter", "type", "type in", "typing", "input", "key in", "punch in", "quote", "saisissez", "saisis", "entrez",
    "entre", "tapez", "recopiez",
    "renseignez", "saisir", "gib", "geben sie", "eingeben", "tippe", "tippen sie", "trage", "tragen sie", "introduce",
    "introduzca", "ingresa",
    "ingrese", "escribe", "teclea", "inserisci", "inserisca", "digita", "inserire", "insira", "digite", "introduza",
    "escreva", "voer", "vul",
    "typ", "wpisz", "wprowadź", "podaj", "przepisz", "ange", "skriv", "skriv in", "fyll i", "mata in", "indtast",
    "skriv inn", "skriver du inn",
    "tast inn", "oppgi", "angi", "syötä", "kirjoita", "anna", "näppäile", "zadejte", "zadej", "opište", "vložte",
    "введите", "введи", "укажите",
    "введіть", "girin", "入力", "输入", "輸入", "填写", "填寫", "입력",
    "use", "utilisez", "utilise", "nutzen sie", "nutze", "verwenden sie", "verwende", "usa", "usi", "utiliza",
    "utilice", "utilize", "gebruik", "użyj", "använd", "brug", "bruk", "käytä", "použijte", "použij", "используйте",
    "使用",
];

#[rustfmt::skip]
const TECHNICAL: &[&str] = &[
    "pull request", "merge request", "requested changes", "pushed to", "commits", "stack trace", "traceback",
    "exception", "exit code",
    "status code", "build failed", "ci run", "mail system", "mailer-daemon", "could not be delivered", "undelivered",
    "undeliverable",
    "delivery status", "delivery has failed", "smtp", "rcpt to", "repository", "unzustellbar", "non remis",
    "non distribué",
];

#[rustfmt::skip]
const MEETING: &[&str] = &[
    "meeting id", "join zoom", "zoom meeting", "join the meeting", "join meeting", "teams meeting", "google meet",
    "webinar id", "dial-in", "dial in", "dial by your location", "conference id", "meeting number", "meeting link",
    "one tap mobile", "phone conference", "webex", "id de réunion", "réunion zoom", "rejoindre la réunion",
    "réunion teams",
    "meeting-id", "besprechungs-id", "zoom-meeting", "an der besprechung teilnehmen", "konferenz-id", "id de reunión",
    "id de la reunión", "unirse a la reunión", "id riunione", "partecipa alla riunione", "id da reunião",
    "ingressar na reunião",
    "vergadering-id", "deelnemen aan", "id spotkania", "dołącz do spotkania", "mötes-id", "möte-id", "møde-id",
    "møte-id",
    "kokoustunnus*", "kokouksen tunnus*", "id schůzky", "připojit se ke schůzce", "идентификатор конференции",
    "подключиться к конференции",
    "ミーティングid", "会議id", "会议号", "会议id", "會議 id", "會議id", "회의 id", "회의id", "ミーティング id",
    "or dial", "joining info", "to join the video", "join by phone", "join with google meet", "participer avec",
    "rejoindre par téléphone", "telefonisch teilnehmen", "per telefon einwählen", "oder einwählen",
    "unirse por teléfono", "unirte por teléfono", "partecipa per telefono", "participar por telefone",
    "telefonisch deelnemen", "dołącz przez telefon", "anslut via telefon", "deltag via telefon",
    "delta via telefon", "liity puhelimella", "připojit se telefonicky", "電話で参加", "电话加入", "전화로 참여",
];

#[rustfmt::skip]
const PROMOTION: &[&str] = &[
    "% off", "coupon*", "discount*", "promo", "promo code", "promotion*", "at checkout", "free shipping",
    "save up to", "voucher*",
    "black friday", "sale", "shop now", "gift card", "giveaway", "redeem", "referral",
    "réduction", "remise", "code promo*", "livraison offerte", "soldes", "bon de réduction", "carte cadeau",
    "parrain*",
    "rabatt*", "gutschein*", "aktionscode", "% auf", "im warenkorb", "jetzt shoppen", "versandkostenfrei",
    "descuento*", "cupón*", "rebajas", "envío gratis", "sconto", "sconti", "saldi", "spedizione gratuita",
    "desconto*", "cupom", "cupons", "cupão", "frete grátis", "portes grátis", "korting*", "kortings*", "uitverkoop",
    "cadeaubon*",
    "rabat*", "zniżk*", "promocj*", "wyprzedaż*", "kupon*", "erbjudande*", "rea", "presentkort*", "tilbud*",
    "gavekort*", "udsalg*",
    "alennu*", "tarjou*", "lahjakort*", "slev*", "kupón*", "výprodej*", "dárkov*", "скидк*", "промокод*", "купон*",
    "распродаж*",
    "акци*", "indirim*", "kampanya*", "クーポン", "割引", "セール", "送料無料", "ギフト券", "优惠", "優惠", "折扣", "满减", "促销", "禮券", "兑换",
    "할인", "쿠폰", "세일", "무료배송", "이벤트",
];

#[rustfmt::skip]
const TRADE: &[&str] = &[
    "your order", "order number", "order confirmation", "your booking", "booking confirmation", "itinerary",
    "departure",
    "your reservation", "your stay", "tracking number", "boarding", "passenger*", "check-in", "guests", "invoice",
    "receipt",
    "your shipment", "your parcel", "your package", "nights", "seat",
    "votre commande", "votre réservation", "votre séjour", "votre colis", "facture", "passager*", "départ",
    "embarquement",
    "ihre bestellung", "deine bestellung", "ihre buchung", "deine buchung", "rechnung", "reisend*", "abflug",
    "anreise",
    "sendungsnummer", "buchungs*", "tu pedido", "su pedido", "tu reserva", "su reserva", "factura", "pasajero*",
    "salida",
    "il tuo ordine", "prenotazione", "fattura", "passegger*", "partenza", "soggiorno", "seu pedido", "sua reserva",
    "sua encomenda",
    "passageiro*", "fatura", "je bestelling", "uw bestelling", "boeking*", "factuur", "vertrek", "pakket",
    "zamówieni*",
    "rezerwacj*", "faktur*", "pasażer*", "przesyłk*", "din beställning", "din order", "bokning*", "resenär*",
    "avgång*", "paket",
    "din ordre", "din bestilling", "booking*", "afrejse", "avreise", "rejsende", "reisende", "pakke", "tilauksesi",
    "varau*",
    "lähtö*", "lasku", "matkustaja*", "objednáv*", "rezervac*", "odlet*", "zásilk*", "заказ*", "бронирован*", "рейс*",
    "пассажир*",
    "посылк*", "sipariş*", "rezervasyon*", "ご注文", "ご予約", "搭乗", "チェックイン", "宿泊", "发货", "订单", "訂單", "航班", "预订", "預訂",
    "入住", "주문", "예약", "배송", "탑승", "체크인",
    "was charged", "amount due", "total due", "transaction date",
    "paket*", "pakke*", "parcel*", "colis", "paquete*", "pacco", "pakket*", "paczk*",
];

#[rustfmt::skip]
const RECOVERY: &[&str] = &[
    "recovery codes", "backup codes", "emergency codes", "scratch codes", "codes de secours", "codes de récupération",
    "backup-codes", "wiederherstellungscodes", "ersatzcodes", "notfallcodes", "códigos de recuperación",
    "códigos de respaldo",
    "codici di backup", "codici di recupero", "códigos de backup", "códigos de recuperação", "herstelcodes",
    "back-upcodes",
    "kody zapasowe", "kody odzyskiwania", "återställningskoder", "reservkoder", "gendannelseskoder", "reservekoder",
    "gjenopprettingskoder", "varakood*", "palautuskood*", "záložní kódy", "резервные коды", "коды восстановления",
    "バックアップコード", "リカバリーコード", "备用码", "備用碼", "恢复代码", "恢复码", "백업 코드", "복구 코드",
];
