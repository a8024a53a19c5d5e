//! The mail that carries a verification code.

use time::OffsetDateTime;

use super::mail::system_mail;
use crate::Error;
use crate::app::App;
use crate::model::{Organization, Outgoing, Route, VerificationCode};
use crate::rules::codes;

/// A fresh code for an organization, and the mail that brings it to the owner by the way that leads there.
pub(super) fn fresh(
    app: &App,
    organization: &Organization,
    route: Route,
    now: OffsetDateTime,
) -> Result<(VerificationCode, Outgoing), Error> {
    let digits = codes::make(&app.random.octets());
    let code = VerificationCode {
        organization_id: organization.organization_id,
        code_hash: app.settings.signing_key.code_hash(organization.organization_id, &digits),
        expires_at: now + VerificationCode::LIFETIME,
        attempts: 0,
    };
    let text = format!(
        "Your verification code is {digits}\n\n\
         An agent signed up with your address. Give it this code, or call POST /v0/agent/verify with it; until then the \
         agent can write to you only. The code works for 24 hours.\n\n\
         If you know nothing of this, ignore this mail.\n"
    );
    let Organization { organization_id, owner_email, .. } = organization;
    Ok((code, system_mail(app, *organization_id, owner_email, route, "Your verification code", text, now)?))
}
