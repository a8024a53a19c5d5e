//! Settings that `inboxd setup` proposes, asks for and writes.

use std::path::Path;

use inboxd_core::rules::domains::name::is_local;

use super::network::has_ipv6;
use super::prompt::{Prompt, say};
use super::{SetupOptions, print};
use crate::config::{self, Config, Origin, Source, edit, settings};
use crate::failure::Failure;

/// Source of the certificate of HTTPS and SMTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Https {
    /// An authority issues it by ACME, at ports 443 and 80.
    Acme,
    /// Files of the operator: `INBOXD_TLS_CERT` and `INBOXD_TLS_KEY`.
    Files,
    /// A proxy in front of inboxd has it.
    Proxy,
}

/// New settings.
pub(super) struct Plan {
    source: Source,
    changes: Vec<Change>,
}

struct Change {
    name: &'static str,
    value: String,
    former: Option<String>,
}

impl Plan {
    /// Returns the configuration with the new settings.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        config::of(&self.source)
    }

    /// Shows the changes and writes them, if the operator confirms.
    pub(super) fn write(&self, path: &Path, prompt: &mut Prompt) -> Result<(), Failure> {
        let shown = path.display();
        if self.changes.is_empty() {
            print(&format!("ok    settings  {shown} has all settings\n"));
            return Ok(());
        }
        print(&if path.exists() {
            format!("{shown} will change, and its other lines stay:\n")
        } else {
            format!("{shown} will be created, with a description of every setting:\n")
        });
        for change in &self.changes {
            print(&format!("  {}\n", change.line()));
        }
        if !prompt.confirm(&format!("Write {shown}?"))? {
            return Err(Failure::new(format!("{shown} is not written; --yes confirms without a question")));
        }
        let values: Vec<(&str, &str)> =
            self.changes.iter().map(|change| (change.name, change.value.as_str())).collect();
        edit::store(path, &values)?;
        print(&format!("ok    settings  {shown} is written; a running inboxd needs a restart\n"));
        Ok(())
    }
}

impl Change {
    /// Returns the line for the operator. It shows no secret.
    fn line(&self) -> String {
        let is_secret = settings::find(self.name).is_some_and(|setting| setting.is_secret);
        let shown = |value: &str| if is_secret { "(set)".to_owned() } else { format!("\"{value}\"") };
        let former = self.former.as_deref().map(|value| format!(", before {}", shown(value))).unwrap_or_default();
        format!("{} = {}{former}", self.name, shown(&self.value))
    }
}

/// Finds the new settings: those of the options, then the configured ones, then answers and proposals.
pub(super) fn plan(source: Source, options: &SetupOptions, prompt: &mut Prompt, path: &Path) -> Result<Plan, Failure> {
    let mut planner = Planner { plan: Plan { source, changes: Vec::new() }, prompt };
    planner.domain(options)?;
    planner.values(options)?;
    planner.delivery(options)?;
    let smtp = if has_ipv6() { "0.0.0.0:25,[::]:25" } else { "0.0.0.0:25" };
    planner.propose("INBOXD_SMTP_ADDR", smtp)?;
    planner.https(options)?;
    if let Some(url) = &options.base_url {
        planner.set(&[("INBOXD_BASE_URL", url)])?;
    }
    if let Some(email) = &options.email {
        planner.set(&[("INBOXD_ACME_EMAIL", &email.to_string())])?;
    }
    planner.ask(
        "INBOXD_SIGNUP",
        "Sign-ups: invite (with `inboxd admin invite`), open or closed",
        Some("invite"),
        None,
    )?;
    if path.starts_with("/etc") {
        planner.propose("INBOXD_DATA_DIR", "/var/lib/inboxd")?;
    }
    Ok(planner.plan)
}

struct Planner<'a> {
    plan: Plan,
    prompt: &'a mut Prompt,
}

