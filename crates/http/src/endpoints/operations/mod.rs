//! `/health` and `/ready`: for whoever runs the service.

pub(crate) mod health;
pub(crate) mod ready;

use serde::Serialize;
use utoipa::ToSchema;

/// How the service is.
#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    /// Always `ok`.
    status: &'static str,
}

const OK: Status = Status { status: "ok" };
