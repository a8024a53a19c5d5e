//! Conversions of other errors.

use inboxd_mail::ComposeErrors;

use super::{BillingError, Error, FieldError};
use crate::ports::PaymentsError;

impl From<FieldError> for Error {
    fn from(problem: FieldError) -> Self {
        Self::Invalid(vec![problem])
    }
}

impl From<Vec<FieldError>> for Error {
    fn from(problems: Vec<FieldError>) -> Self {
        Self::Invalid(problems)
    }
}

impl From<ComposeErrors> for Error {
    fn from(errors: ComposeErrors) -> Self {
        Self::Invalid(errors.into_iter().map(FieldError::from).collect())
    }
}

impl From<PaymentsError> for Error {
    fn from(error: PaymentsError) -> Self {
        BillingError::from(error).into()
    }
}
