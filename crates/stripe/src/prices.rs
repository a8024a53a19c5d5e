//! Mapping between Stripe prices and plans.

use std::str::FromStr;

use inboxd_core::model::Plan;

/// Limit of a price id.
const MAX_PRICE_ID_BYTES: usize = 255;

/// Prices of plans: `startup=price_1,business=price_2`. A plan may have several prices; new customers pay the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTable(Vec<(Plan, String)>);

/// The text is not a price list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a list of plans with their prices such as startup=price_1,business=price_2, each price once, of startup, business \
     and enterprise"
)]
pub struct PriceTableError;

impl PriceTable {
    /// Returns the plans with a price, smallest first.
    pub(crate) fn plans(&self) -> Vec<Plan> {
        Plan::ALL.into_iter().filter(|plan| self.price_of(*plan).is_some()).collect()
    }

    /// Returns the price of a plan for new customers.
    pub(crate) fn price_of(&self, plan: Plan) -> Option<&str> {
        self.0.iter().find(|(priced, _)| *priced == plan).map(|(_, price)| price.as_str())
    }

    /// Returns the plan of a price.
    pub(crate) fn plan_of(&self, price: &str) -> Option<Plan> {
        self.0.iter().find(|(_, id)| id == price).map(|(plan, _)| *plan)
    }
}

impl FromStr for PriceTable {
    type Err = PriceTableError;

    fn from_str(text: &str) -> Result<Self, PriceTableError> {
        let mut prices: Vec<(Plan, String)> = Vec::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (plan, price) = pair.split_once('=').ok_or(PriceTableError)?;
            let plan: Plan = plan.trim().parse().map_err(|_| PriceTableError)?;
            let price = price.trim();
            let is_id = !price.is_empty()
                && price.len() <= MAX_PRICE_ID_BYTES
                && price.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
            if plan == Plan::Free || !is_id || prices.iter().any(|(_, other)| other == price) {
                return Err(PriceTableError);
            }
            prices.push((plan, price.to_owned()));
        }
        if prices.is_empty() { Err(PriceTableError) } else { Ok(Self(prices)) }
    }
}
