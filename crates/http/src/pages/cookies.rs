//! Cookies of the pages (RFC 6265).
//!
//! Under https their names begin with `__Host-`: a browser then accepts them from this host alone, over TLS alone and
//! for all paths, so that no other host of the domain can plant one.

use actix_web::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse};

/// Longest value of a cookie that is read.
const MAX_VALUE_BYTES: usize = 128;

/// A cookie of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageCookie {
    /// Token of the session of a person.
    Session,
    /// Secret of a browser before a person signs in; its forms are bound to it.
    Visitor,
    /// Id of the organization that a person works in.
    Organization,
    /// Colours of the pages.
    Theme,
}

impl PageCookie {
    fn name(self, is_https: bool) -> &'static str {
        match (self, is_https) {
            (Self::Session, true) => "__Host-inboxd_session",
            (Self::Session, false) => "inboxd_session",
            (Self::Visitor, true) => "__Host-inboxd_visitor",
            (Self::Visitor, false) => "inboxd_visitor",
            (Self::Organization, true) => "__Host-inboxd_organization",
            (Self::Organization, false) => "inboxd_organization",
            (Self::Theme, true) => "__Host-inboxd_theme",
            (Self::Theme, false) => "inboxd_theme",
        }
    }

    /// Returns the value that a request carries.
    pub(super) fn read(self, request: &HttpRequest, is_https: bool) -> Option<String> {
        self.find(request.headers(), is_https).map(str::to_owned)
    }

    fn find(self, headers: &HeaderMap, is_https: bool) -> Option<&str> {
        headers
            .get_all(COOKIE)
            .filter_map(|field| field.to_str().ok())
            .flat_map(|field| field.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == self.name(is_https))
            .map(|(_, value)| value)
            .filter(|value| is_token(value))
    }

    /// Sets the cookie for some seconds, or removes it with 0. Scripts cannot read it, and no other site makes the
    /// browser send it with a POST.
    pub(super) fn set(self, response: &mut HttpResponse, value: &str, max_age: i64, is_https: bool) {
        let secure = if is_https { "; Secure" } else { "" };
        let name = self.name(is_https);
        let cookie = format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}");
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

/// Returns whether a value has the alphabet of our tokens.
fn is_token(value: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_VALUE_BYTES).contains(&value.len()) && value.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_is_found_by_its_whole_name() {
        for (field, expected) in [
            ("inboxd_session=abc", Some("abc")),
            ("a=b; inboxd_session=abc; c=d", Some("abc")),
            ("xinboxd_session=abc", None),
            ("__Host-inboxd_session=abc", None),
            ("inboxd_session=", None),
            ("inboxd_session=a b", None),
            ("inboxd_session=\"abc\"", None),
            ("inboxd_session", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_static(field));
            assert_eq!(PageCookie::Session.find(&headers, false), expected, "{field}");
        }
    }

    #[test]
    fn cookie_under_https_is_secure_and_bound_to_its_host() {
        let mut response = HttpResponse::Ok().finish();
        PageCookie::Session.set(&mut response, "abc", 60, true);
        let field = response.headers().get(SET_COOKIE).and_then(|value| value.to_str().ok());
        let expected = "__Host-inboxd_session=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(field, Some(expected));
    }
}
