//! A secret that is shown once: in the response of the form that made it, which no cache stores.

use askama::Template;

use super::frame::Frame;

#[derive(Template)]
#[template(path = "console/secret.html")]
pub(crate) struct SecretPage<'a> {
    pub(crate) frame: Frame,
    /// What the secret is.
    pub(crate) label: &'a str,
    /// What to do with it.
    pub(crate) hint: &'a str,
    /// Name of the resource.
    pub(crate) name: &'a str,
    pub(crate) secret: &'a str,
    /// Path of the list.
    pub(crate) back: &'a str,
}
