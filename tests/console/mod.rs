//! The console: pages over HTTP, and in a browser.

mod administration;
mod browsing;
mod forms;
mod live;
mod mail;
mod payment;
mod session;
mod walk;
mod world;
mod writing;

use inboxd_testkit::{TestServer, eventually};

use crate::browser::{Browser, Page};
use crate::people::mailed_codes;

/// Page of the sign-in.
pub(crate) const SIGN_IN: &str = "/console/sign-in";

/// Signs a person in and returns the browser.
pub(crate) async fn signed_in(server: &TestServer, email: &str) -> Browser {
    let mut browser = Browser::new(server);
    let page = browser.get(SIGN_IN).await.require_console(200, "Sign in");
    assert!(sign_in(server, &mut browser, &page, email).await.location().starts_with("/console"));
    browser
}

/// Sends an address and then the mailed code, and returns the response.
pub(crate) async fn sign_in(server: &TestServer, browser: &mut Browser, page: &Page, email: &str) -> Page {
    let before = mailed_codes(server, email).len();
    let page = browser.submit(page, SIGN_IN, &[("email", email)]).await.require_console(200, "Enter the code");
    let code =
        eventually(&format!("a sign-in code for {email}"), async || mailed_codes(server, email).get(before).cloned())
            .await;
    browser.submit(&page, "/console/verify", &[("code", &code)]).await
}
