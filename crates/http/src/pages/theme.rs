//! Colours that a person chose for the pages.

use actix_web::{HttpRequest, HttpResponse};

use super::cookies::PageCookie;
use crate::state::State;

/// Names of the colours that can be chosen.
const THEMES: [&str; 2] = ["light", "dark"];
/// Seconds for which a browser keeps the choice.
const KEPT_SECONDS: i64 = 365 * 24 * 60 * 60;

/// Returns the chosen colours; `None` for those of the system.
pub(crate) fn chosen(request: &HttpRequest, is_https: bool) -> Option<&'static str> {
    PageCookie::Theme.read(request, is_https).and_then(|name| known(&name))
}

/// Stores a choice in the browser; any other name removes it.
pub(crate) fn choose(state: &State, response: &mut HttpResponse, name: &str) {
    let (name, seconds) = known(name).map_or(("", 0), |name| (name, KEPT_SECONDS));
    PageCookie::Theme.set(response, name, seconds, state.is_https());
}

fn known(name: &str) -> Option<&'static str> {
    THEMES.into_iter().find(|known| *known == name)
}
