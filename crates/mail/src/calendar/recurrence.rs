//! Recurrence rules (RFC 5545, section 3.3.10).

use std::fmt;

use jiff::civil::Weekday;
use thiserror::Error;

use super::times::{CalendarTime, MAX_RULE_CHARS};

/// Maximum interval, and maximum number of dates that a rule may name.
const MAX_INTERVAL: u16 = 366;
const MAX_COUNT: u32 = 10_000;
/// Maximum number of values of one part; a year has no more days.
const MAX_PART_VALUES: usize = 366;
/// Days of the week as RFC 5545 writes them.
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("MO", Weekday::Monday),
    ("TU", Weekday::Tuesday),
    ("WE", Weekday::Wednesday),
    ("TH", Weekday::Thursday),
    ("FR", Weekday::Friday),
    ("SA", Weekday::Saturday),
    ("SU", Weekday::Sunday),
];

/// Reason why a text is no recurrence rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecurrenceError {
    /// A part is unknown, occurs twice or has a value outside its range.
    #[error("`{0}` is not valid or out of range")]
    Part(&'static str),
    /// A part of another name.
    #[error("the rule has an unknown part")]
    UnknownPart,
    /// No `FREQ`.
    #[error("the rule has no FREQ")]
    NoFrequency,
    /// Both `COUNT` and `UNTIL`.
    #[error("COUNT and UNTIL exclude each other")]
    CountAndUntil,
    /// More than 512 characters.
    #[error("the rule exceeds 512 characters")]
    TooLong,
}

/// Unit of the interval of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuleFrequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
    Secondly,
}

/// Units with their names.
const FREQUENCIES: [(&str, RuleFrequency); 7] = [
    ("YEARLY", RuleFrequency::Yearly),
    ("MONTHLY", RuleFrequency::Monthly),
    ("WEEKLY", RuleFrequency::Weekly),
    ("DAILY", RuleFrequency::Daily),
    ("HOURLY", RuleFrequency::Hourly),
    ("MINUTELY", RuleFrequency::Minutely),
    ("SECONDLY", RuleFrequency::Secondly),
];

/// Lists of numbers by part, with the limits of their absolute values and whether they count from the end too.
const NUMBER_PARTS: [(&str, i16, i16, bool); 8] = [
    ("BYMONTH", 1, 12, false),
    ("BYWEEKNO", 1, 53, true),
    ("BYYEARDAY", 1, 366, true),
    ("BYMONTHDAY", 1, 31, true),
    ("BYHOUR", 0, 23, false),
    ("BYMINUTE", 0, 59, false),
    ("BYSECOND", 0, 59, false),
    ("BYSETPOS", 1, 366, true),
];

/// A valid recurrence rule. Its text is normalized: parts in one order, without repetitions and defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurrenceRule {
    pub(super) frequency: RuleFrequency,
    pub(super) interval: u16,
    pub(super) count: Option<u32>,
    pub(super) until: Option<CalendarTime>,
    pub(super) week_start: Weekday,
    /// Numbers of each part of [`NUMBER_PARTS`], ascending.
    numbers: [Vec<i16>; 8],
    /// Days of the week, with their position in the month or year.
    pub(super) by_day: Vec<(Option<i16>, Weekday)>,
}

