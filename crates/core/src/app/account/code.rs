//! Verification code of an organization and the mail that carries it.

use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use super::mail::system_mail;
use crate::app::App;
use crate::model::{Organization, QueuedMail, Route, VerificationCode};
use crate::rules::codes;
use crate::{Error, SignUpRefusal};

/// Returns a new code for an organization and the mail that carries it to the owner.
///
/// The mail states the effect of a confirmation and the time and network of the sign-up. The owner can so recognize a
/// sign-up by a stranger.
pub(super) fn fresh(
    app: &App,
    organization: &Organization,
    sign_up_network: Option<String>,
    route: Route,
    now: OffsetDateTime,
) -> Result<(VerificationCode, QueuedMail), Error> {
    let digits = codes::derive(&app.random.bytes());
    let code = VerificationCode {
        organization_id: organization.organization_id,
        code_hash: app.settings.signing_key.code_hash(organization.organization_id, &digits),
        expires_at: now + VerificationCode::LIFETIME,
        attempts: 0,
        sign_up_network,
    };
    let from =
        code.sign_up_network.as_ref().map_or_else(String::new, |network| format!(", from the network {network}"));
    let signed_up_at = shown(organization.created_at)?;
    let text = format!(
        "Your verification code is {digits}\n\n\
         An agent signed up with your address at {signed_up_at}{from}.\n\n\
         Whoever has this code can confirm the sign-up. The agent that signed up may then send mail to anyone in your name, \
         and reads all mail of the organization. If that agent is yours, give it this code, or call POST /v0/agent/verify \
         with it. The code works for 24 hours.\n\n\
         If you did not start this, give the code to nobody and ignore this mail. A sign-up that is not confirmed is \
         removed after {days} days. To take it over without the agent, sign in with POST /v0/agent/sign-in and confirm \
         with the key of that sign-in: every key made before then stops working.\n",
        days = app.settings.unverified_retention.whole_days(),
    );
    let owner = organization.owner_email.as_ref().ok_or(SignUpRefusal::OwnerMissing)?;
    Ok((code, system_mail(app, organization.organization_id, owner, route, "Your verification code", text, now)?))
}

/// Formats a time for readers: `2026-11-20 10:00 UTC`.
fn shown(time: OffsetDateTime) -> Result<String, Error> {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");
    time.to_offset(UtcOffset::UTC).format(format).map_err(|error| Error::Internal(error.to_string()))
}
