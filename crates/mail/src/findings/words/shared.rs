//! Words with the same meaning for codes and links.

/// Validity of hours or minutes.
#[rustfmt::skip]
pub(super) const LASTING: &[&str] = &[
    "expires in", "expire in", "will expire", "expires after", "expires at", "expires on", "valid for", "valid until",
    "valid only for", "expire dans", "expirera", "valable", "valide pendant", "gültig", "läuft in", "läuft ab",
    "verfällt", "caduca", "expira", "vence en", "válido", "scade", "scadrà", "valido per", "valido", "válida por",
    "geldig", "verloopt", "ważny", "wygasa", "wygaśnie", "giltig", "upphör", "går ut", "gyldig", "udløber", "utløper",
    "voimassa", "vanhenee", "platný", "platnost", "platí", "vyprší", "действителен", "действует", "истекает",
    "истечет", "истечёт", "дійсний", "geçerli", "有効期限", "分間有効", "有効です", "以内に", "有效", "分钟内", "分鐘內", "过期", "過期", "失效",
    "유효", "분 이내", "분간", "만료", "expires", "expire le", "caducará", "expirará", "vence", "válida", "gælder",
    "действительн*", "дійсн*", "діє", "分以内", "時間以内", "lapses", "lapse", "expirent", "expiran", "scadono", "expiram",
    "verlopen", "verfallen", "gäller", "gjelder",
];

/// Sign-in.
#[rustfmt::skip]
pub(super) const SIGNING_IN: &[&str] = &[
    "sign in", "sign-in", "signing in", "log in", "log-in", "login", "logging in", "signin", "connexion",
    "iniciar sesión", "inicia sesión", "entrar", "inicio de sesión", "accedere", "accesso", "acessar",
    "iniciar sessão", "in te loggen", "logga in", "log ind", "logge ind", "logg inn", "logge inn", "pålogging*",
    "innlogging*", "kirjautu*", "sisäänkirjautu*", "войти", "увійти", "вхід", "входу", "giriş", "ログイン", "サインイン", "登录",
    "登入", "登陆", "로그인",
];

/// Purchases and bookings.
#[rustfmt::skip]
pub(super) const BOUGHT: &[&str] = &[
    "seat", "invoice", "prenotazione", "zamówieni*", "rezerwacj*", "bokning*", "objednáv*", "rezervac*", "заказ*",
    "бронирован*", "sipariş*", "rezervasyon*", "订单", "訂單", "预订", "預訂", "주문", "예약", "배송",
];

/// Discounts.
#[rustfmt::skip]
pub(super) const BARGAINS: &[&str] = &[
    "sale", "erbjudande*", "tilbud*", "tarjou*", "クーポン", "优惠", "이벤트", "쿠폰",
];
