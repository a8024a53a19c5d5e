//! Dependencies of an app, prepared by a test.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::{
    FixedClock, InlineBlockingPool, Journal, MockPayments, MockStore, MockTx, PlainVault, RecordingWake, SeededRandom,
    StubAuthenticator, StubCourier, StubDestinations, StubDns, StubFetch, StubKeys, StubScanner, StubSigner, fixtures,
};
use crate::app::{App, CurrentLimits, Limits, Settings};
use crate::model::mail_report::ReportLimits;
use crate::model::{Locality, MailLimits, SignUpMode};
use crate::ports::{
    AttachmentText, BindingPolicies, ContentScanner, Courier, Payments, StoreError, TextRecognizer, Tx, Unbounded,
};
use crate::rules::row_limits::RowLimits;
use crate::rules::signing::SigningKey;
use crate::rules::spam::BuiltIn;

/// The dependencies of an app before its construction.
pub struct World {
    /// The store for reads outside units of work.
    pub store: MockStore,
    /// The clock, shared with clones of the test.
    pub clock: FixedClock,
    /// The journal of effects, shared with clones of the test.
    pub journal: Journal,
    /// The network content.
    pub fetch: StubFetch,
    /// The metadata documents of OAuth clients.
    pub client_documents: StubFetch,
    /// The allowed URLs.
    pub destinations: StubDestinations,
    /// The DNS records.
    pub dns: StubDns,
    /// The authentication results; none by default.
    pub authenticator: StubAuthenticator,
    /// The external scanner; none by default.
    pub scanner: Option<StubScanner>,
    /// The reader of documents; none by default.
    pub attachment_text: Option<Arc<dyn AttachmentText>>,
    /// The reader of pictures; none by default.
    pub text_recognizer: Option<Arc<dyn TextRecognizer>>,
    /// The signer, which shares its record of unsigned messages with clones of the test.
    pub signer: StubSigner,
    /// The pool for computations, which shares its counter with clones of the test.
    pub blocking: InlineBlockingPool,
    /// The courier for immediate dispatch; none by default.
    pub courier: Option<StubCourier>,
    /// The payment provider; none by default.
    pub payments: Option<MockPayments>,
    /// The settings of the operator.
    pub settings: Settings,
    units: VecDeque<MockTx>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            store: MockStore::new(),
            clock: FixedClock::at(fixtures::NOW),
            journal: Journal::default(),
            fetch: StubFetch::default(),
            client_documents: StubFetch::default(),
            destinations: StubDestinations::default(),
            dns: StubDns::default(),
            authenticator: StubAuthenticator::default(),
            scanner: None,
            attachment_text: None,
            text_recognizer: None,
            signer: StubSigner::default(),
            blocking: InlineBlockingPool::default(),
            courier: None,
            payments: None,
            settings: Settings {
                domain: fixtures::DOMAIN.to_owned(),
                signup_domain: fixtures::SIGNUP_DOMAIN.to_owned(),
                postmaster: None,
                max_message_bytes: 40 * 1024 * 1024,
                delivers_directly: false,
                limits: CurrentLimits::new(Limits {
                    rows: RowLimits::default(),
                    loop_budget: None,
                    mailbox_mails: MailLimits { per_hour: 10, per_day: 20 },
                    invitations: MailLimits { per_hour: 50, per_day: 200 },
                    sign_up: SignUpMode::Open,
                    brakes_sending: true,
                }),
                approval_ttl: time::Duration::days(7),
                mails_approvers: false,
                event_retention: time::Duration::days(365),
                audit_retention: time::Duration::days(365),
                unverified_retention: time::Duration::days(7),
                report_retention: time::Duration::days(90),
                report_limits: ReportLimits { stored: 10_000, per_day: 1000 },
                issuer: Some(fixtures::ISSUER.to_owned()),
                reads_attachments: true,
                registers_clients: true,
                signing_key: SigningKey::new([7; 32]),
            },
            units: VecDeque::new(),
        }
    }
}

