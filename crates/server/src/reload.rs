//! Reload of the configuration at SIGHUP: changed settings that can, apply at once.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use inboxd_core::app::CurrentLimits;
use inboxd_core::rules::trusted_proxies::TrustedProxies;
use inboxd_http::RequestRates;
use inboxd_worker::Shutdown;
use tokio::signal::unix::Signal;
use tokio::sync::Notify;

use crate::config::settings::{self, Setting};
use crate::config::{self, Config, Source};
use crate::logging::Log;

/// Running parts that accept new values.
pub(crate) struct Reload {
    /// Configuration file.
    pub(crate) file: Option<PathBuf>,
    /// Values in use.
    pub(crate) source: Source,
    /// Log with its filter.
    pub(crate) log: Log,
    /// Limits of the use cases.
    pub(crate) limits: CurrentLimits,
    /// Rate limits of the API.
    pub(crate) rates: RequestRates,
    /// Proxies of all listeners.
    pub(crate) trusted_proxies: TrustedProxies,
    /// Whether a running listener accepts connections of trusted proxies alone.
    pub(crate) requires_proxy: bool,
    /// Request to read the certificate files again.
    pub(crate) certificate: Arc<Notify>,
}

impl Reload {
    /// Reloads at each signal until shutdown. On a terminal the signal stops the server instead.
    pub(crate) async fn run(mut self, mut hangup: Signal, shutdown: Shutdown) {
        let mut stopped = std::pin::pin!(shutdown.wait());
        loop {
            tokio::select! {
                () = &mut stopped => return,
                Some(()) = hangup.recv() => {}
            }
            if !std::io::stderr().is_terminal() {
                self.reload();
            }
        }
    }

    /// Reads the configuration. An invalid one changes nothing.
    fn reload(&mut self) {
        self.certificate.notify_one();
        match config::load(self.file.as_deref()) {
            Ok((source, config)) => {
                self.apply(&config, &source);
                tracing::info!("configuration reloaded");
                // A filter without information would hide the lines above.
                self.log.set_filter(&config.log_filter);
            }
            Err(error) => tracing::error!(%error, "configuration not reloaded"),
        }
    }

    fn apply(&mut self, config: &Config, source: &Source) {
        let changed: Vec<_> =
            settings::all().filter(|setting| self.source.get(setting.name) != source.get(setting.name)).collect();
        // The listener, which a restart closes, would refuse every connection.
        let keeps_proxies = self.requires_proxy && config.trusted_proxies.is_empty();
        let (applied, restart): (Vec<&Setting>, Vec<&Setting>) = changed
            .into_iter()
            .partition(|setting| setting.is_reloaded && !(keeps_proxies && setting.name == "INBOXD_TRUSTED_PROXIES"));
        for setting in restart {
            tracing::warn!(name = setting.name, "changed setting needs a restart");
        }
        self.limits.replace(config.limits);
        for setting in applied {
            let value = source.get(setting.name).unwrap_or_default();
            tracing::info!(name = setting.name, value, "setting changed");
            // New rates forget all counts, so unchanged ones stay.
            match setting.name {
                "INBOXD_UNAUTHENTICATED_RATE" => self.rates.set_unauthenticated(config.unauthenticated_rate),
                "INBOXD_KEY_RATE" => self.rates.set_key(config.key_rate),
                "INBOXD_TRUSTED_PROXIES" => self.trusted_proxies.replace(&config.trusted_proxies),
                _ => {}
            }
            self.source.accept(setting.name, source);
        }
    }
}
