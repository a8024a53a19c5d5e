//! Responses with a page.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_SECURITY_POLICY, ContentType, HeaderValue, RETRY_AFTER};
use askama::Template;

use crate::error::{ApiError, ErrorExtra};

/// Stylesheet of all pages.
pub(crate) const STYLESHEET: &str = include_str!("../../templates/pages.css");
/// Content security policy of a page.
///
/// It has no `form-action`: Chromium applies that to every redirect after a POST, so the answer to a client would be
/// lost without a word.
pub(crate) const POLICY: &str =
    "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Content security policy of the pages of the console: scripts and styles of this server alone, none inside the page.
pub(crate) const CONSOLE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A page with one message.
#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage<'a> {
    title: &'a str,
    message: &'a str,
    fix: &'a str,
    back: Option<&'a str>,
}

/// Renders a page. The middleware adds the other headers: no cache, no frame, no referrer.
///
/// # Errors
/// When the template fails.
pub(crate) fn page(status: StatusCode, template: &impl Template) -> Result<HttpResponse, ApiError> {
    page_with(status, POLICY, template)
}

/// Renders a page with a content security policy.
///
/// # Errors
/// When the template fails.
pub(crate) fn page_with(
    status: StatusCode,
    policy: &'static str,
    template: &impl Template,
) -> Result<HttpResponse, ApiError> {
    let html = template.render().map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(HttpResponse::build(status)
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .body(html))
}

/// Renders a refusal as a page, with a link back where there is one.
///
/// # Errors
/// When the template fails.
pub(crate) fn failure(
    title: &str,
    error: &ApiError,
    back: Option<&str>,
    now: time::OffsetDateTime,
) -> Result<HttpResponse, ApiError> {
    log_cause(error);
    let mut response = page_with(
        error.code.status(),
        if back.is_some() { CONSOLE_POLICY } else { POLICY },
        &MessagePage { title, message: &sentence(&error.message), fix: &sentence(&error.fix), back },
    )?;
    add_header_fields(&mut response, error, now);
    Ok(response)
}

/// Logs the cause of an internal error.
pub(crate) fn log_cause(error: &ApiError) {
    if let Some(cause) = error.cause() {
        tracing::error!(code = error.code.as_str(), cause, "page request failed");
    }
}

/// Adds the header fields of a refusal: the time after which a browser may try again, and the methods of the path.
pub(crate) fn add_header_fields(response: &mut HttpResponse, error: &ApiError, now: time::OffsetDateTime) {
    if let Some(seconds) = error.retry_seconds(now) {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    if let ErrorExtra::Allow(methods) = &error.extra
        && let Ok(methods) = HeaderValue::try_from(methods)
    {
        response.headers_mut().insert(ALLOW, methods);
    }
}

/// Returns a text with a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let mut text: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    if !text.is_empty() && !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_a_sentence() {
        for (text, expected) in [("", ""), ("wait", "Wait."), ("is it so?", "Is it so?"), ("Done.", "Done.")] {
            assert_eq!(sentence(text), expected);
        }
    }
}
