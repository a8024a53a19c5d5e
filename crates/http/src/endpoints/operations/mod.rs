//! `/health` and `/ready`: probes for operators.

pub(crate) mod health;
pub(crate) mod ready;

use serde::Serialize;
use utoipa::ToSchema;

/// Status of the service.
#[derive(Serialize, ToSchema)]
#[schema(as = Status)]
pub(crate) struct ServiceStatus {
    /// Always `ok`.
    status: &'static str,
}

const OK: ServiceStatus = ServiceStatus { status: "ok" };
