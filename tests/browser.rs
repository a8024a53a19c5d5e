//! A browser without JavaScript: cookies, and forms as a person sends them.

use std::collections::BTreeMap;

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, TestServer};

/// A browser with its cookies.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    http: HttpClient,
    pub(crate) cookies: BTreeMap<String, String>,
}

/// A page, or a redirect.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) response: ApiResponse,
}

impl Browser {
    pub(crate) fn new(server: &TestServer) -> Self {
        Self { http: server.http(), cookies: BTreeMap::new() }
    }

    pub(crate) async fn get(&mut self, target: &str) -> Page {
        self.call(HttpRequest::new("GET", target)).await
    }

    /// Sends the form of a page with this action, with some fields filled in or changed.
    pub(crate) async fn submit(&mut self, page: &Page, action: &str, fields: &[(&str, &str)]) -> Page {
        let mut sent = page.form(action);
        for (name, _) in fields {
            sent.retain(|(other, _)| other != name);
        }
        sent.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.post(action, &sent).await
    }

    pub(crate) async fn post(&mut self, action: &str, fields: &[(String, String)]) -> Page {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        // As browsers do under `Referrer-Policy: no-referrer`.
        self.call(HttpRequest::new("POST", action).header("Origin", "null").form(&fields)).await
    }

    pub(crate) async fn call(&mut self, request: HttpRequest) -> Page {
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
    pub(crate) fn text(&self) -> String {
        self.response.text()
    }

    /// Returns the fields of the form with this action as the page preselects them, without its buttons.
    #[track_caller]
    pub(crate) fn form(&self, action: &str) -> Vec<(String, String)> {
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
            } else if tag.starts_with("textarea") {
                let content = form.split_once(tag).and_then(|(_, rest)| rest.split("</textarea>").next());
                fields.push((name.unwrap(), unescaped(content.unwrap().trim_start_matches(['>', '\n']))));
            }
        }
        fields
    }

    /// Returns the values that a field offers.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        let text = self.text();
        let tags = text.split('<').filter(|piece| piece.contains(&format!("name=\"{name}\"")));
        tags.filter_map(|tag| attribute(tag, "value")).collect()
    }

    /// Returns the parameters of a redirect to a redirect URI.
    #[track_caller]
    pub(crate) fn redirect(&self, redirect_uri: &str) -> BTreeMap<String, String> {
        assert_eq!(self.response.status, 303, "{}", self.text());
        let location = self.response.header("Location").unwrap();
        let query = location.strip_prefix(redirect_uri).and_then(|rest| rest.strip_prefix('?'));
        let Some(query) = query else { panic!("{location} is no redirect to {redirect_uri}") };
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
    }

    /// Requires a page of OAuth with its headers, and returns it.
    #[track_caller]
    pub(crate) fn require(self, status: u16, heading: &str) -> Self {
        let (text, policy) = (self.text(), self.require_page(status, heading));
        assert!(!policy.contains("form-action"), "{policy}");
        assert!(!text.contains("<script"), "{text}");
        self
    }

    /// Requires a page of the console with its headers, and returns it.
    #[track_caller]
    pub(crate) fn require_console(self, status: u16, heading: &str) -> Self {
        let policy = self.require_page(status, heading);
        for directive in ["script-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'"] {
            assert!(policy.split("; ").any(|own| own == directive), "{policy}");
        }
        self
    }

    /// Requires a page with a heading and the headers of all pages, and returns its policy.
    #[track_caller]
    fn require_page(&self, status: u16, heading: &str) -> String {
        let text = self.text();
        assert_eq!(self.response.status, status, "{text}");
        assert!(text.contains("<html lang=\"en\">") && text.contains("<main"), "{text}");
        let title = text.split("<h1").nth(1).and_then(|rest| rest.split("</h1>").next());
        let title = title.and_then(|rest| rest.split_once('>')).map(|(_, title)| title.trim());
        assert_eq!((title, text.matches("<h1").count()), (Some(heading), 1), "{text}");
        let header = |name: &str| self.response.header(name).unwrap_or_default().to_owned();
        assert_eq!(header("Content-Type"), "text/html; charset=utf-8");
        assert_eq!(header("Cache-Control"), "no-store");
        assert_eq!(header("Referrer-Policy"), "no-referrer");
        assert_eq!(header("X-Frame-Options"), "DENY");
        assert_eq!(header("X-Content-Type-Options"), "nosniff");
        let policy = header("Content-Security-Policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert!(!text.contains(" style=") && !text.contains("<style"), "{text}");
        policy
    }

    /// Requires these words on the page.
    #[track_caller]
    pub(crate) fn require_text(&self, words: &str) {
        assert!(unescaped(&self.text()).contains(words), "{words:?} is missing: {}", self.text());
    }

    /// Requires a redirect within this server, and returns its target.
    #[track_caller]
    pub(crate) fn location(&self) -> String {
        assert_eq!(self.response.status, 303, "{}", self.text());
        self.response.header("Location").unwrap().to_owned()
    }
}

/// Returns the value of an attribute.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(unescaped)
}

fn unescaped(text: &str) -> String {
    let entities = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}
