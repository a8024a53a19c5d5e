//! What a message hands over to whoever waits for it.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

/// A verification code that the message hands over.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExtractedCode {
    /// The code as it is typed in.
    #[schema(example = "483920")]
    code: String,
    /// How sure it is, 0 to 1.
    #[schema(example = 0.95)]
    confidence: f64,
    /// The text around it.
    #[schema(example = "Your verification code is 483920.")]
    context: String,
}

/// A link that confirms something when it is followed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExtractedLink {
    /// Where it leads.
    #[schema(example = "https://shop.example/verify?token=9f2c")]
    url: String,
    /// What following it does: `confirm`, `sign_in`, `reset_password` or `invitation`.
    #[schema(example = "confirm")]
    kind: String,
    /// How sure it is, 0 to 1.
    #[schema(example = 0.9)]
    confidence: f64,
    /// The text around it.
    #[schema(example = "Please confirm your address: Confirm")]
    context: String,
}

impl From<model::Code> for ExtractedCode {
    fn from(found: model::Code) -> Self {
        Self { code: found.code, confidence: of_one(found.confidence), context: found.context }
    }
}

impl From<model::ConfirmingLink> for ExtractedLink {
    fn from(found: model::ConfirmingLink) -> Self {
        Self { url: found.url, kind: found.kind, confidence: of_one(found.confidence), context: found.context }
    }
}

fn of_one(hundredths: u8) -> f64 {
    f64::from(hundredths) / 100.0
}
