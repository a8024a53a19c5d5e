//! Payment settings: all of `INBOXD_STRIPE_*` or none.

use inboxd_stripe::{ApiUrl, PriceTable};

use super::Secret;
use super::source::{Source, bad, refused};
use crate::failure::Failure;

/// Variables that payments require.
const NEEDED: [&str; 3] = ["INBOXD_STRIPE_SECRET_KEY", "INBOXD_STRIPE_WEBHOOK_SECRET", "INBOXD_STRIPE_PRICES"];

/// Stripe account of the operator.
#[derive(Debug, Clone)]
pub(crate) struct StripeConfig {
    /// `INBOXD_STRIPE_API_URL`.
    pub(crate) api_url: ApiUrl,
    /// `INBOXD_STRIPE_SECRET_KEY`.
    pub(crate) secret_key: Secret,
    /// `INBOXD_STRIPE_WEBHOOK_SECRET`.
    pub(crate) webhook_secret: Secret,
    /// `INBOXD_STRIPE_PRICES`.
    pub(crate) prices: PriceTable,
}

/// Reads the variables. A partial set is an error: it would charge without an upgrade, or upgrade without a charge.
pub(super) fn stripe(source: &Source) -> Result<Option<StripeConfig>, Failure> {
    let api_url = parsed("INBOXD_STRIPE_API_URL", &source.text("INBOXD_STRIPE_API_URL"))?;
    let [secret_key, webhook_secret, prices] = NEEDED.map(|name| source.get(name));
    if secret_key.is_none() && webhook_secret.is_none() && prices.is_none() {
        return Ok(None);
    }
    let needed = |name: &str, value: Option<String>| {
        let others = NEEDED.iter().filter(|other| **other != name).copied().collect::<Vec<_>>().join(" and ");
        value.ok_or_else(|| Failure::new(format!("{name} must be set with {others}, or none of them")))
    };
    let [key, secret, _] = NEEDED;
    Ok(Some(StripeConfig {
        secret_key: word(key, &needed(key, secret_key)?)?,
        webhook_secret: word(secret, &needed(secret, webhook_secret)?)?,
        prices: parsed("INBOXD_STRIPE_PRICES", &needed("INBOXD_STRIPE_PRICES", prices)?)?,
        api_url,
    }))
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str, text: &str) -> Result<T, Failure> {
    text.parse().map_err(|allowed: T::Err| bad(name, &allowed.to_string()))
}

/// Reads a secret of one word. An error does not show the text.
pub(super) fn word(name: &str, text: &str) -> Result<Secret, Failure> {
    let text = text.trim();
    let is_word = (8..=500).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_word { Ok(Secret::new(text.to_owned())) } else { Err(refused(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [(&str, &str); 3] = [
        ("INBOXD_STRIPE_SECRET_KEY", "sk_test_123"),
        ("INBOXD_STRIPE_WEBHOOK_SECRET", "whsec_123"),
        ("INBOXD_STRIPE_PRICES", "startup=price_1,business=price_2"),
    ];

    fn with(pairs: &[(&'static str, &str)]) -> Result<Option<StripeConfig>, Failure> {
        stripe(&Source::from(pairs))
    }

    #[test]
    fn nothing_is_paid_unless_it_is_configured() -> Result<(), Failure> {
        assert!(with(&[])?.is_none());
        assert!(with(&[("INBOXD_STRIPE_API_URL", "http://127.0.0.1:1")])?.is_none());
        let config = with(&WHOLE)?;
        assert_eq!(config.map(|config| config.api_url), Some(ApiUrl::default()));
        Ok(())
    }

    #[test]
    fn missing_variable_is_named() {
        for missing in NEEDED {
            let others: Vec<_> = WHOLE.into_iter().filter(|(name, _)| *name != missing).collect();
            let line = with(&others).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.starts_with(missing), "{missing}: {line:?}");
        }
    }

    #[test]
    fn bad_value_is_not_shown() {
        for (name, value) in [
            ("INBOXD_STRIPE_SECRET_KEY", "sk test hush"),
            ("INBOXD_STRIPE_SECRET_KEY", "sk_\u{e9}hush"),
            ("INBOXD_STRIPE_WEBHOOK_SECRET", "hush"),
            ("INBOXD_STRIPE_PRICES", "price_1"),
            ("INBOXD_STRIPE_PRICES", "free=price_1"),
            ("INBOXD_STRIPE_PRICES", "gold=price_1"),
            ("INBOXD_STRIPE_PRICES", "startup=price_1,business=price_1"),
            ("INBOXD_STRIPE_PRICES", "startup="),
            ("INBOXD_STRIPE_PRICES", ","),
            ("INBOXD_STRIPE_API_URL", "api.stripe.com"),
            ("INBOXD_STRIPE_API_URL", "http://stripe.example"),
            ("INBOXD_STRIPE_API_URL", "https://me:hush@stripe.example"),
        ] {
            let mut pairs = WHOLE.to_vec();
            pairs.push((name, value));
            let line = with(&pairs).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.starts_with(name) && !line.contains('\n'), "{name}={value}: {line:?}");
            assert!(!line.contains("hush"), "{line}");
        }
    }

    #[test]
    fn no_secret_is_shown_while_debugging() -> Result<(), Failure> {
        let shown = format!("{:?}", with(&WHOLE)?);
        assert!(shown.contains("price_1") && !shown.contains("sk_test") && !shown.contains("whsec"), "{shown}");
        Ok(())
    }
}
