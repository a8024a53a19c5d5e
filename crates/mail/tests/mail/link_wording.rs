//! Wording around links in messages of services.

use inboxd_mail::extract_links;

#[test]
fn confirmation_links_are_identified_by_their_words() {
    for &(kind, subject, above, words, url) in LINKS {
        let found = extract_links(Some(subject), "", Some(&html(above, words, url)));
        let found: Vec<_> = found.iter().map(|found| (found.kind.as_str(), found.url.as_str())).collect();
        assert_eq!(found, [(kind, url)], "{subject}: {above} [{words}]");

        let text = format!("{above}\n\n{words}:\n{url}\n\nRegards, the Acme team\nHelp: https://acme.example/help");
        let found = extract_links(Some(subject), &text, None);
        let found: Vec<_> = found.iter().map(|found| (found.kind.as_str(), found.url.as_str())).collect();
        assert_eq!(found, [(kind, url)], "{text}");
    }
}

#[test]
fn other_links_are_not_confirmation_links() {
    for &(subject, above, words, url) in OTHERS {
        let found = extract_links(Some(subject), "", Some(&html(above, words, url)));
        assert_eq!(found, [], "{subject}: {above} [{words}]");
    }
}

fn html(above: &str, words: &str, url: &str) -> String {
    format!(
        "<html><body><table><tr><td><h1>Acme</h1><p>{above}</p></td></tr><tr><td><a href='{url}'>{words}</a></td></tr>\
         </table><p>Regards, the Acme team</p><p><a href='https://acme.example/help'>Help</a></p></body></html>"
    )
}

