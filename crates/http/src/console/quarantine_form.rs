//! Quarantine in forms of settings.

use inboxd_core::Error;
use inboxd_core::model::QuarantineMode;

use super::call::ConsoleCall;
use super::choices::Choice;

/// Name of the field.
const FIELD: &str = "quarantine";
/// Value of a pod or inbox without a mode of its own.
const NO_MODE: &str = "none";
/// Modes in words.
const MODES: [(&str, &str); 3] = [
    ("off", "delivered"),
    ("monitor", "delivered, with an event about each check"),
    ("hold", "held until a person releases it"),
];

/// Returns the modes that the form of the organization offers.
pub(super) fn modes(chosen: QuarantineMode) -> Vec<Choice> {
    Choice::fixed(&MODES, |mode| mode == chosen.as_str())
}

/// Returns the modes that the form of a pod or inbox offers; `otherwise` describes the absence of one. An own `off`
/// equals it, because the strictest scope decides.
pub(super) fn own_modes(own: Option<QuarantineMode>, otherwise: &str) -> Vec<Choice> {
    let own = own.unwrap_or(QuarantineMode::Off);
    let absent = Choice::new(NO_MODE, otherwise, |_| own == QuarantineMode::Off);
    std::iter::once(absent).chain(modes(own).into_iter().skip(1)).collect()
}

/// Reads the mode that the form of the organization sent.
///
/// # Errors
/// [`Error::Invalid`].
pub(super) fn mode(call: &ConsoleCall) -> Result<QuarantineMode, Error> {
    let mode = QuarantineMode::named(call.form.one(FIELD).unwrap_or_default());
    mode.ok_or_else(|| Error::invalid(FIELD, "must be off, monitor or hold"))
}

/// Reads the mode that the form of a pod or inbox sent.
///
/// # Errors
/// [`Error::Invalid`].
pub(super) fn own_mode(call: &ConsoleCall) -> Result<Option<QuarantineMode>, Error> {
    if call.form.one(FIELD) == Some(NO_MODE) { Ok(None) } else { mode(call).map(Some) }
}
