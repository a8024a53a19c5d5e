//! Codes and confirmation links.

use inboxd_mail::{LinkKind, extract_codes, extract_links, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

#[test]
fn codes_are_found_in_every_language() {
    for (text, code) in [
        ("Your verification code is 483920.", "483920"),
        ("483920 is your Acme verification code", "483920"),
        ("Your Acme code is 4839. It expires in 10 minutes.", "4839"),
        ("Use this code to sign in:\n\n483 920\n\nIt is valid for 5 minutes.", "483920"),
        ("G-483920 is your Google verification code.", "483920"),
        ("FB-48392 is your confirmation code", "48392"),
        ("Enter this code on your device: WDJB-MJHT to sign in", "WDJB-MJHT"),
        ("Your login code\n\nA7K9QZ\n\nDo not share it", "A7K9QZ"),
        ("Your one-time passcode: X4T-9PL", "X4T-9PL"),
        ("Your security code:\n4\n8\n3\n9\n2\n0\n", "483920"),
        ("Log in to Acme\n\n483920\n\nThis expires in 10 minutes.", "483920"),
        ("Your code to verify your phone: 483920", "483920"),
        ("Votre code de vérification est 483920", "483920"),
        ("Votre code de connexion : 483 920\nIl expire dans 10 minutes", "483920"),
        ("Ihr Bestätigungscode lautet: 483920", "483920"),
        ("Ihr Sicherheitscode\n\n483920\n\nEr ist 10 Minuten gültig.", "483920"),
        ("Ihre TAN lautet 483920 für die Überweisung von 1.250,00 EUR", "483920"),
        ("Tu código de verificación es 483920", "483920"),
        ("Il tuo codice di verifica è 483920", "483920"),
        ("Seu código de verificação é 483920", "483920"),
        ("Je verificatiecode is 483920", "483920"),
        ("Twój kod weryfikacyjny to 483920", "483920"),
        ("Din verifieringskod är 483920", "483920"),
        ("Din bekræftelseskode er 483920", "483920"),
        ("Bekreftelseskoden din er 483920", "483920"),
        ("Vahvistuskoodisi on 483920", "483920"),
        ("Váš ověřovací kód je 483920", "483920"),
        ("Ваш код подтверждения: 483920", "483920"),
        ("Ваш код підтвердження: 483920", "483920"),
        ("Doğrulama kodunuz: 483920", "483920"),
        ("認証コード：４８３９２０", "483920"),
        ("確認コードは【483920】です。", "483920"),
        ("您的验证码是483920，5分钟内有效。", "483920"),
        ("您的驗證碼為 483920", "483920"),
        ("인증번호는 [483920]입니다.", "483920"),
        ("인증 코드: 483920", "483920"),
    ] {
        let found = extract_codes(None, text);
        let codes: Vec<&str> = found.iter().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, [code], "{text}");
    }
}

#[test]
fn other_numbers_in_many_languages_are_not_codes() {
    for text in [
        "Your order number is 483920. Thank you for your order!",
        "Use code SAVE20 at checkout for 20% off.",
        "Your booking is confirmed. Confirmation code: K7QPX2. Departure 12:30",
        "Error code 4040 came up in the log.",
        "Call us at 0800 123 456 with your questions about the security code.",
        "Meeting ID: 812 3456 7890\nPasscode: 482913",
        "The code is 4711 for the door.",
        "© 2026 Acme. We never ask for your verification code.\n10115 Berlin",
        "Please review the code in pull request 48213",
        "Ihr Gutscheincode: HERBST25",
        "Bestellnummer\n\n483920\n\nDanke für Ihre Bestellung",
        "Your tracking code is 48392011",
        "Sign-in detected on November 20, 2026 from 192.168.0.1",
        "Here are your recovery codes:\n\n48392011\n\n59201138\n",
        "Your verification code was entered. Your new balance is 4500 EUR.",
        "订单号：48392011，快递单号 99201311",
        "ご注文番号: 483920",
        "주문번호 483920",
        "Ваш заказ № 483920 принят",
    ] {
        assert_eq!(extract_codes(None, text), [], "{text}");
    }
}

