//! Refusal of ports that a store does not have.

use super::StoreError;

/// A store, or a unit of work, without the port `P`, such as `dyn PodReads`: every method of the port returns an error.
///
/// A program that embeds this crate implements the ports that its use cases need, and refuses the others by name with
/// [`refuse_ports`](crate::refuse_ports).
pub trait Refuses<P: ?Sized> {}

/// Refuses ports for a type: `refuse_ports!(Memory: PodReads, WebhookReads)`.
#[macro_export]
macro_rules! refuse_ports {
    ($store:ty: $($port:ident),+ $(,)?) => {
        $(impl $crate::ports::Refuses<dyn $crate::ports::$port> for $store {})+
    };
}

/// Returns the error of a method of a refused port.
pub(crate) fn refusal(method: &str) -> StoreError {
    StoreError::Failed(format!("the store refuses {method}"))
}
