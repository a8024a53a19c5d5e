//! Mock of the payment provider.

#![expect(clippy::ref_option_ref, reason = "the mock looks at its arguments through references, optional ones too")]

use async_trait::async_trait;
use mockall::mock;
use time::OffsetDateTime;

use crate::model::{PaymentNotice, Plan};
use crate::ports::{CheckoutOrder, NoticeError, Payments, PaymentsError, PortalVisit};

mock! {
    /// Client of the payment provider.
    pub Payments {}

    #[async_trait]
    impl Payments for Payments {
        fn plans(&self) -> Vec<Plan>;
        async fn checkout(&self, order: &CheckoutOrder) -> Result<String, PaymentsError>;
        async fn portal(&self, visit: &PortalVisit) -> Result<String, PaymentsError>;
        fn notice<'a, 'b>(
            &self,
            signature: Option<&'a str>,
            body: &'b [u8],
            now: OffsetDateTime,
        ) -> Result<PaymentNotice, NoticeError>;
    }
}
