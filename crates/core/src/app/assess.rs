//! What is found out about a mail that comes in, before it is stored.

use inboxd_mail::{EmailAddress, ParsedMail};

use super::App;
use super::receive::IncomingMail;
use crate::Error;
use crate::model::{Authentication, MessageBody, SpamReport};
use crate::ports::{Evidence, HandedMail, SuspectMail, WorkOwner};
use crate::rules::{authentication, spam};

/// The field that says who vouches for a mail (RFC 8601).
pub(super) const RESULTS: &str = "Authentication-Results";

/// What was found out.
pub(super) struct Findings {
    /// Who vouches for the mail; `None` for mail from within, which came by no network.
    pub(super) authentication: Option<Authentication>,
    /// The value of its field in the header.
    pub(super) results: Option<String>,
    /// Whether authentication failed.
    pub(super) is_unauthenticated: bool,
    /// What speaks for spam.
    pub(super) spam: SpamReport,
}

/// Asks who vouches for a mail, which cannot hold it up for long; nobody is asked about mail from within.
pub(super) async fn evidence(app: &App, mail: &IncomingMail) -> Option<Evidence> {
    let client = mail.client.as_ref()?;
    let envelope_from = mail.envelope_from.as_ref();
    let handed = HandedMail { ip: client.ip, helo: &client.helo, envelope_from, raw: &mail.raw };
    Some(app.authenticator.authenticate(handed).await)
}

/// A mail and what was found out about it.
pub(super) struct AssessedMail {
    pub(super) mail: IncomingMail,
    pub(super) parsed: ParsedMail,
    pub(super) findings: Findings,
}

/// Judges whom a mail is from by who vouches for it, and whether it is spam. Neither can refuse it, nor hold it up for
/// long. The built-in checks of a large mail run on the blocking pool.
///
/// # Errors
/// Those of [`App::compute`].
pub(super) async fn assess(
    app: &App,
    owner: WorkOwner,
    mail: IncomingMail,
    parsed: ParsedMail,
    evidence: Option<Evidence>,
) -> Result<AssessedMail, Error> {
    let authentication = evidence.as_ref().map(authentication::summarize);
    let recipients: Vec<EmailAddress> = mail.recipients.iter().map(|recipient| recipient.address.clone()).collect();
    let judged = app.spam_filter.judge(suspect(&mail, &parsed, &recipients, authentication.as_ref())).await;
    let (mail, parsed, authentication, spam) = if let Some(spam) = judged {
        (mail, parsed, authentication, spam)
    } else {
        let bytes = mail.raw.len();
        let judge = move || {
            let spam = spam::evaluate(&suspect(&mail, &parsed, &recipients, authentication.as_ref()));
            (mail, parsed, authentication, spam)
        };
        app.compute(owner, bytes, judge).await?
    };
    let findings = Findings {
        results: evidence.as_ref().map(|evidence| authentication::results_field(&app.settings.domain, evidence)),
        is_unauthenticated: evidence.as_ref().is_some_and(authentication::has_failed),
        authentication,
        spam,
    };
    Ok(AssessedMail { mail, parsed, findings })
}

fn suspect<'a>(
    mail: &'a IncomingMail,
    parsed: &'a ParsedMail,
    recipients: &'a [EmailAddress],
    authentication: Option<&'a Authentication>,
) -> SuspectMail<'a> {
    SuspectMail {
        client: mail.client.as_ref().map(|client| (client.ip, client.helo.as_str())),
        envelope_from: mail.envelope_from.as_ref(),
        recipients,
        raw: &mail.raw,
        parsed,
        authentication,
    }
}

impl Findings {
    /// Shows them with a message.
    pub(super) fn note_in(&self, body: &mut MessageBody) {
        body.authentication.clone_from(&self.authentication);
        body.spam = Some(self.spam.clone());
        if let Some(results) = &self.results {
            body.headers.insert(0, (RESULTS.to_owned(), results.clone()));
        }
    }
}
