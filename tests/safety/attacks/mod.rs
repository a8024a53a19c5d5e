//! The attacks by kind.

mod exfiltration;
mod files;
mod hidden;
mod impersonation;
mod instructions;
mod links;
mod protocol;

use super::attack::Attack;

/// Returns all attacks.
pub(super) fn all() -> Vec<&'static Attack> {
    let kinds = [
        impersonation::ATTACKS,
        hidden::ATTACKS,
        instructions::ATTACKS,
        links::ATTACKS,
        files::ATTACKS,
        exfiltration::ATTACKS,
        protocol::ATTACKS,
    ];
    kinds.into_iter().flatten().collect()
}
