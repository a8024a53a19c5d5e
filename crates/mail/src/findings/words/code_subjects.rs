//! Topics of messages with codes and of similar messages without them.

#[rustfmt::skip]
pub(super) const SECRECY: &[&str] = &[
    "only be used once", "used only once", "good for", "share this code", "share your code", "share the code",
    "share it with", "share this with", "give this code", "ignore this email", "ignore this message",
    "didn't request", "did not request", "didn’t request", "didn't try", "disregard this", "enter this code",
    "enter the code", "use this code", "enter it", "enter the following", "use the following", "safely ignore",
    "ne partagez", "ne le partagez", "ne communiquez", "ne le communiquez", "ignorez", "ignorer", "pas demandé",
    "à l'origine de cette", "saisissez ce code", "entrez ce code", "geben sie ihn", "niemandem", "nicht weiter",
    "nicht angefordert", "ignorieren sie", "ignoriere", "gib diesen code", "geben sie diesen code",
    "geben sie den code", "diesen code", "no compartas", "no comparta", "no lo compartas", "no lo comparta",
    "ignora este", "ignore este", "no has solicitado", "no solicitaste", "no solicitó", "ingresa este",
    "introduce este", "este código", "non condivider*", "ignora questa", "ignorare questa", "non hai richiesto",
    "questo codice", "não compartilhe", "não partilhe", "não solicitou", "não pediu", "desconsidere", "deel deze",
    "deel dit", "niet aangevraagd", "negeer", "deze code", "niemand", "nie udostępniaj", "nie przekazuj", "nikomu",
    "zignoruj", "tego kodu", "dela inte", "ignorera", "bortse", "koden är", "begärt", "dela aldrig", "del ikke",
    "del aldrig", "del aldri", "ikke anmodet", "ikke bedt om", "älä jaa", "jätä huomiotta", "et pyytänyt",
    "etkö pyytänyt", "kellekään", "kenellekään", "nesdílejte", "nesdělujte", "ignorujte", "nežádali", "tento kód",
    "никому", "не сообщайте", "не передавайте", "не запрашивали", "проигнорируйте", "нікому", "не повідомляйте",
    "paylaşmayın", "kimseyle", "教えないで", "共有しないで", "心当たり", "入力して", "ご入力", "入力してください", "请勿", "請勿", "泄露", "洩露", "忽略",
    "告诉他人", "공유하지", "알려주지", "요청하지", "무시하", "입력해",
];

#[rustfmt::skip]
pub(super) const ENTER: &[&str] = &[
    "enter", "type", "type in", "typing", "input", "key in", "punch in", "quote", "saisissez", "saisis", "entrez",
    "entre", "tapez", "recopiez", "renseignez", "saisir", "gib", "geben sie", "eingeben", "tippe", "tippen sie",
    "trage", "tragen sie", "introduce", "introduzca", "ingresa", "ingrese", "escribe", "teclea", "inserisci",
    "inserisca", "digita", "inserire", "insira", "digite", "introduza", "escreva", "voer", "vul", "typ", "wpisz",
    "wprowadź", "podaj", "przepisz", "ange", "skriv", "skriv in", "fyll i", "mata in", "indtast", "skriv inn",
    "skriver du inn", "tast inn", "oppgi", "angi", "syötä", "kirjoita", "anna", "näppäile", "zadejte", "zadej",
    "opište", "vložte", "введите", "введи", "укажите", "введіть", "girin", "入力", "输入", "輸入", "填写", "填寫", "입력", "use",
    "utilisez", "utilise", "nutzen sie", "nutze", "verwenden sie", "verwende", "usa", "usi", "utiliza", "utilice",
    "utilize", "gebruik", "użyj", "använd", "brug", "bruk", "käytä", "použijte", "použij", "используйте", "使用",
];

