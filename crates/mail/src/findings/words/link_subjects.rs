//! Topics of messages with links.

#[rustfmt::skip]
pub(super) const TEAM: &[&str] = &[
    "team", "workspace", "organization", "organisation", "project", "group", "board", "repository", "channel",
    "space", "company", "family", "collaborate", "collaborator", "collaboration", "shared folder", "community",
    "household", "club", "member", "équipe", "espace", "espace de travail", "projet", "groupe", "collaborer",
    "tableau", "arbeitsbereich", "projekt", "gruppe", "mitarbeit*", "zusammenarbeit*", "equipo", "espacio",
    "organización", "proyecto", "grupo", "colaborar", "squadra", "gruppo", "progetto", "spazio", "organizzazione",
    "collaborare", "equipe", "equipa", "espaço", "organização", "projeto", "organisatie", "werkruimte", "groep",
    "zespół", "zespołu", "projekt*", "przestrze*", "organizacj*", "grup*", "arbetsyta*", "teamet", "projektet",
    "gruppen", "arbejdsområde*", "organisationen", "arbeidsområde*", "prosjekt*", "organisasjon*", "tiimi*",
    "työtila*", "projekti*", "organisaatio*", "ryhmä*", "tým*", "pracovní*", "organizac*", "skupin*", "команд*",
    "рабоч*", "проект*", "групп*", "организац*", "простір*", "груп*", "ekip*", "takım*", "çalışma alanı*", "proje*",
    "チーム", "ワークスペース", "プロジェクト", "グループ", "組織", "团队", "團隊", "工作区", "工作區", "项目", "專案", "组织", "群组", "工作空间", "空间", "팀",
    "워크스페이스", "프로젝트", "그룹", "조직", "arbejdsrum*", "arbeitsraum",
];

#[rustfmt::skip]
pub(super) const THING: &[&str] = &[
    "order", "booking", "reservation", "appointment", "attendance", "delivery", "shipment", "payment", "purchase",
    "rsvp", "meeting", "webinar", "call", "event", "offer", "quote", "deal", "coupon", "card", "trial", "interview",
    "terms", "transfer", "conference", "session", "discount", "voucher", "gift", "prize", "reward", "points",
    "availability", "commande", "réservation", "rendez-vous", "livraison", "paiement", "achat", "présence", "réunion",
    "offre", "webinaire", "carte", "bestellung", "buchung", "reservierung", "termin", "lieferung", "zahlung", "kauf",
    "teilnahme", "angebot", "gutschein", "veranstaltung", "besprechung", "überweisung", "pedido", "reserva", "cita",
    "entrega", "pago", "compra", "asistencia", "reunión", "oferta", "evento", "ordine", "appuntamento", "consegna",
    "pagamento", "acquisto", "presenza", "riunione", "offerta", "encomenda", "consulta", "presença", "reunião",
    "bestelling", "boeking", "reservering", "afspraak", "bezorging", "betaling", "aanwezigheid", "vergadering",
    "aanbod", "wizyt*", "dostaw*", "płatnoś*", "spotkani*", "ofert*", "obecność", "beställning*", "leverans*",
    "betalning*", "möte*", "närvaro", "bestilling*", "ordre*", "reservation*", "aftale*", "levering*", "betaling*",
    "møde*", "avtale*", "møte*", "time", "varaus*", "varaukse*", "ajanvarau*", "toimitu*", "maksu*", "kokou*",
    "tapahtuma*", "schůzk*", "doručen*", "platb*", "nabídk*", "účast", "termín*", "бронь", "встреч*", "доставк*",
    "платёж*", "платеж*", "оплат*", "участие", "запись на", "предложени*", "мероприяти*", "randevu*", "toplantı*",
    "注文", "予約", "配送", "配達", "支払", "会議", "ミーティング", "イベント", "出欠", "预约", "預約", "付款", "会议", "會議", "活动", "活動", "快递", "결제",
    "회의", "참석", "profile", "profil", "perfil", "profilo", "profiel", "profiili*", "профиль", "プロフィール", "个人资料", "個人資料",
    "프로필",
];

#[rustfmt::skip]
pub(super) const ONCE: &[&str] = &[
    "only be used once", "used only once", "can be used once", "works once", "single use", "une seule fois",
    "usage unique", "einmal verwendet", "nur einmal", "una sola vez", "una vez", "una sola volta", "uma única vez",
    "uma vez", "eenmalig", "één keer", "jednorazow*", "tylko raz", "en gång", "én gang", "kerran", "jednou",
    "один раз", "одноразов*", "一度", "1回", "一次", "한 번", "used once",
];

#[rustfmt::skip]
pub(super) const DONE: &[&str] = &[
    "was changed", "has been changed", "was updated", "has been updated", "was reset", "has been reset",
    "were changed", "changed your password", "successfully changed", "password changed", "new sign-in", "new login",
    "new device", "signed in from", "sign-in from", "a été modifié", "a été changé", "a bien été",
    "nouvelle connexion", "wurde geändert", "wurde erfolgreich", "wurde zurückgesetzt", "neue anmeldung",
    "neuer login", "ha sido cambiada", "se ha cambiado", "ha cambiado", "se cambió", "fue cambiada",
    "nuevo inicio de sesión", "è stata modificata", "è stata cambiata", "nuovo accesso", "foi alterada",
    "foi alterado", "foi redefinida", "novo acesso", "novo login", "novo início", "is gewijzigd", "is aangepast",
    "nieuwe aanmelding", "nieuwe inlog*", "zostało zmienione", "zmieniono", "nowe logowanie", "har ändrats",
    "har uppdaterats", "ny inloggning", "er blevet ændret", "er ændret", "nyt login", "nyt log ind", "ny pålogging",
    "ny innlogging", "er endret", "har blitt endret", "ble endret", "on vaihdettu", "on muutettu",
    "uusi kirjautuminen", "bylo změněno", "bylo úspěšně", "nové přihlášení", "был изменён", "был изменен", "изменён",
    "новый вход", "выполнен вход", "було змінено", "новий вхід", "değiştirildi", "変更されました", "変更が完了", "変更いたしました",
    "新しいログイン", "新しい端末", "已修改", "已更改", "已变更", "已變更", "修改成功", "新设备", "新裝置", "異地登入", "异地登录", "변경되었", "변경됐", "새로운 기기",
    "새 기기", "새로운 로그인",
];
