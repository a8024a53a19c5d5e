//! Codes and links extracted from a message.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

/// Verification code found in a message.
#[derive(Serialize, ToSchema)]
#[schema(as = ExtractedCode)]
pub(crate) struct ExtractedCodeView {
    /// The code as a person would enter it.
    #[schema(example = "483920")]
    code: String,
    /// Confidence, from 0 to 1.
    #[schema(example = 0.95)]
    confidence: f64,
    /// Surrounding text.
    #[schema(example = "Your verification code is 483920.")]
    context: String,
}

/// Link with an effect, such as a confirmation, found in a message.
#[derive(Serialize, ToSchema)]
#[schema(as = ExtractedLink)]
pub(crate) struct ExtractedLinkView {
    /// URL of the link.
    #[schema(example = "https://shop.example/verify?token=9f2c")]
    url: String,
    /// Effect of the link: `confirm`, `sign_in`, `reset_password` or `invitation`.
    #[schema(example = "confirm")]
    kind: &'static str,
    /// Confidence, from 0 to 1.
    #[schema(example = 0.9)]
    confidence: f64,
    /// Surrounding text.
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