#[test]
fn word_distance_is_equal_in_every_script() {
    for text in [
        "483920 is the personal temporary code that confirms your sign-in",
        "483920 - это Ваш персональный временный код подтверждения входа",
        "483920 はお客様の新しいアカウントのログイン確認コードです",
        "483920 是您的新帐户在本网站上首次登录时需要输入的临时验证码",
        "483920 - 고객님의 새로운 계정 로그인을 위한 임시 인증번호입니다",
    ] {
        let found = extract_codes(None, text);
        assert!(found.iter().any(|found| found.code == "483920" && found.confidence >= 60), "{text}: {found:?}");
    }
}

#[test]
fn repetition_bonus_applies_once() {
    let said = |times| {
        let found = extract_codes(None, &"The login code is 4711. ".repeat(times));
        found.first().map_or(0, |found| found.confidence)
    };
    assert!(said(2) > said(1));
    assert_eq!(said(9), said(2));
    assert_eq!(extract_codes(None, &"The code is 4711. ".repeat(9)), []);
}

#[test]
fn more_confident_of_text_and_html_is_chosen() {
    let codes = |text: &str, html: &str| {
        let raw = format!(
            "Subject: Acme\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n{text}\r\n\
             --b\r\nContent-Type: text/html\r\n\r\n{html}\r\n--b--\r\n"
        );
        parse(raw.as_bytes()).codes.into_iter().map(|found| found.code).collect::<Vec<_>>()
    };
    let (vague, clear) = ("Your code 4711 in the app", "Your verification code is 483920");
    assert_eq!(codes(vague, clear), ["483920"]);
    assert_eq!(codes(clear, vague), ["483920"]);
    assert_eq!(codes("See the HTML.", clear), ["483920"]);
    let long = format!("{clear}<p>{}</p>{vague}", "word <b>word</b> ".repeat(200_000));
    assert_eq!(codes("See the HTML.", &long), ["483920"]);
}

fn links(subject: &str, text: &str, html: Option<&str>) -> Vec<(LinkKind, String)> {
    let found = extract_links(Some(subject), text, html);
    found.into_iter().map(|found| (found.kind, found.url)).collect()
}

#[test]
fn confirming_links_are_found_in_every_language() {
    use LinkKind::{Confirm, Invitation, ResetPassword, SignIn};
    for (kind, above, button) in [
        (Confirm, "Thanks for signing up!", "Confirm your email address"),
        (Confirm, "Please confirm your email address by clicking the button below.", "Click here"),
        (Confirm, "Um Ihre E-Mail-Adresse zu bestätigen, klicken Sie bitte hier:", "Weiter"),
        (Confirm, "Merci de votre inscription", "Confirmer mon adresse e-mail"),
        (Confirm, "Gracias por registrarte", "Verificar mi cuenta"),
        (Confirm, "Grazie", "Conferma la tua email"),
        (Confirm, "Obrigado", "Confirmar e-mail"),
        (Confirm, "Bedankt", "Bevestig je e-mailadres"),
        (Confirm, "Dziękujemy", "Potwierdź adres e-mail"),
        (Confirm, "Tack", "Bekräfta din e-postadress"),
        (Confirm, "Tak", "Bekræft din e-mailadresse"),
        (Confirm, "Takk", "Bekreft e-postadressen"),
        (Confirm, "Kiitos", "Vahvista sähköpostiosoite"),
        (Confirm, "Děkujeme", "Ověřit e-mail"),
        (Confirm, "Спасибо за регистрацию", "Подтвердить адрес"),
        (Confirm, "ご登録ありがとうございます。", "メールアドレスを確認する"),
        (Confirm, "感谢注册", "验证邮箱"),
        (Confirm, "가입해 주셔서 감사합니다", "이메일 인증하기"),
        (SignIn, "Here is your magic link. It expires in 15 minutes.", "Sign in to Acme"),
        (SignIn, "Hier ist Ihr Anmeldelink, gültig für 10 Minuten.", "Jetzt anmelden"),
        (ResetPassword, "We got a request. It expires in an hour.", "Reset your password"),
        (ResetPassword, "Vous avez oublié votre mot de passe ?", "Réinitialiser le mot de passe"),
        (ResetPassword, "お客様のリクエスト", "パスワードを再設定する"),
        (Invitation, "Anna invited you to the team Rockets.", "Accept invitation"),
        (Invitation, "Anna hat Sie in den Arbeitsbereich Rakete eingeladen.", "Einladung annehmen"),
    ] {
        let url = "https://click.mail.example/ls/click?upn=u001.K3bZq9XvT2pW7Lm&a=b";
        let html = format!(
            "<table><tr><td><p>{above}</p></td></tr><tr><td><a href=\"{}\">{button}</a></td></tr></table>\
             <p>If you did not ask for this, ignore it or <a href='https://acme.example/report?t=abcdef1234'>report it</a>.</p>\
             <p><a href='https://acme.example/unsubscribe?u=K3bZq9XvT2pW7Lm12'>Unsubscribe</a>
             <a href='https://acme.example/privacy'>Privacy</a> <a href='https://acme.example'>Acme</a></p>",
            url.replace('&', "&amp;")
        );
        assert_eq!(links("Acme", "", Some(&html)), [(kind, url.to_owned())], "{above} [{button}]");
    }
}

