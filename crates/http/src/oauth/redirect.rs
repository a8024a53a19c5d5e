//! Answers to a client by redirect (RFC 6749, section 4.1.2; RFC 9207).

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use inboxd_core::model::OAuthError;
use url::form_urlencoded;

/// Where an answer goes.
pub(super) struct Target<'a> {
    pub(super) issuer: &'a str,
    pub(super) redirect_uri: &'a str,
    pub(super) state: Option<&'a str>,
}

impl Target<'_> {
    /// Answers with a code.
    pub(super) fn accept(&self, code: &str) -> HttpResponse {
        self.answer(&[("code", code)])
    }

    /// Answers with an error.
    pub(super) fn refuse(&self, error: &OAuthError) -> HttpResponse {
        self.answer(&[("error", error.code.as_str()), ("error_description", &error.description)])
    }

    /// Redirects with 303, so that the browser sends GET without the form.
    fn answer(&self, parameters: &[(&str, &str)]) -> HttpResponse {
        let mut response = HttpResponse::SeeOther();
        response.insert_header((LOCATION, self.location(parameters)));
        response.content_type("text/plain; charset=utf-8");
        response.body("Go back to the app.\n")
    }

    /// Appends parameters as text: a parser and serializer would change the URI that the client registered.
    fn location(&self, parameters: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(parameters);
        if let Some(state) = self.state {
            query.append_pair("state", state);
        }
        query.append_pair("iss", self.issuer);
        let separator = match self.redirect_uri.split_once('?') {
            None => "?",
            Some((_, known)) if known.is_empty() || known.ends_with('&') => "",
            Some(_) => "&",
        };
        format!("{}{separator}{}", self.redirect_uri, query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_appended_as_text() {
        for (redirect_uri, expected) in [
            ("https://app.example/cb", "https://app.example/cb?code=c&state=s+%26&iss=https%3A%2F%2Fmail.example"),
            (
                "https://APP.example/a%2fb?x=1",
                "https://APP.example/a%2fb?x=1&code=c&state=s+%26&iss=https%3A%2F%2Fmail.example",
            ),
            ("https://app.example?", "https://app.example?code=c&state=s+%26&iss=https%3A%2F%2Fmail.example"),
            ("cursor://x/cb", "cursor://x/cb?code=c&state=s+%26&iss=https%3A%2F%2Fmail.example"),
        ] {
            let target = Target { issuer: "https://mail.example", redirect_uri, state: Some("s &") };
            assert_eq!(target.location(&[("code", "c")]), expected);
        }
    }
}