impl RecurrenceRule {
    /// Parses a rule with or without the prefix `RRULE:`.
    pub fn parse(text: &str) -> Result<Self, RecurrenceError> {
        let text = text.trim();
        let body = text.get(..6).filter(|name| name.eq_ignore_ascii_case("RRULE:")).and_then(|_| text.get(6..));
        let body = body.unwrap_or(text);
        if body.len() > 4 * MAX_RULE_CHARS {
            return Err(RecurrenceError::TooLong);
        }
        let mut frequency = None;
        let mut rule = Self {
            frequency: RuleFrequency::Daily,
            interval: 1,
            count: None,
            until: None,
            week_start: Weekday::Monday,
            numbers: Default::default(),
            by_day: Vec::new(),
        };
        for part in body.split(';').filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or(RecurrenceError::UnknownPart)?;
            let value = value.trim().to_ascii_uppercase();
            match name.trim().to_ascii_uppercase().as_str() {
                "FREQ" => frequency = Some(find(&FREQUENCIES, &value).ok_or(RecurrenceError::Part("FREQ"))?),
                "INTERVAL" => rule.interval = ranged(&value, MAX_INTERVAL, "INTERVAL")?,
                "COUNT" => rule.count = Some(ranged(&value, MAX_COUNT, "COUNT")?),
                "UNTIL" => rule.until = Some(CalendarTime::parse(&value).ok_or(RecurrenceError::Part("UNTIL"))?),
                "WKST" => rule.week_start = find(&WEEKDAYS, &value).ok_or(RecurrenceError::Part("WKST"))?,
                "BYDAY" => rule.by_day = days(&value)?,
                name => rule.set_numbers(name, &value)?,
            }
        }
        rule.frequency = frequency.ok_or(RecurrenceError::NoFrequency)?;
        if rule.count.is_some() && rule.until.is_some() {
            return Err(RecurrenceError::CountAndUntil);
        }
        if rule.to_string().len() > MAX_RULE_CHARS {
            return Err(RecurrenceError::TooLong);
        }
        Ok(rule)
    }

    fn set_numbers(&mut self, name: &str, value: &str) -> Result<(), RecurrenceError> {
        let parts = NUMBER_PARTS.iter().zip(&mut self.numbers);
        let found = parts.into_iter().find(|((part, ..), _)| *part == name);
        let ((part, least, most, is_signed), numbers) = found.ok_or(RecurrenceError::UnknownPart)?;
        let parsed = value.split(',').take(MAX_PART_VALUES + 1).map(|number| {
            let number: i16 = number.trim().parse().ok()?;
            let is_valid = (least.unsigned_abs()..=most.unsigned_abs()).contains(&number.unsigned_abs())
                && (*is_signed || number >= 0);
            is_valid.then_some(number)
        });
        let mut parsed: Vec<i16> = parsed.collect::<Option<_>>().ok_or(RecurrenceError::Part(part))?;
        if parsed.len() > MAX_PART_VALUES {
            return Err(RecurrenceError::Part(part));
        }
        parsed.sort_unstable();
        parsed.dedup();
        *numbers = parsed;
        Ok(())
    }

    /// Returns the numbers of a part such as `BYMONTH`, ascending; empty without the part.
    pub(super) fn numbers(&self, name: &str) -> &[i16] {
        let found = NUMBER_PARTS.iter().zip(&self.numbers).find(|((part, ..), _)| *part == name);
        found.map_or(&[], |(_, numbers)| numbers)
    }

    /// Returns month, position and day of a rule that names one day of the week of one month in each year.
    pub(super) fn yearly_weekday(&self) -> Option<(i16, i16, Weekday)> {
        let [months, ..] = &self.numbers;
        match (months.as_slice(), self.by_day.as_slice()) {
            ([month], [(Some(week), weekday)]) if self.frequency == RuleFrequency::Yearly => {
                Some((*month, *week, *weekday))
            }
            _ => None,
        }
    }
}

/// Parses days such as `MO` or `-1FR`.
fn days(value: &str) -> Result<Vec<(Option<i16>, Weekday)>, RecurrenceError> {
    let day = |text: &str| {
        let text = text.trim();
        let (position, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
        let position = match position {
            "" => None,
            position => Some(position.parse().ok().filter(|at: &i16| *at != 0 && at.unsigned_abs() <= 53)?),
        };
        Some((position, find(&WEEKDAYS, name)?))
    };
    let mut days: Vec<_> =
        value.split(',').take(MAX_PART_VALUES).map(day).collect::<Option<_>>().ok_or(RecurrenceError::Part("BYDAY"))?;
    days.sort_by_key(|(position, day)| (*position, day.to_monday_zero_offset()));
    days.dedup();
    Ok(days)
}

fn find<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

fn ranged<T: std::str::FromStr + PartialOrd + From<u8>>(
    value: &str,
    most: T,
    part: &'static str,
) -> Result<T, RecurrenceError> {
    let number = value.parse().ok().filter(|number| (T::from(1)..=most).contains(number));
    number.ok_or(RecurrenceError::Part(part))
}

impl fmt::Display for RecurrenceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FREQ={}", name_of(&FREQUENCIES, self.frequency))?;
        if self.interval != 1 {
            write!(f, ";INTERVAL={}", self.interval)?;
        }
        if let Some(count) = self.count {
            write!(f, ";COUNT={count}")?;
        }
        match self.until {
            Some(CalendarTime::Day(date)) => write!(f, ";UNTIL={}", date.strftime("%Y%m%d"))?,
            Some(CalendarTime::Local(time)) => write!(f, ";UNTIL={}", time.strftime("%Y%m%dT%H%M%S"))?,
            Some(CalendarTime::Utc(time)) => write!(f, ";UNTIL={}", time.strftime("%Y%m%dT%H%M%SZ"))?,
            None => {}
        }
        for ((name, ..), numbers) in NUMBER_PARTS.iter().zip(&self.numbers).filter(|(_, numbers)| !numbers.is_empty()) {
            let numbers: Vec<String> = numbers.iter().map(i16::to_string).collect();
            write!(f, ";{name}={}", numbers.join(","))?;
        }
        if !self.by_day.is_empty() {
            let day = |(position, day): &(Option<i16>, Weekday)| {
                format!("{}{}", position.map(|at| at.to_string()).unwrap_or_default(), name_of(&WEEKDAYS, *day))
            };
            write!(f, ";BYDAY={}", self.by_day.iter().map(day).collect::<Vec<_>>().join(","))?;
        }
        if self.week_start != Weekday::Monday {
            write!(f, ";WKST={}", name_of(&WEEKDAYS, self.week_start))?;
        }
        Ok(())
    }
}