#[test]
fn confirming_links_are_found_in_plain_text() {
    for (text, kind, url) in [
        (
            "Please confirm your address by opening this link:\n\n<https://acme.example/confirm/8fK2mQ9xT1>\n\nThe Acme team",
            LinkKind::Confirm,
            "https://acme.example/confirm/8fK2mQ9xT1",
        ),
        (
            "To reset your password, go to https://acme.example/reset?token=8fK2mQ9xT1.",
            LinkKind::ResetPassword,
            "https://acme.example/reset?token=8fK2mQ9xT1",
        ),
        (
            "Verify your email (https://acme.example/verify?token=8fK2mQ9xT1)\n\nHelp (https://acme.example/help)",
            LinkKind::Confirm,
            "https://acme.example/verify?token=8fK2mQ9xT1",
        ),
    ] {
        assert_eq!(links("Acme", text, None), [(kind, url.to_owned())], "{text}");
    }
}

#[test]
fn query_words_do_not_change_purpose() {
    for url in [
        "https://acme.example/verify?token=8fK2mQ9xT1&redirect_to=%2Fsettings%2Fpreferences",
        "https://acme.example/verify?token=8fK2mQ9xT1&cancel_url=/",
        "https://acme.example/verify?token=8fK2mQ9xT1&utm_source=help",
        "https://acme.example/verify?token=8fK2mQ9xT1&next=/help",
        "https://acme.example/help/verify-email?token=8fK2mQ9xT1",
    ] {
        let html = format!("<p>Welcome to Acme</p><a href='{url}'>Verify email</a>");
        assert_eq!(links("Acme", "", Some(&html)), [(LinkKind::Confirm, url.to_owned())]);
    }
}

#[test]
fn other_links_confirm_nothing() {
    for (subject, above, button) in [
        ("Order confirmation", "Thanks for your order. Your confirmation is below.", "View order"),
        ("Your order", "Please confirm your delivery", "Confirm delivery"),
        ("Your invoice", "Sign in to your account to see your invoice.", "Sign in"),
        ("Your password was changed", "If this wasn't you, reset your password.", "Reset your password"),
        ("New sign-in", "If you don't recognize this device:", "Secure your account"),
        ("Webinar", "You are invited to our webinar", "Register now"),
        ("Meeting on Monday", "Will you attend?", "Accept"),
        ("News", "Read how to verify an address", "Read more"),
        ("Confirm your email", "Did you not sign up?", "This wasn't me"),
    ] {
        let url = "https://click.mail.example/ls/click?upn=u001.K3bZq9XvT2pW7Lm";
        let html = format!("<p>{above}</p><p><a href='{url}'>{button}</a></p>");
        assert_eq!(links(subject, above, Some(&html)), [], "{above} [{button}]");
    }
    let html = "<p>Confirm your email</p><a href='javascript:verify()'>Confirm your email</a>";
    assert_eq!(links("Confirm your email", "", Some(html)), []);
}

