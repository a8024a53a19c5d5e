//! Event counts and usage over time (`wire.md`, section 3, Metrics).

use time::{Duration, OffsetDateTime};

use super::{EventType, Scope};

/// A time range in buckets of one length. Buckets begin at whole multiples of the length since 1970, so an hour begins
/// on the hour. The first and last may be partly outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// Inclusive start.
    pub start: OffsetDateTime,
    /// Exclusive end.
    pub end: OffsetDateTime,
    /// Bucket length in seconds.
    pub period: i64,
}

impl TimeSpan {
    /// Returns the beginning of the bucket that contains the start.
    #[must_use]
    pub fn first_bucket(&self) -> OffsetDateTime {
        let Self { start, period, .. } = self;
        let into_bucket = Duration::seconds(start.unix_timestamp().rem_euclid(*period))
            + Duration::nanoseconds(i64::from(start.nanosecond()));
        start.checked_sub(into_bucket).unwrap_or(*start)
    }

    /// Returns the number of buckets, including those partly outside.
    #[must_use]
    pub fn bucket_count(&self) -> i128 {
        let width = (self.end - self.first_bucket()).whole_nanoseconds();
        let period = Duration::seconds(self.period).whole_nanoseconds();
        // Rounded up.
        (width + period - 1).div_euclid(period)
    }

    /// Returns the beginnings of all buckets that begin within the range, oldest first.
    pub fn beginnings(&self) -> impl Iterator<Item = OffsetDateTime> + use<> {
        let Self { start, end, period } = *self;
        let next = move |at: &OffsetDateTime| at.checked_add(Duration::seconds(period));
        std::iter::successors(Some(self.first_bucket()), next)
            .skip_while(move |at| *at < start)
            .take_while(move |at| *at < end)
    }
}

/// Number of events of one type in a bucket; never zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCount {
    /// Type of the events.
    pub event_type: EventType,
    /// Beginning of the bucket.
    pub timestamp: OffsetDateTime,
    /// Number of events.
    pub count: u64,
}

macro_rules! usage_types {
    ($($(#[$doc:meta])* $variant:ident = $name:ident),* $(,)?) => {
        /// A measure of usage.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum UsageType { $($(#[$doc])* $variant),* }

        impl UsageType {
            /// All measures.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in the API.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name)),* }
            }

            /// Parses a measure.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == name)
            }
        }

        /// Usage of a scope at one time.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct UsageTotals { $($(#[$doc])* pub $name: u64),* }

        impl UsageTotals {
            /// Returns one measure.
            #[must_use]
            pub fn of(&self, usage_type: UsageType) -> u64 {
                match usage_type { $(UsageType::$variant => self.$name),* }
            }
        }
    };
}

usage_types! {
    /// Bytes of live messages.
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
    /// Returns whether a scope has the measure: an inbox has no inboxes, and a pod no pods.
    #[must_use]
    pub fn is_of(self, scope: &Scope) -> bool {
        match scope {
            Scope::Organization => true,
            Scope::Pod(_) => self != Self::PodCount,
            Scope::Inbox(_) => matches!(self, Self::StorageBytes | Self::MessageCount | Self::ThreadCount),
        }
    }
}

/// Usage of a scope at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageSample {
    /// Time of the sample.
    pub taken_at: OffsetDateTime,
    /// Usage at that time.
    pub totals: UsageTotals,
}

/// A rate of sent messages, counted per recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RateType {
    /// Recipients, refused by their server.
    Bounce,
    /// Recipients that marked a message as spam.
    Complaint,
    /// Recipients, accepted by their server.
    Delivery,
}

impl RateType {
    /// All rates.
    pub const ALL: [Self; 3] = [Self::Bounce, Self::Complaint, Self::Delivery];

    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bounce => "bounce",
            Self::Complaint => "complaint",
            Self::Delivery => "delivery",
        }
    }

    /// Returns the type of the counted events.
    #[must_use]
    pub fn event_type(self) -> EventType {
        match self {
            Self::Bounce => EventType::MessageBounced,
            Self::Complaint => EventType::MessageComplained,
            Self::Delivery => EventType::MessageDelivered,
        }
    }
}

/// A rate over the window before a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatePoint {
    /// End of the window.
    pub timestamp: OffsetDateTime,
    /// Counted recipients divided by sent ones; `None` when nothing was sent.
    pub rate: Option<f64>,
    /// Recipients that messages were sent to in the window.
    pub sent: u64,
}
