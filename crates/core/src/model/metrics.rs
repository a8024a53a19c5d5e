//! Counts over time (`wire.md`, section 3, Metrics).

use time::{Duration, OffsetDateTime};

use super::{EventType, InboxId, PodId};

/// What is counted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetricScope {
    /// All of the organization.
    Organization,
    /// One pod of it.
    Pod(PodId),
    /// One inbox.
    Inbox(InboxId),
}

/// A span of time, cut into buckets of one length. They begin at whole multiples of it since 1970, so that an hour
/// begins on the hour; the first and the last may lie partly outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Not before this.
    pub start: OffsetDateTime,
    /// Before this.
    pub end: OffsetDateTime,
    /// The length of a bucket, in seconds.
    pub period: i64,
}

impl Span {
    /// When the bucket begins that holds the start.
    #[must_use]
    pub fn first_bucket(&self) -> OffsetDateTime {
        let Self { start, period, .. } = self;
        let into_bucket = Duration::seconds(start.unix_timestamp().rem_euclid(*period))
            + Duration::nanoseconds(i64::from(start.nanosecond()));
        start.checked_sub(into_bucket).unwrap_or(*start)
    }

    /// How many buckets the span touches, the first and the last perhaps in part.
    #[must_use]
    pub fn bucket_count(&self) -> i128 {
        let width = (self.end - self.first_bucket()).whole_nanoseconds();
        let period = Duration::seconds(self.period).whole_nanoseconds();
        // Rounded up.
        (width + period - 1).div_euclid(period)
    }

    /// The beginnings of the buckets that begin within the span, oldest first.
    pub fn beginnings(&self) -> impl Iterator<Item = OffsetDateTime> + use<> {
        let Self { start, end, period } = *self;
        let next = move |at: &OffsetDateTime| at.checked_add(Duration::seconds(period));
        std::iter::successors(Some(self.first_bucket()), next)
            .skip_while(move |at| *at < start)
            .take_while(move |at| *at < end)
    }
}

/// How many events of a kind happened within a bucket; never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCount {
    /// The kind.
    pub event_type: EventType,
    /// When the bucket begins.
    pub timestamp: OffsetDateTime,
    /// How many.
    pub count: u64,
}

macro_rules! usage_types {
    ($($(#[$doc:meta])* $variant:ident = $name:ident),* $(,)?) => {
        /// What is measured of the usage.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum UsageType { $($(#[$doc])* $variant),* }

        impl UsageType {
            /// Every measure.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name)),* }
            }

            /// The measure of a name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == name)
            }
        }

        /// What a scope uses at one time.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct UsageTotals { $($(#[$doc])* pub $name: u64),* }

        impl UsageTotals {
            /// One measure of all.
            #[must_use]
            pub fn of(&self, usage_type: UsageType) -> u64 {
                match usage_type { $(UsageType::$variant => self.$name),* }
            }
        }
    };
}

usage_types! {
    /// Octets of live messages.
    StorageBytes = storage_bytes,
    /// Live messages.
    MessageCount = message_count,
    /// Live threads.
    ThreadCount = thread_count,
    /// Live inboxes.
    InboxCount = inbox_count,
    /// Pods, the default pod included.
    PodCount = pod_count,
    /// Custom domains.
    DomainCount = domain_count,
}

impl UsageType {
    /// Whether it is measured in a scope: an inbox has no inboxes, and a pod no pods.
    #[must_use]
    pub fn is_of(self, scope: &MetricScope) -> bool {
        match scope {
            MetricScope::Organization => true,
            MetricScope::Pod(_) => self != Self::PodCount,
            MetricScope::Inbox(_) => matches!(self, Self::StorageBytes | Self::MessageCount | Self::ThreadCount),
        }
    }
}

/// What a scope used at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageSample {
    /// When.
    pub taken_at: OffsetDateTime,
    /// What.
    pub totals: UsageTotals,
}
