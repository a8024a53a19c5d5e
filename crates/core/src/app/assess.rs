//! Authentication and spam evaluation of an inbound message before it is stored.

use futures_util::future::join;
use inboxd_mail::{EmailAddress, ParsedMail};

use super::App;
use super::receive::IncomingMail;
use crate::Error;
use crate::model::{AuthResult, Authentication, MessageBody, OrganizationId, SpamReport};
use crate::ports::{Evidence, HandedMail, SuspectMail, WorkOwner};
use crate::rules::trust::ScannerFinding;
use crate::rules::{authentication, spam};

/// Name of the header field with authentication results (RFC 8601).
pub(super) const RESULTS: &str = "Authentication-Results";

/// Authentication results and spam report of one message.
pub(super) struct Findings {
    /// Authentication summary; `None` for local mail, which has no SMTP client.
    pub(super) authentication: Option<Authentication>,
    /// Value of the `Authentication-Results` field.
    pub(super) results: Option<String>,
    /// Whether authentication failed.
    pub(super) is_unauthenticated: bool,
    /// Spam report.
    pub(super) spam: SpamReport,
    /// Findings of the external scanner.
    pub(super) scanner: Vec<ScannerFinding>,
}

/// Authenticates a message within a short time limit. Local mail is not authenticated.
pub(super) async fn evidence(app: &App, mail: &IncomingMail) -> Option<Evidence> {
    let client = mail.client.as_ref()?;
    let envelope_from = mail.envelope_from.as_ref();
    let handed = HandedMail { ip: client.ip, helo: &client.helo, envelope_from, raw: &mail.raw };
    Some(app.authenticator.authenticate(handed).await)
}

/// A parsed message with its findings.
pub(super) struct AssessedMail {
    pub(super) mail: IncomingMail,
    pub(super) parsed: ParsedMail,
    pub(super) findings: Findings,
}

/// Summarizes the authentication of a message, evaluates it for spam and lets the external scanner scan it for the
/// first organization that receives it.
///
/// No step refuses the message or delays it for long; spam filter and scanner are asked concurrently. The built-in spam
/// checks of a large message run on the blocking pool.
///
/// # Errors
/// The errors of [`App::compute`].
pub(super) async fn assess(
    app: &App,
    owner: WorkOwner,
    organization_id: Option<OrganizationId>,
    (mail, parsed): (IncomingMail, ParsedMail),
    evidence: Option<Evidence>,
) -> Result<AssessedMail, Error> {
    let authentication = evidence.as_ref().map(authentication::summarize);
    let recipients: Vec<EmailAddress> = mail.recipients.iter().map(|recipient| recipient.address.clone()).collect();
    let suspected = suspect(&mail, &parsed, &recipients, authentication.as_ref());
    let scan = async {
        match (&app.scanner, organization_id) {
            (Some(scanner), Some(organization_id)) => scanner.scan(organization_id, suspected).await,
            _ => Vec::new(),
        }
    };
    let (judged, scanner) = join(app.spam_filter.judge(suspected), scan).await;
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
        scanner,
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
    /// Returns whether the domain of the sender is proved. Local mail comes from an inbox of this service.
    pub(super) fn is_authenticated(&self) -> bool {
        self.authentication.as_ref().is_none_or(|results| results.dmarc == AuthResult::Pass)
    }

    /// Adds the findings to the body of a message.
    pub(super) fn note_in(&self, body: &mut MessageBody) {
        body.authentication.clone_from(&self.authentication);
        body.spam = Some(self.spam.clone());
        if let Some(results) = &self.results {
            body.headers.insert(0, (RESULTS.to_owned(), results.clone()));
        }
    }
}