#[rustfmt::skip]
const LINKS: &[(&str, &str, &str, &str, &str)] = &[
    ("confirm", "Activate your account", "Welcome!", "Click the link below to activate your account", "https://app.example.com/u/9f8a7b6c5d4e"),
    ("invitation", "Anna invited you to the project Tools", "Accept or decline below.", "Accept the invitation", "https://forgehub.example/anna/tools/invitations"),
    ("confirm", "Verify your email", "Thanks for creating an account. Please verify your email.", "Verify email", "https://app.acme.example/verify-email?token=9f8e7d6c5b4a"),
    ("confirm", "Confirm your subscription", "You're almost subscribed.", "Yes, subscribe me to this list.", "https://acme.us1.list-manage.example/subscribe/confirm?u=9f8e7d6c5b4a&id=1a2b&e=9c"),
    ("confirm", "Welcome to Acme!", "Activate your account to get started.", "Activate account", "https://t.acme.example/c/eJwNy0sKgDAMBNDTJDtl"),
    ("confirm", "Action required", "To finish signing up, please confirm your email address.", "Confirm", "https://acme.example/c/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Confirm your new email address", "You asked to change your email to anna@example.com.", "Confirm change", "https://acme.example/settings/email/confirm/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Verify it's you", "Click the link to verify your identity. It expires in 1 hour.", "https://acme.example/v?c=9aXk2LmQ8tYpR4wZ", "https://acme.example/v?c=9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Please verify", "Click the button to complete your registration", "Complete registration", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Your sign-in link", "Click below to sign in. This link expires in 10 minutes and can be used once.", "Sign in to Acme", "https://acme.example/auth/callback?token=9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Log in to Acme", "Tap the button to log in. Link valid for 15 minutes.", "Log in", "https://acme.example/x/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Sign in to Medium", "Click and confirm that you want to sign in. This link will expire in fifteen minutes.", "Sign in", "https://medium.example/m/callback/email?token=9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Reset your password", "Someone requested a new password for your account. If it wasn't you, you can safely ignore this email.", "Reset password", "https://acme.example/u/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Password reset", "Use the link below to choose a new password.", "https://acme.example/password/reset/9aXk2LmQ8tYpR4wZ", "https://acme.example/password/reset/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Forgot your password?", "No problem, click below.", "Set a new password", "https://click.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Anna invited you to Acme", "Anna (anna@x.example) has invited you to join the Acme workspace.", "Join now", "https://acme.example/invite/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "You've been invited to collaborate", "@anna has invited you to collaborate on the anna/tools repository.", "View invitation", "https://forgehub.example/anna/tools/invitations"),
    ("invitation", "Join your team on Acme", "Anna is waiting for you", "Accept Invite", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Bitte bestätigen Sie Ihre Anmeldung", "Bitte klicken Sie auf den folgenden Link, um Ihre Newsletter-Anmeldung zu bestätigen.", "Ja, ich möchte den Newsletter erhalten", "https://news.acme.example/doi/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Passwort zurücksetzen", "Sie haben angefordert, Ihr Passwort zurückzusetzen.", "Neues Passwort vergeben", "https://acme.example/p/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Confirmez votre inscription", "Il ne reste qu'une étape : confirmez votre adresse e-mail.", "Je confirme mon inscription", "https://acme.example/c/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Léa vous invite sur Acme", "Léa vous a invité à rejoindre l'espace Ventes.", "Rejoindre l'espace", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Restablecer contraseña", "Recibimos una solicitud para restablecer tu contraseña.", "Restablecer contraseña", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Confirma tu suscripción", "Haz clic en el botón para confirmar tu suscripción.", "Confirmar suscripción", "https://acme.example/c/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Tu enlace de acceso", "Usa este enlace para iniciar sesión. Caduca en 10 minutos.", "Iniciar sesión", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Reimposta la password", "Hai chiesto di reimpostare la password.", "Reimposta password", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Marco ti ha invitato", "Marco ti ha invitato nel team Vendite.", "Accetta l'invito", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Redefinição de senha", "Clique no botão para redefinir sua senha.", "Redefinir senha", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Seu link de acesso", "Clique para entrar. O link expira em 10 minutos.", "Entrar na Acme", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Wachtwoord opnieuw instellen", "Je hebt gevraagd om je wachtwoord opnieuw in te stellen.", "Nieuw wachtwoord kiezen", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Je bent uitgenodigd", "Sanne heeft je uitgenodigd voor het team Noord.", "Uitnodiging accepteren", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Reset hasła", "Kliknij poniżej, aby ustawić nowe hasło.", "Ustaw nowe hasło", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Aktywacja konta", "Aby aktywować konto, kliknij przycisk.", "Aktywuj konto", "https://acme.example/a/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Zaproszenie do zespołu", "Jan zaprosił Cię do zespołu Rakieta.", "Przyjmij zaproszenie", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Återställ ditt lösenord", "Klicka på knappen för att välja ett nytt lösenord.", "Återställ lösenord", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Din inloggningslänk", "Länken gäller i 10 minuter.", "Logga in", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Nulstil din adgangskode", "Vi har modtaget en anmodning.", "Nulstil adgangskode", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "Bekræft din tilmelding", "Klik på knappen.", "Bekræft tilmelding", "https://acme.example/c/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Tilbakestill passordet", "Trykk på knappen.", "Velg nytt passord", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Du er invitert", "Kari har invitert deg til teamet Nord.", "Bli med i teamet", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Salasanan palautus", "Pyysit uutta salasanaa.", "Vaihda salasana", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Kirjautumislinkkisi", "Linkki on voimassa 10 minuuttia.", "Kirjaudu sisään", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Kutsu tiimiin", "Matti kutsui sinut tiimiin Pohjoinen.", "Hyväksy kutsu", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Obnovení hesla", "Požádali jste o obnovení hesla.", "Nastavit nové heslo", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Pozvánka do týmu", "Jana vás pozvala do týmu Sever.", "Přijmout pozvánku", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "Восстановление пароля", "Чтобы задать новый пароль, нажмите кнопку.", "Сбросить пароль", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "Ссылка для входа", "Ссылка действует 10 минут.", "Войти", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "Приглашение в команду", "Иван приглашает вас в команду Север.", "Принять приглашение", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "会員登録のご確認", "下記のURLをクリックして本登録を完了してください。", "https://acme.example/entry?id=9aXk2LmQ8tYpR4wZ", "https://acme.example/entry?id=9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "ログインリンク", "下記のリンクからログインしてください。有効期限は10分です。", "ログインする", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "チームへの招待", "田中さんがあなたをチームに招待しました。", "招待を承諾する", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "重置密码", "请点击下方按钮重置您的密码，链接30分钟内有效。", "重置密码", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("confirm", "激活您的账号", "请点击以下链接激活账号：", "https://acme.example/a/9aXk2LmQ8tYpR4wZ", "https://acme.example/a/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "邀请您加入团队", "小李邀请您加入团队“北方”。", "接受邀请", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
    ("reset_password", "비밀번호 재설정", "아래 버튼을 눌러 비밀번호를 재설정하세요.", "비밀번호 재설정", "https://acme.example/r/9aXk2LmQ8tYpR4wZ"),
    ("sign_in", "로그인 링크", "아래 링크로 로그인하세요. 10분간 유효합니다.", "로그인", "https://acme.example/m/9aXk2LmQ8tYpR4wZ"),
    ("invitation", "팀 초대", "김민수님이 팀에 초대했습니다.", "초대 수락", "https://acme.example/i/9aXk2LmQ8tYpR4wZ"),
];

#[rustfmt::skip]
const OTHERS: &[(&str, &str, &str, &str)] = &[
    ("Verify your email", "Read how to verify your email.", "How to verify your email", "https://acme.example/how-to-verify-email?utm_campaign=9f8a7b6c5d4e3f2a1b"),
    ("Your ticket", "This article tells how to verify your domain", "Verify your domain", "https://acme.example/support/verify-your-domain"),
    ("Please verify", "Could you verify the fix", "verify the fix", "https://forgehub.example/a/b/commit/9f8a7b6c5d4e3f2a1b0c"),
    ("Confirm your subscription", "If you do not want to receive any further mail", "click here", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Your order has shipped", "Thanks for shopping.", "Track your package", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Your receipt", "View your receipt in your account.", "View in account", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("New sign-in to your account", "If this was you, you don't need to do anything. If not, change your password.", "Check activity", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Your password has been changed", "If you did not make this change, reset your password immediately.", "Reset password", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Weekly digest", "Log in to see what's new on Acme.", "Log in", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Invitation: Sync @ Mon Nov 23", "Anna invited you to an event", "Yes", "https://calendar.acme.example/event?action=RESPOND&eid=9aXk2LmQ8tYpR4wZ&rst=1"),
    ("You're invited: Black Friday preview", "Join us for our biggest sale", "Join now", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Confirm your appointment", "Dr. Who, December 4, 14:30", "Confirm appointment", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Your statement is ready", "Sign in to online banking to view your statement.", "Sign in", "https://t.bank.example/9aXk2LmQ8tYpR4wZ"),
    ("Anna commented on your PR", "Please verify the fix.", "View it on Forgehub", "https://forgehub.example/a/b/pull/12#issuecomment-9aXk2LmQ8tYpR4wZ"),
    ("Rate your purchase", "How was it?", "Write a review", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("We updated our terms", "By continuing to use your account you accept the new terms.", "Read the terms", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Your subscription renews soon", "Update your payment method to keep your account active.", "Update payment method", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Welcome to Acme", "Your email is confirmed. Get started with your account.", "Go to dashboard", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Neue Anmeldung bei Ihrem Konto", "Waren Sie das nicht? Ändern Sie Ihr Passwort.", "Passwort ändern", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Ihre Bestellung", "Bestellbestätigung. Vielen Dank für Ihre Bestellung.", "Bestellung ansehen", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Confirmation de commande", "Votre commande est confirmée. Suivez votre colis.", "Suivre mon colis", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Buchungsbestätigung", "Bitte bestätigen Sie Ihren Termin.", "Termin bestätigen", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Tu factura", "Accede a tu cuenta para ver tu factura.", "Acceder", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Activate your new card", "Your new card has arrived.", "Activate card", "https://t.bank.example/9aXk2LmQ8tYpR4wZ"),
    ("50% off: activate your discount", "Only today.", "Activate discount", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Webinar invitation", "You are invited to join our webinar on security", "Reserve my seat", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("New login", "Was this you? Yes / No", "Yes, it was me", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("Complete your profile", "Add a photo to your account", "Complete profile", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("ご注文の確認", "ご注文ありがとうございます。", "注文を確認する", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("订单确认", "您的订单已确认。", "查看订单", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
    ("주문 확인", "주문이 확인되었습니다.", "주문 확인하기", "https://t.acme.example/9aXk2LmQ8tYpR4wZ"),
];
