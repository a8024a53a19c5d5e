//! What a message hands over to whoever waits for it.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

/// A verification code that the message hands over.
#[derive(Serialize, ToSchema)]
#[schema(as = ExtractedCode)]
pub(crate) struct ExtractedCodeView {
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
#[schema(as = ExtractedLink)]
pub(crate) struct ExtractedLinkView {
    /// Where it leads.
    #[schema(example = "https://shop.example/verify?token=9f2c")]
    url: String,
    /// What following it does: `confirm`, `sign_in`, `reset_password` or `invitation`.
    #[schema(example = "confirm")]
    kind: &'static str,
    /// How sure it is, 0 to 1.
    #[schema(example = 0.9)]
    confidence: f64,
    /// The text around it.
    #[schema(example = "Please confirm your address: Confirm")]
    context: String,
}

impl From<&model::ExtractedCode> for ExtractedCodeView {
    fn from(found: &model::ExtractedCode) -> Self {
        Self { code: found.code.clone(), confidence: of_one(found.confidence), context: found.context.clone() }
    }
}

impl From<&model::ExtractedLink> for ExtractedLinkView {
    fn from(found: &model::ExtractedLink) -> Self {
        Self {
            url: found.url.clone(),
            kind: found.kind.as_str(),
            confidence: of_one(found.confidence),
            context: found.context.clone(),
        }
    }
}

fn of_one(hundredths: u8) -> f64 {
    f64::from(hundredths) / 100.0
}