#[test]
fn finding_context_is_one_line() {
    let html = "<h1>Welcome</h1><p>Hi Anna,</p><a href='https://acme.example/verify?token=8fK2mQ9xT1'>Verify email</a><p>Bye</p>";
    let contexts: Vec<String> = extract_links(None, "", Some(html)).into_iter().map(|found| found.context).collect();
    assert_eq!(contexts, ["Welcome Hi Anna, Verify email Bye"]);
    let found = extract_codes(Some("Acme"), "Hi,\nyour code:\n\n483 920\n\nBye");
    assert_eq!(
        found.iter().map(|found| found.context.as_str()).collect::<Vec<_>>(),
        ["Acme Hi, your code: 483 920 Bye"]
    );
}

/// Generates parts of messages with codes and links, and of similar ones without.
fn scraps() -> impl Strategy<Value = String> {
    let scraps = vec![
        "483920",
        "483 920",
        "4",
        "8",
        " | ",
        "\n",
        "\n\n",
        " ",
        ". ",
        ": ",
        "A7K9QZ",
        "WDJB-MJHT",
        "G-483920",
        "2026",
        "verification code",
        "Your code is ",
        "code",
        "expires in 10 minutes",
        "order number",
        "code promo",
        "認証コード",
        "인증번호",
        "код подтверждения",
        "４８",
        "\u{200b}",
        "é",
        "İ",
        "-",
        "#",
        "$",
        "<a href='https://a.example/verify?token=8fK2mQ9xT1'>",
        "<a href=\"javascript:x\">",
        "</a>",
        "Confirm your email",
        "Sign in",
        "magic link",
        "unsubscribe",
        "<p>",
        "<td>",
        "https://a.example/reset?token=8fK2mQ9xT1b",
        "://",
        "https://",
        "(",
        ")",
        "<",
        ">",
        "If this wasn't you, ",
    ];
    vec(select(scraps), 0..60).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn findings_occur_in_message_and_are_bounded(subject in scraps(), text in scraps(), html in scraps()) {
        let codes = extract_codes(Some(&subject), &text);
        prop_assert!(codes.len() <= 10);
        prop_assert!(codes.iter().all(|found| (1..=100).contains(&found.confidence)));
        prop_assert!(codes.is_sorted_by_key(|found| std::cmp::Reverse(found.confidence)));
        let signs = format!("{subject}\n\n{text}").replace('４', "4").replace('８', "8");
        for found in &codes {
            prop_assert!(found.context.chars().count() <= 200 && !found.context.contains('\n'));
            // Without grouping characters, the code occurs in the text.
            let mut rest = signs.chars();
            let is_there = found.code.chars().all(|sign| rest.any(|c| c == sign)) || signs.contains(&found.code);
            prop_assert!(is_there, "{} in {signs}", found.code);
        }

        let links = extract_links(Some(&subject), &text, Some(&html));
        prop_assert!(links.len() <= 10);
        prop_assert!(links.is_sorted_by_key(|found| std::cmp::Reverse(found.confidence)));
        for found in &links {
            prop_assert!((1..=100).contains(&found.confidence));
            prop_assert!(html.contains(&found.url) || text.contains(&found.url), "{}", found.url);
            prop_assert!(found.context.chars().count() <= 200 && !found.context.contains('\n'));
        }

        prop_assert_eq!(extract_codes(Some(&subject), &text), codes);
        prop_assert_eq!(extract_links(Some(&subject), &text, Some(&html)), links);
    }

    #[test]
    fn extraction_never_panics(subject in ".*", text in ".*", html in ".*") {
        prop_assert!(extract_codes(Some(&subject), &text).len() <= 10);
        prop_assert!(extract_links(Some(&subject), &text, Some(&html)).len() <= 10);
    }
}
