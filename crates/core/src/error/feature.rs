//! Features of compatible APIs that this service does not have.

/// Feature with methods that exist and are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AbsentFeature {
    /// Sign-in of inboxes at apps of others.
    #[error("this service signs inboxes in at no apps")]
    AppSignIn,
    /// Previews that an organization joins.
    #[error("this service has no Labs to join")]
    Labs,
}
