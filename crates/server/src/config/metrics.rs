//! Settings of the metrics.

use std::net::SocketAddr;

use super::source::{Origin, Source};
use crate::failure::Failure;

const NAME: &str = "INBOXD_METRICS_ADDR";

/// `INBOXD_METRICS_ADDR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricsAddress {
    /// No listener.
    Off,
    /// The default address. Another process may have the port.
    Default(SocketAddr),
    /// The address of the operator, which must be free.
    Configured(SocketAddr),
}

/// Reads the setting.
pub(super) fn metrics_address(source: &Source) -> Result<MetricsAddress, Failure> {
    if source.text(NAME).trim() == "off" {
        return Ok(MetricsAddress::Off);
    }
    let address = source.parsed(NAME)?;
    let is_default = *source.origin(NAME) == Origin::Default;
    Ok(if is_default { MetricsAddress::Default(address) } else { MetricsAddress::Configured(address) })
}

#[cfg(test)]
mod tests {
    use super::super::source::refused;
    use super::*;

    fn with(text: Option<&str>) -> Result<MetricsAddress, Failure> {
        metrics_address(&text.map_or_else(Source::default, |text| Source::from([(NAME, text)])))
    }

    #[test]
    fn address_is_default_configured_or_off() -> Result<(), Failure> {
        let default = "127.0.0.1:9464".parse().map_err(|_| refused(NAME))?;
        assert_eq!(with(None)?, MetricsAddress::Default(default));
        assert_eq!(with(Some("off"))?, MetricsAddress::Off);
        assert_eq!(with(Some("127.0.0.1:9464"))?, MetricsAddress::Configured(default));
        let line = with(Some("9464")).err().map(|failure| failure.to_string()).unwrap_or_default();
        assert!(line.contains(NAME) && line.contains("off"), "{line}");
        Ok(())
    }
}