impl World {
    /// Adds an expected unit of work. The app must begin exactly the added ones and receives them in order.
    pub fn unit_of_work(&mut self) -> &mut MockTx {
        self.units.push_back(MockTx::new(self.journal.clone()));
        self.last_unit_of_work()
    }

    /// Returns the last unit of work, to add expectations.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn last_unit_of_work(&mut self) -> &mut MockTx {
        let last = self.units.len() - 1;
        &mut self.units[last]
    }

    /// Builds the app.
    #[must_use]
    pub fn app(mut self) -> App {
        // Defaults: no usage.
        for unit in &mut self.units {
            unit.accounts.expect_lock().returning(|_| Ok(Some(fixtures::organization())));
            unit.usage.expect_change().returning(|_| Ok(()));
            unit.usage.expect_storage_bytes().returning(|_| Ok(0));
            // Defaults: no policies.
            unit.policies.expect_binding().returning(|_, _| Ok(BindingPolicies::default()));
            unit.policies.expect_keep_codes().returning(|_| Ok(()));
            unit.policies.expect_has_suspicious().returning(|_, _, _| Ok(false));
            unit.policies.expect_delete().returning(|_, _| Ok(None));
            unit.policies.expect_put().returning(|_| Ok(()));
            unit.usage.expect_count_rows().returning(|_, _, _| Ok(0));
            unit.usage.expect_count_creation().returning(|_, _| Ok(1));
            // Defaults: the key of the caller is valid and no quota is exhausted.
            unit.mail_quotas.expect_charge().returning(|_, _| Ok(None));
            unit.api_keys.expect_hold().returning(|_, _| Ok(Some(fixtures::api_key())));
        }
        let begun = self.units.len();
        let units = Mutex::new(self.units);
        self.store.expect_begin().times(begun).returning(move || {
            let unit = units.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match unit {
                Some(unit) => Ok(Box::new(unit) as Box<dyn Tx>),
                None => Err(StoreError::Failed("a unit of work was begun that the test did not prepare".to_owned())),
            }
        });
        // Default: no hidden messages.
        self.store.expect_visible_threads().returning(|_, _, _| Ok(Vec::new()));
        // Default: no custom domains.
        self.store.expect_is_name_lost().returning(|_, _| Ok(false));
        self.store.expect_custom_homes().returning(|addresses| Ok(vec![Locality::Remote; addresses.len()]));
        // Default: no DKIM keys.
        self.store.expect_proven_domain().returning(|_| Ok(None));
        self.store.expect_mail_key().returning(|_, _| Ok(None));
        self.store.expect_dkim_keys().returning(|_, _| Ok(Vec::new()));
        App {
            store: Arc::new(self.store),
            clock: Arc::new(self.clock),
            random: Arc::new(SeededRandom::default()),
            wake: Arc::new(RecordingWake(self.journal)),
            vault: Arc::new(PlainVault),
            fetch: Arc::new(self.fetch),
            client_documents: Arc::new(self.client_documents),
            destinations: Arc::new(self.destinations),
            dns: Arc::new(self.dns),
            authenticator: Arc::new(self.authenticator),
            spam_filter: Arc::new(BuiltIn),
            scanner: self.scanner.map(|scanner| Arc::new(scanner) as Arc<dyn ContentScanner>),
            attachment_text: self.attachment_text,
            text_recognizer: self.text_recognizer,
            key_maker: Arc::new(StubKeys),
            signer: Arc::new(self.signer),
            payments: self.payments.map(|payments| Arc::new(payments) as Arc<dyn Payments>),
            courier: self.courier.map(|courier| Arc::new(courier) as Arc<dyn Courier>),
            capacity: Arc::new(Unbounded),
            blobs: Arc::default(),
            blocking: Arc::new(self.blocking),
            process_id: Uuid::from_u128(fixtures::PROCESS),
            waiting: Arc::default(),
            settings: self.settings,
        }
    }
}
