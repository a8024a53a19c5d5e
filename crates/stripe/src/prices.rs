//! Which price is which plan.

use std::str::FromStr;

use inboxd_core::model::Plan;

/// The longest id of a price, in octets.
const LONGEST_ID: usize = 255;

/// The prices of plans: `startup=price_1,business=price_2`. A plan may have several; the first is the one that new
/// customers pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices(Vec<(Plan, String)>);

/// The text is no list of prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a list of plans with their prices such as startup=price_1,business=price_2, each price once, of startup, business \
     and enterprise"
)]
pub struct PricesError;

impl Prices {
    /// The plans that have a price, the smallest first.
    pub(crate) fn plans(&self) -> Vec<Plan> {
        Plan::ALL.into_iter().filter(|plan| self.of(*plan).is_some()).collect()
    }

    /// The price that new customers pay for a plan.
    pub(crate) fn of(&self, plan: Plan) -> Option<&str> {
        self.0.iter().find(|(priced, _)| *priced == plan).map(|(_, price)| price.as_str())
    }

    /// The plan of a price.
    pub(crate) fn plan(&self, price: &str) -> Option<Plan> {
        self.0.iter().find(|(_, id)| id == price).map(|(plan, _)| *plan)
    }
}

impl FromStr for Prices {
    type Err = PricesError;

    fn from_str(text: &str) -> Result<Self, PricesError> {
        let mut prices: Vec<(Plan, String)> = Vec::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (plan, price) = pair.split_once('=').ok_or(PricesError)?;
            let plan: Plan = plan.trim().parse().map_err(|_| PricesError)?;
            let price = price.trim();
            let is_id = !price.is_empty()
                && price.len() <= LONGEST_ID
                && price.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"_-".contains(&octet));
            if plan == Plan::Free || !is_id || prices.iter().any(|(_, other)| other == price) {
                return Err(PricesError);
            }
            prices.push((plan, price.to_owned()));
        }
        if prices.is_empty() { Err(PricesError) } else { Ok(Self(prices)) }
    }
}