#[rustfmt::skip]
pub(super) const HOUSEHOLD: &[&str] = &[
    "door", "gate", "alarm", "lockbox", "key box", "garage", "padlock", "wifi", "wi-fi", "shed", "bike", "front door",
    "intercom", "locker", "cabin", "printer", "photocopier", "copier", "porte", "portail", "digicode", "immeuble",
    "cadenas", "boîte à clés", "interphone", "haustür*", "tür", "garage*", "schlüsseltresor*", "schlüsselbox",
    "alarmanlage", "schlüsselkasten", "tor", "wlan*", "puerta", "portón", "candado", "caja fuerte", "portone",
    "porta", "cancello", "lucchetto", "citofono", "cassetta", "portão", "cadeado", "cofre", "deur", "voordeur",
    "poort", "sleutelkluis*", "sleutelkastje", "hangslot", "drzwi", "bramy", "bramie", "furtk*", "domofon*", "kłódk*",
    "dörren", "porten", "ytterdörren", "låset", "nyckelskåp*", "nøkkelboks*", "nøgleboks*", "døren", "døra",
    "hoveddøren", "ovi", "oveen", "alaoven", "alaoveen", "ulko-ov*", "avainboks*", "dveř*", "vchod*", "zámek",
    "dver*", "двер*", "подъезд*", "домофон*", "калитк*", "ворот*", "замок", "замка", "kapı*", "玄関", "ドア", "鍵",
    "キーボックス", "オートロック", "門鎖", "门锁", "大门", "门禁", "單元門", "鑰匙", "钥匙", "현관", "도어락", "출입문", "열쇠",
];

#[rustfmt::skip]
pub(super) const TECHNICAL: &[&str] = &[
    "pull request", "merge request", "requested changes", "pushed to", "commits", "stack trace", "traceback",
    "exception", "exit code", "status code", "build failed", "ci run", "mail system", "mailer-daemon",
    "could not be delivered", "undelivered", "undeliverable", "delivery status", "delivery has failed", "smtp",
    "rcpt to", "repository", "unzustellbar", "non remis", "non distribué",
];

#[rustfmt::skip]
pub(super) const MEETING: &[&str] = &[
    "meeting id", "join zoom", "zoom meeting", "join the meeting", "join meeting", "teams meeting", "google meet",
    "webinar id", "dial-in", "dial in", "dial by your location", "conference id", "meeting number", "meeting link",
    "one tap mobile", "phone conference", "webex", "id de réunion", "réunion zoom", "rejoindre la réunion",
    "réunion teams", "meeting-id", "besprechungs-id", "zoom-meeting", "an der besprechung teilnehmen", "konferenz-id",
    "id de reunión", "id de la reunión", "unirse a la reunión", "id riunione", "partecipa alla riunione",
    "id da reunião", "ingressar na reunião", "vergadering-id", "deelnemen aan", "id spotkania", "dołącz do spotkania",
    "mötes-id", "möte-id", "møde-id", "møte-id", "kokoustunnus*", "kokouksen tunnus*", "id schůzky",
    "připojit se ke schůzce", "идентификатор конференции", "подключиться к конференции", "ミーティングid", "会議id", "会议号",
    "会议id", "會議 id", "會議id", "회의 id", "회의id", "ミーティング id", "or dial", "joining info", "to join the video",
    "join by phone", "join with google meet", "participer avec", "rejoindre par téléphone", "telefonisch teilnehmen",
    "per telefon einwählen", "oder einwählen", "unirse por teléfono", "unirte por teléfono", "partecipa per telefono",
    "participar por telefone", "telefonisch deelnemen", "dołącz przez telefon", "anslut via telefon",
    "deltag via telefon", "delta via telefon", "liity puhelimella", "připojit se telefonicky", "電話で参加", "电话加入",
    "전화로 참여",
];

#[rustfmt::skip]
pub(super) const PROMOTION: &[&str] = &[
    "% off", "coupon*", "discount*", "promo", "promo code", "promotion*", "at checkout", "free shipping",
    "save up to", "voucher*", "black friday", "shop now", "gift card", "giveaway", "redeem", "referral", "réduction",
    "remise", "code promo*", "livraison offerte", "soldes", "bon de réduction", "carte cadeau", "parrain*", "rabatt*",
    "gutschein*", "aktionscode", "% auf", "im warenkorb", "jetzt shoppen", "versandkostenfrei", "descuento*",
    "cupón*", "rebajas", "envío gratis", "sconto", "sconti", "saldi", "spedizione gratuita", "desconto*", "cupom",
    "cupons", "cupão", "frete grátis", "portes grátis", "korting*", "kortings*", "uitverkoop", "cadeaubon*", "rabat*",
    "zniżk*", "promocj*", "wyprzedaż*", "kupon*", "rea", "presentkort*", "gavekort*", "udsalg*", "alennu*",
    "lahjakort*", "slev*", "kupón*", "výprodej*", "dárkov*", "скидк*", "промокод*", "купон*", "распродаж*", "акци*",
    "indirim*", "kampanya*", "割引", "セール", "送料無料", "ギフト券", "優惠", "折扣", "满减", "促销", "禮券", "兑换", "할인", "세일", "무료배송",
];

