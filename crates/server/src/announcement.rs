//! Lines that a started server prints: its addresses and the first steps.

use std::io::Write as _;

use crate::config::{Config, Delivery, Listener, Role};

/// Prints the addresses of the roles and the first steps.
pub(crate) fn announce(config: &Config) {
    let Config { http, smtp, roles, .. } = config;
    let base_url = config.base_url();
    let mut lines = vec![format!("inboxd {} is ready.", env!("CARGO_PKG_VERSION"))];
    if roles.contains(&Role::Http) {
        for Listener { address, requires_tls, .. } in http {
            let scheme = if *requires_tls { "https" } else { "http" };
            lines.push(format!("  API   {scheme}://{address}   documentation: {base_url}/docs"));
        }
        if let Some(Listener { address, .. }) = config.tls.redirect {
            lines.push(format!("  HTTP  {address}   redirects to {base_url}"));
        }
        lines.push(format!("  Web   {base_url}/console   for people: sign in with an email address"));
    }
    for Listener { address, requires_tls, .. } in smtp.iter().filter(|_| roles.contains(&Role::Smtp)) {
        let how = if *requires_tls { ", TLS required" } else { "" };
        lines.push(format!("  SMTP  {address}   for mail to *@{} and *@{}{how}", config.domain, config.signup_domain));
    }
    if roles.contains(&Role::Http) {
        lines.push("  Sign up:".to_owned());
        lines.push(format!("    curl {base_url}/v0/agent/sign-up --json \\"));
        lines.push(r#"      '{"human_email": "you@example.org", "username": "scout"}'"#.to_owned());
    }
    if config.delivery == Delivery::Capture {
        lines.push(
            "  Mail is captured, not sent: the log has one line per message, with every sign-in code; `inboxd admin \
             captured` prints all."
                .to_owned(),
        );
    }
    if matches!(config.delivery, Delivery::Direct { .. }) {
        lines.push(
            "  Mail is sent to the servers of its recipients: `inboxd doctor` checks the records that they check."
                .to_owned(),
        );
    }
    // A closed output is no error.
    let _ = std::io::stdout().write_all(format!("{}\n", lines.join("\n")).as_bytes());
}
