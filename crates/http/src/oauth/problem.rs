//! Problems of the parameters at the authorization endpoint, which the client hears by redirect.

use inboxd_core::Error;
use inboxd_core::model::{OAuthError, OAuthErrorCode};
use inboxd_core::rules::oauth::{pkce, resources, scopes};

use crate::pages::Form;

/// Parameters that occur once (RFC 6749, section 3.1).
const PARAMETERS: [&str; 7] =
    ["response_type", "response_mode", "scope", "state", "code_challenge", "code_challenge_method", "resource"];

/// Maximum length of `state`, in bytes. It is part of each page.
const MAX_STATE_BYTES: usize = 2048;

/// Returns `state`, unless it is too long to be returned.
pub(super) fn usable_state(form: &Form) -> Option<&str> {
    form.one("state").filter(|state| state.len() <= MAX_STATE_BYTES)
}

/// Returns the first problem of the parameters besides client and redirect URI.
pub(super) fn find_problem(issuer: &str, form: &Form) -> Option<OAuthError> {
    check(issuer, form).err()
}

fn check(issuer: &str, form: &Form) -> Result<(), OAuthError> {
    let invalid = |description: &str| OAuthError::new(OAuthErrorCode::InvalidRequest, description);
    if let Some(name) = form.repeated(&PARAMETERS) {
        return Err(invalid(&format!("the parameter {name} is sent twice")));
    }
    if form.one("state") != usable_state(form) {
        return Err(invalid("state is longer than 2048 bytes"));
    }
    match form.one("response_type") {
        Some("code") => {}
        None => return Err(invalid("response_type is missing; send response_type=code")),
        Some(_) => {
            return Err(OAuthError::new(OAuthErrorCode::UnsupportedResponseType, "send response_type=code"));
        }
    }
    if form.one("response_mode").is_some_and(|mode| mode != "query") {
        return Err(invalid("the response is sent in the query; leave response_mode out"));
    }
    let challenge = form.one("code_challenge").ok_or_else(|| invalid("code_challenge is missing; use PKCE"))?;
    // An absent method means plain (RFC 7636, section 4.3).
    if form.one("code_challenge_method") != Some("S256") {
        return Err(invalid("send code_challenge_method=S256"));
    }
    if !pkce::is_challenge(challenge) {
        return Err(invalid("code_challenge is no base64url text of a SHA-256"));
    }
    if form.one("resource").is_some_and(|resource| !resources::is_this_server(issuer, resource)) {
        let description = "resource is another server; send the one of the protected resource metadata";
        return Err(OAuthError::new(OAuthErrorCode::InvalidTarget, description));
    }
    match scopes::parse(form.one("scope")) {
        Ok(_) => Ok(()),
        Err(Error::OAuth(error)) => Err(error),
        Err(error) => Err(OAuthError::new(OAuthErrorCode::InvalidScope, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://mail.example";
    const GOOD: &str =
        "response_type=code&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn parameters_are_checked_one_by_one() {
        let without = |name: &str| {
            let kept = GOOD.split('&').filter(|pair| !pair.starts_with(&format!("{name}=")));
            kept.collect::<Vec<_>>().join("&")
        };
        for (query, expected) in [
            (GOOD.to_owned(), None),
            (format!("{GOOD}&scope=mail:read&resource=https://mail.example/mcp&state=x"), None),
            (format!("{GOOD}&scope=&resource=&state="), None),
            (format!("{GOOD}&resource=HTTPS://MAIL.example/"), None),
            (format!("{GOOD}&state=a&state=b"), Some("invalid_request")),
            (format!("{GOOD}&response_type=code"), Some("invalid_request")),
            (format!("{GOOD}&response_mode=fragment"), Some("invalid_request")),
            (without("response_type"), Some("invalid_request")),
            (GOOD.replace("=code&", "=token&"), Some("unsupported_response_type")),
            (format!("{GOOD}&state={}", "x".repeat(2048)), None),
            (format!("{GOOD}&state={}", "x".repeat(2049)), Some("invalid_request")),
            (without("code_challenge"), Some("invalid_request")),
            (without("code_challenge_method"), Some("invalid_request")),
            (GOOD.replace("S256", "plain"), Some("invalid_request")),
            (GOOD.replace("-cM", ""), Some("invalid_request")),
            (format!("{GOOD}&resource=https://other.example/mcp"), Some("invalid_target")),
            (format!("{GOOD}&scope=nothing"), Some("invalid_scope")),
        ] {
            let problem = find_problem(ISSUER, &Form::parse(query.as_bytes()));
            assert_eq!(problem.map(|error| error.code.as_str()), expected, "{query}");
        }
    }
}
