//! Plots: lines of numbers over days, as the coordinates of an SVG that the template draws.

use std::fmt::Write as _;

use time::Date;

use super::text::size;

/// Width and height of a plot, in units of its view box.
pub(crate) const WIDTH: u32 = 600;
pub(crate) const HEIGHT: u32 = 160;

/// One plot with its figures.
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    /// Points of the line, for `polyline`.
    pub(crate) points: String,
    pub(crate) highest: u64,
    pub(crate) total: u64,
    /// First and last day.
    pub(crate) from: String,
    pub(crate) to: String,
}

impl Plot {
    /// Draws one value a day. The line fills the box from 0 to the highest value.
    pub(crate) fn of(title: &'static str, days: &[Date], values: &[u64]) -> Self {
        let highest = values.iter().copied().max().unwrap_or_default();
        let steps = u64::try_from(values.len().saturating_sub(1)).unwrap_or(1).max(1);
        let mut points = String::new();
        for (place, value) in (0u64..).zip(values) {
            let x = u64::from(WIDTH) * place / steps;
            let rise = u128::from(HEIGHT) * u128::from(*value) / u128::from(highest.max(1));
            let y = u128::from(HEIGHT).saturating_sub(rise);
            // Writing to a string cannot fail.
            let _ = write!(points, "{x},{y} ");
        }
        let day = |day: Option<&Date>| day.map(ToString::to_string).unwrap_or_default();
        Self {
            title,
            points: points.trim_end().to_owned(),
            highest,
            total: values.iter().sum(),
            from: day(days.first()),
            to: day(days.last()),
        }
    }
}

/// A number with its limit.
pub(crate) struct Meter {
    pub(crate) title: &'static str,
    pub(crate) used: u64,
    /// `None` is unlimited.
    pub(crate) limit: Option<u64>,
    /// The numbers in words: `3 of 25`.
    pub(crate) text: String,
}

impl Meter {
    /// Returns a meter of a count.
    pub(crate) fn count(title: &'static str, used: u64, limit: Option<u64>) -> Self {
        Self::with(title, used, limit, grouped)
    }

    /// Returns a meter of bytes.
    pub(crate) fn bytes(title: &'static str, used: u64, limit: Option<u64>) -> Self {
        Self::with(title, used, limit, size)
    }

    fn with(title: &'static str, used: u64, limit: Option<u64>, words: impl Fn(u64) -> String) -> Self {
        let text = match limit {
            Some(limit) => format!("{} of {}", words(used), words(limit)),
            None => format!("{}, no limit", words(used)),
        };
        Self { title, used, limit, text }
    }

    /// Returns whether nine tenths are used.
    pub(crate) fn is_tight(&self) -> bool {
        self.limit.is_some_and(|limit| self.used >= limit - limit / 10)
    }
}

/// Returns a number with spaces between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn line_fills_the_box() {
        let days = [date!(2026 - 11 - 01), date!(2026 - 11 - 02), date!(2026 - 11 - 03)];
        let plot = Plot::of("Sent", &days, &[0, 5, 10]);
        assert_eq!(plot.points, "0,160 300,80 600,0");
        assert_eq!((plot.highest, plot.total), (10, 15));
        assert_eq!((plot.from.as_str(), plot.to.as_str()), ("2026-11-01", "2026-11-03"));
        assert_eq!(Plot::of("Sent", &days, &[0, 0, 0]).points, "0,160 300,160 600,160");
        assert_eq!(Plot::of("Sent", &[], &[]).points, "");
        assert_eq!(Plot::of("Sent", &days, &[u64::MAX / 4, 0, 0]).points, "0,0 300,160 600,160");
    }

    #[test]
    fn meter_is_in_words() {
        assert_eq!(Meter::count("Pods", 2, Some(5)).text, "2 of 5");
        assert_eq!(grouped(1_234_567), "1\u{a0}234\u{a0}567");
        assert_eq!(Meter::bytes("Storage", 1_500_000, None).text, "1.5 MB, no limit");
        assert!(Meter::count("Pods", 9, Some(10)).is_tight() && !Meter::count("Pods", 8, Some(10)).is_tight());
    }
}