impl Planner<'_> {
    fn is_configured(&self, name: &str) -> bool {
        *self.plan.source.origin(name) != Origin::Default
    }

    /// Sets values that only work together, if the configuration accepts them.
    fn set(&mut self, values: &[(&'static str, &str)]) -> Result<(), Failure> {
        let mut source = self.plan.source.clone();
        let mut changes = Vec::new();
        for &(name, value) in values {
            let former = source.get(name).filter(|_| *source.origin(name) != Origin::Default);
            if former.as_deref() == Some(value) {
                continue;
            }
            if !matches!(source.origin(name), Origin::Default | Origin::File) {
                let origin = source.origin(name);
                return Err(Failure::new(format!(
                    "{name} comes from {origin}, which precedes the file: change it there"
                )));
            }
            source.set(name, value.to_owned());
            changes.push(Change { name, value: value.to_owned(), former });
        }
        config::of(&source)?;
        self.plan.source = source;
        for change in changes {
            // A later answer replaces an earlier one.
            self.plan.changes.retain(|other| other.name != change.name);
            self.plan.changes.push(change);
        }
        Ok(())
    }

    /// Sets a value unless one is configured.
    fn propose(&mut self, name: &'static str, value: &str) -> Result<(), Failure> {
        if self.is_configured(name) { Ok(()) } else { self.set(&[(name, value)]) }
    }

    /// Sets the value of an option, or asks for one unless it is configured.
    fn ask(
        &mut self,
        name: &'static str,
        question: &str,
        default: Option<&str>,
        option: Option<&str>,
    ) -> Result<(), Failure> {
        if let Some(value) = option {
            return self.set(&[(name, value)]);
        }
        if self.is_configured(name) {
            return Ok(());
        }
        loop {
            let Some(answer) = self.prompt.ask(question, default)? else { return Ok(()) };
            match self.set(&[(name, &answer)]) {
                Err(failure) if self.prompt.is_asking() => say(&failure.to_string()),
                result => return result,
            }
        }
    }

    fn domain(&mut self, options: &SetupOptions) -> Result<(), Failure> {
        let question = "Domain of the inboxes and name of the mail server, such as mail.example.org";
        loop {
            self.ask("INBOXD_DOMAIN", question, None, options.domain.as_deref())?;
            let config = self.plan.config()?;
            if !is_local(&config.domain) {
                return Ok(());
            }
            let line = format!("{} is no public domain: name one of your own with --domain", config.domain);
            if options.domain.is_some() || !self.prompt.is_asking() {
                return Err(Failure::new(line));
            }
            say(&line);
            self.forget("INBOXD_DOMAIN");
        }
    }

    /// Removes an answer that is of no use.
    fn forget(&mut self, name: &'static str) {
        self.plan.source.accept(name, &Source::default());
        self.plan.changes.retain(|change| change.name != name);
    }

    /// Sets the values of `--set`.
    fn values(&mut self, options: &SetupOptions) -> Result<(), Failure> {
        let mut values = Vec::new();
        for text in &options.values {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            let setting = settings::find(name.trim()).filter(|_| !value.trim().is_empty());
            let wrong =
                || Failure::new(format!("--set {name}: write a setting of `inboxd config example`, = and its value"));
            values.push((setting.ok_or_else(wrong)?.name, value.trim()));
        }
        self.set(&values)
    }

    fn delivery(&mut self, options: &SetupOptions) -> Result<(), Failure> {
        if options.delivery.is_none() && self.is_configured("INBOXD_DELIVERY") {
            return Ok(());
        }
        let question = "Outgoing mail: direct (to the servers of recipients) or relay";
        loop {
            let route = match &options.delivery {
                Some(route) => route.clone(),
                None => self.prompt.ask(question, Some("direct"))?.unwrap_or_default(),
            };
            if route == "relay" {
                let question = "URL of the relay, such as smtps://user:password@relay.example.org:465";
                self.ask("INBOXD_RELAY_URL", question, None, None)?;
            }
            match self.set(&[("INBOXD_DELIVERY", &route)]) {
                Err(failure) if options.delivery.is_none() && self.prompt.is_asking() => {
                    say(&failure.to_string());
                }
                result => return result,
            }
        }
    }

    /// Sets listeners and certificate, unless a setting of them is configured.
    fn https(&mut self, options: &SetupOptions) -> Result<(), Failure> {
        const CHOSEN: [&str; 4] = ["INBOXD_HTTP_ADDR", "INBOXD_BASE_URL", "INBOXD_ACME", "INBOXD_TLS_CERT"];
        let Some(https) = options.https else {
            if CHOSEN.iter().any(|name| self.is_configured(name)) {
                return Ok(());
            }
            return loop {
                let question = "Certificate: acme (ordered and renewed, ports 443 and 80), files or proxy";
                let answer = self.prompt.ask(question, Some("acme"))?.unwrap_or_default();
                match <Https as clap::ValueEnum>::from_str(&answer, true) {
                    Ok(https) => break self.certificate(https),
                    Err(_) => say("enter acme, files or proxy"),
                }
            };
        };
        self.certificate(https)
    }

    fn certificate(&mut self, https: Https) -> Result<(), Failure> {
        if https == Https::Proxy {
            let base_url = format!("https://{}", self.plan.config()?.domain);
            self.ask("INBOXD_BASE_URL", "URL of the API behind the proxy", Some(&base_url), None)?;
            return self.ask("INBOXD_TRUSTED_PROXIES", "Addresses of the proxy", Some("127.0.0.1"), None);
        }
        let (listeners, redirect) = if has_ipv6() {
            ("0.0.0.0:443?tls=on,[::]:443?tls=on", "[::]:80")
        } else {
            ("0.0.0.0:443?tls=on", "0.0.0.0:80")
        };
        self.propose("INBOXD_HTTP_ADDR", listeners)?;
        self.propose("INBOXD_HTTP_REDIRECT_ADDR", redirect)?;
        if https == Https::Acme {
            self.set(&[("INBOXD_ACME", "on")])?;
            let question = "Address for notices of the certificate authority (empty for none)";
            return self.ask("INBOXD_ACME_EMAIL", question, None, None);
        }
        if self.is_configured("INBOXD_TLS_CERT") {
            return Ok(());
        }
        let mut path = |question| self.prompt.ask(question, None).map(Option::unwrap_or_default);
        let (certificate, key) = (path("Path of the certificate chain (PEM)")?, path("Path of its private key (PEM)")?);
        if certificate.is_empty() || key.is_empty() {
            let line = "--https files needs --set INBOXD_TLS_CERT=PATH and --set INBOXD_TLS_KEY=PATH";
            return Err(Failure::new(line));
        }
        self.set(&[("INBOXD_TLS_CERT", &certificate), ("INBOXD_TLS_KEY", &key)])
    }
}
