//! Date field (RFC 5322, section 3.3, with the obsolete forms of section 4.3).

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SECONDS_A_DAY: i64 = 86_400;

/// Parses a date to Unix seconds. Seconds and zone are optional, the year may have two digits, the day of the week is
/// ignored.
pub(crate) fn unix_seconds(value: &str) -> Option<i64> {
    let value = without_comments(value);
    let mut words = value
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .skip_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let date = words.next()?;
    // Some senders write `5-Jan-2026`, which is one word.
    let mut dashed = date.split('-');
    let day: i64 = dashed.next()?.parse().ok()?;
    let month = month(dashed.next().or_else(|| words.next())?)?;
    let year = year(dashed.next().or_else(|| words.next())?)?;
    let seconds = time_of_day(words.next()?)?;
    let offset = words.next().map_or(Some(0), zone)?;
    let in_range = (1..=days_in(year, month)).contains(&day) && (1900..=9999).contains(&year);
    in_range.then(|| days_since_1970(year, month, day) * SECONDS_A_DAY + seconds - offset)
}

fn without_comments(value: &str) -> String {
    let mut depth = 0_usize;
    let kept = value.chars().filter(|c| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    kept.collect()
}

fn month(word: &str) -> Option<i64> {
    let start = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == start)?;
    i64::try_from(at + 1).ok()
}

/// Parses a year: two digits mean 1950 to 2049, three count from 1900.
fn year(word: &str) -> Option<i64> {
    let year: i64 = word.parse().ok()?;
    match (word.len(), year) {
        (2, 0..=49) => Some(year + 2000),
        (2, 50..=99) | (3, 0..=999) => Some(year + 1900),
        (4, 0..=9999) => Some(year),
        _ => None,
    }
}

fn time_of_day(word: &str) -> Option<i64> {
    let mut parts = word.split(':');
    let mut part = |limit: i64| {
        let word = parts.next()?;
        let digits = word.bytes().all(|b| b.is_ascii_digit()) && word.len() <= 2;
        word.parse::<i64>().ok().filter(|value| digits && *value <= limit)
    };
    let (hour, minute) = (part(23)?, part(59)?);
    // A leap second counts as the second before it.
    let second = if word.matches(':').count() > 1 { part(60)?.min(59) } else { 0 };
    Some(hour * 3600 + minute * 60 + second)
}

/// Parses a zone to seconds east of Greenwich; names outside RFC 5322 count as UTC.
fn zone(word: &str) -> Option<i64> {
    let sign = match word.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => {
            let hours = match word.to_ascii_uppercase().as_str() {
                "EDT" => -4,
                "EST" | "CDT" => -5,
                "CST" | "MDT" => -6,
                "MST" | "PDT" => -7,
                "PST" => -8,
                _ => 0,
            };
            return Some(hours * 3600);
        }
    };
    let digits = word.get(1..)?.replace(':', "");
    let number: i64 = digits.parse().ok().filter(|number| (0..=9959).contains(number) && number % 100 < 60)?;
    Some(sign * (number / 100 * 3600 + number % 100 * 60))
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970 in the Gregorian calendar, by eras of 400 years that start in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}
