//! A browser without JavaScript: cookies, and forms as a person sends them.

use std::collections::BTreeMap;

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, TestServer};

/// A browser with its cookies.
#[derive(Debug, Clone)]
pub(super) struct Browser {
    http: HttpClient,
    pub(super) cookies: BTreeMap<String, String>,
}

/// A page, or a redirect.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) response: ApiResponse,
}

impl Browser {
    pub(super) fn new(server: &TestServer) -> Self {
        Self { http: server.http(), cookies: BTreeMap::new() }
    }

    pub(super) async fn get(&mut self, target: &str) -> Page {
        self.call(HttpRequest::new("GET", target)).await
    }

    /// Sends the form of a page with this action, with some fields filled in or changed.
    pub(super) async fn submit(&mut self, page: &Page, action: &str, fields: &[(&str, &str)]) -> Page {
        let mut sent = page.form(action);
        for (name, _) in fields {
            sent.retain(|(other, _)| other != name);
        }
        sent.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.post(action, &sent).await
    }

    pub(super) async fn post(&mut self, action: &str, fields: &[(String, String)]) -> Page {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        // As browsers do under `Referrer-Policy: no-referrer`.
        self.call(HttpRequest::new("POST", action).header("Origin", "null").form(&fields)).await
    }

    pub(super) async fn call(&mut self, request: HttpRequest) -> Page {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = if cookies.is_empty() { request } else { request.header("Cookie", &cookies.join("; ")) };
        let response = self.http.call(request).await;
        for cookie in response.header_values("Set-Cookie") {
            let (pair, attributes) = cookie.split_once("; ").unwrap();
            assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"), "{cookie}");
            let (name, value) = pair.split_once('=').unwrap();
            if attributes.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        Page { response }
    }
}

impl Page {
    pub(super) fn text(&self) -> String {
        self.response.text()
    }

    /// Returns the fields of the form with this action as the page preselects them, without its buttons.
    #[track_caller]
    pub(super) fn form(&self, action: &str) -> Vec<(String, String)> {
        let text = self.text();
        let start = text.find(&format!("action=\"{action}\""));
        let Some(start) = start else { panic!("no form {action}: {} {text}", self.response.status) };
        let form = text[start..].split("</form>").next().unwrap();
        let mut fields = Vec::new();
        let mut select = None;
        for tag in form.split('<').filter_map(|piece| piece.split_once('>').map(|(tag, _)| tag)) {
            let (name, value) = (attribute(tag, "name"), attribute(tag, "value"));
            let is_box = matches!(attribute(tag, "type").as_deref(), Some("radio" | "checkbox"));
            if tag.starts_with("input") && (!is_box || tag.contains(" checked")) {
                fields.push((name.unwrap(), value.unwrap_or_default()));
            } else if tag.starts_with("select") {
                select = name;
            } else if tag.starts_with("option") && tag.contains(" selected") {
                fields.push((select.clone().unwrap(), value.unwrap()));
            }
        }
        fields
    }

    /// Returns the values that a field offers.
    pub(super) fn values(&self, name: &str) -> Vec<String> {
        let text = self.text();
        let tags = text.split('<').filter(|piece| piece.contains(&format!("name=\"{name}\"")));
        tags.filter_map(|tag| attribute(tag, "value")).collect()
    }

    /// Returns the parameters of a redirect to a redirect URI.
    #[track_caller]
    pub(super) fn redirect(&self, redirect_uri: &str) -> BTreeMap<String, String> {
        assert_eq!(self.response.status, 303, "{}", self.text());
        let location = self.response.header("Location").unwrap();
        let query = location.strip_prefix(redirect_uri).and_then(|rest| rest.strip_prefix('?'));
        let Some(query) = query else { panic!("{location} is no redirect to {redirect_uri}") };
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
    }

    /// Requires a page with its headers, and returns it.
    #[track_caller]
    pub(super) fn require(self, status: u16, heading: &str) -> Self {
        let text = self.text();
        assert_eq!(self.response.status, status, "{text}");
        assert!(text.contains(&format!("<h1>{heading}</h1>")), "{text}");
        let header = |name: &str| self.response.header(name).unwrap_or_default().to_owned();
        assert_eq!(header("Content-Type"), "text/html; charset=utf-8");
        assert_eq!(header("Cache-Control"), "no-store");
        assert_eq!(header("Referrer-Policy"), "no-referrer");
        assert_eq!(header("X-Frame-Options"), "DENY");
        assert_eq!(header("X-Content-Type-Options"), "nosniff");
        let policy = header("Content-Security-Policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("form-action") && !policy.contains("unsafe"), "{policy}");
        assert!(!text.contains("<script") && !text.contains("style="), "{text}");
        self
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let value = rest.split('"').next()?;
    Some(
        value
            .replace("&#38;", "&")
            .replace("&#60;", "<")
            .replace("&#62;", ">")
            .replace("&#34;", "\"")
            .replace("&#39;", "'"),
    )
}