#[rustfmt::skip]
pub(super) const TRADE: &[&str] = &[
    "your order", "order number", "order confirmation", "your booking", "booking confirmation", "itinerary",
    "departure", "your reservation", "your stay", "tracking number", "boarding", "passenger*", "check-in", "guests",
    "receipt", "your shipment", "your parcel", "your package", "nights", "votre commande", "votre réservation",
    "votre séjour", "votre colis", "facture", "passager*", "départ", "embarquement", "ihre bestellung",
    "deine bestellung", "ihre buchung", "deine buchung", "rechnung", "reisend*", "abflug", "anreise",
    "sendungsnummer", "buchungs*", "tu pedido", "su pedido", "tu reserva", "su reserva", "factura", "pasajero*",
    "salida", "il tuo ordine", "fattura", "passegger*", "partenza", "soggiorno", "seu pedido", "sua reserva",
    "sua encomenda", "passageiro*", "fatura", "je bestelling", "uw bestelling", "boeking*", "factuur", "vertrek",
    "pakket", "faktur*", "pasażer*", "przesyłk*", "din beställning", "din order", "resenär*", "avgång*", "paket",
    "din ordre", "din bestilling", "booking*", "afrejse", "avreise", "rejsende", "reisende", "pakke", "tilauksesi",
    "varau*", "lähtö*", "lasku", "matkustaja*", "odlet*", "zásilk*", "рейс*", "пассажир*", "посылк*", "ご注文", "ご予約",
    "搭乗", "チェックイン", "宿泊", "发货", "航班", "入住", "탑승", "체크인", "was charged", "amount due", "total due", "transaction date",
    "flight", "flights", "flug", "flugs", "vuelo*", "volo", "voo", "vlucht", "flyrejse*", "flyreise*", "フライト", "항공편",
    "paket*", "pakke*", "parcel*", "colis", "paquete*", "pacco", "pakket*", "paczk*",
];

#[rustfmt::skip]
pub(super) const RECOVERY: &[&str] = &[
    "recovery codes", "backup codes", "emergency codes", "scratch codes", "codes de secours", "codes de récupération",
    "backup-codes", "wiederherstellungscodes", "ersatzcodes", "notfallcodes", "códigos de recuperación",
    "códigos de respaldo", "codici di backup", "codici di recupero", "códigos de backup", "códigos de recuperação",
    "herstelcodes", "back-upcodes", "kody zapasowe", "kody odzyskiwania", "återställningskoder", "reservkoder",
    "gendannelseskoder", "reservekoder", "gjenopprettingskoder", "varakood*", "palautuskood*", "záložní kódy",
    "резервные коды", "коды восстановления", "バックアップコード", "リカバリーコード", "备用码", "備用碼", "恢复代码", "恢复码", "백업 코드", "복구 코드",
];

#[rustfmt::skip]
pub(super) const SPENT: &[&str] = &[
    "has expired", "has already expired", "is expired", "expired", "is no longer valid", "no longer works",
    "is invalid", "was used", "has been used", "was entered", "was drawn", "has been replaced",
    "a expiré", "n'est plus valable", "n'est plus valide", "a été utilisé", "a été tiré", "ist abgelaufen",
    "ist nicht mehr gültig", "ist ungültig", "wurde verwendet", "wurde gezogen", "ha caducado", "ha expirado",
    "ya no es válido", "è scaduto", "non è più valido", "è stato utilizzato", "expirou", "já não é válido",
    "não é mais válido", "is verlopen", "is niet meer geldig", "is gebruikt", "wygasł", "stracił ważność",
    "har gått ut", "är inte längre giltig", "har använts", "er udløbet", "er ikke længere gyldig", "har utløpt",
    "er utløpt", "er ikke lenger gyldig", "on vanhentunut", "ei ole enää voimassa", "vypršel", "již není platný",
    "истёк", "истек", "больше не действует", "недействителен", "süresi doldu", "は期限切れ", "は無効", "の有効期限が切れ",
    "已过期", "已過期", "已失效", "已被使用", "이 만료되", "은 만료되", "는 만료되",
];
