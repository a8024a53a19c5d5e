//! Mock of the store.

use async_trait::async_trait;
use mockall::mock;

use crate::ports::{Store, StoreError, Tx, read_ports};

mock! {
    /// What a store does besides its reads.
    pub Transactions {
        /// Begins a unit of work.
        pub async fn begin(&self) -> Result<Box<dyn Tx>, StoreError>;
        /// Checks that the store can be used.
        pub async fn ready(&self) -> Result<(), StoreError>;
    }
}

macro_rules! mock_store {
    ($($field:ident: $module:ident::{$port:ident, $mock:ident},)+) => {
        /// A store with one mock for each port that reads, boxed to keep the futures of tests small. [`World`](super::World) prepares its units of work.
        #[derive(Default)]
        pub struct MockStore {
            transactions: MockTransactions,
            $(pub(crate) $field: Box<crate::ports::$module::$mock>,)+
        }
    };
}
read_ports!(mock_store);

impl MockStore {
    /// Returns a store that expects no call.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Expects calls of [`Store::begin`].
    pub fn expect_begin(&mut self) -> &mut __mock_MockTransactions::__begin::Expectation {
        self.transactions.expect_begin()
    }

    /// Expects calls of [`Store::ready`].
    pub fn expect_ready(&mut self) -> &mut __mock_MockTransactions::__ready::Expectation {
        self.transactions.expect_ready()
    }
}

#[async_trait]
impl Store for MockStore {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        self.transactions.begin().await
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.transactions.ready().await
    }
}
