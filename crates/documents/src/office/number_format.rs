//! Dates and times among the numbers of a spreadsheet.

use crate::DocumentError;
use crate::xml::{XmlEvent, XmlReader};

/// Meaning of the number in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberKind {
    Plain,
    Date,
    Time,
    DateTime,
}

/// Reads the kinds of the cell formats, in order (`styles.xml`).
pub(crate) fn cell_formats(xml: &str) -> Result<Vec<NumberKind>, DocumentError> {
    let mut custom: Vec<(String, NumberKind)> = Vec::new();
    let mut formats = Vec::new();
    let mut is_cell_format = false;
    let mut reader = XmlReader::new(xml);
    while let Some(event) = reader.next()? {
        match event {
            XmlEvent::Open(element) => match element.name() {
                "numFmt" => {
                    let code = element.attribute("formatCode").unwrap_or_default();
                    custom.extend(element.attribute("numFmtId").map(|id| (id, kind_of_code(&code))));
                }
                "cellXfs" => is_cell_format = true,
                "xf" if is_cell_format => {
                    let id = element.attribute("numFmtId").unwrap_or_default();
                    let known = custom.iter().find(|(custom, _)| *custom == id).map(|(_, kind)| *kind);
                    formats.push(known.unwrap_or_else(|| kind_of_id(&id)));
                }
                _ => {}
            },
            XmlEvent::Close(name) if name == "cellXfs" => is_cell_format = false,
            _ => {}
        }
    }
    Ok(formats)
}

/// Returns the kind of a built-in number format (ECMA-376, part 1, section 18.8.30).
fn kind_of_id(id: &str) -> NumberKind {
    match id.parse().unwrap_or(0) {
        14..=17 => NumberKind::Date,
        18..=21 | 45..=47 => NumberKind::Time,
        22 => NumberKind::DateTime,
        _ => NumberKind::Plain,
    }
}

/// Returns the kind of a format code such as `dd.mm.yyyy hh:mm`. Text in quotes and brackets has no meaning.
fn kind_of_code(code: &str) -> NumberKind {
    let mut bare = String::new();
    let (mut is_quoted, mut is_bracketed) = (false, false);
    let mut characters = code.split(';').next().unwrap_or_default().chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '"' => is_quoted = !is_quoted,
            '[' => is_bracketed = true,
            ']' => is_bracketed = false,
            _ if !is_quoted && !is_bracketed => bare.extend(character.to_lowercase()),
            _ => {}
        }
    }
    let has_day = bare.contains(['d', 'y']) || (bare.contains('m') && !bare.contains(['h', 's']));
    let has_time = bare.contains(['h', 's']);
    match (has_day, has_time) {
        _ if bare.contains("general") => NumberKind::Plain,
        (true, true) => NumberKind::DateTime,
        (true, false) => NumberKind::Date,
        (false, true) => NumberKind::Time,
        (false, false) => NumberKind::Plain,
    }
}

/// Writes the number of a cell: days since 1899-12-30 as a date, or since 1904-01-01 in old files of a Mac.
pub(crate) fn shown(number: &str, kind: NumberKind, is_1904: bool) -> String {
    let parsed = number.parse::<f64>().ok().filter(|days| (0.0..2_958_466.0).contains(days));
    let Some(days) = parsed.filter(|_| kind != NumberKind::Plain) else { return number.to_owned() };
    #[expect(clippy::cast_possible_truncation, reason = "a date of at most 9999 is below 10^12 seconds")]
    let seconds = (days * 86_400.0).round() as i64;
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let time = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    let date = civil_date(day + if is_1904 { 1462 } else { 0 });
    match kind {
        NumberKind::Plain => number.to_owned(),
        NumberKind::Date => date,
        NumberKind::Time => time,
        NumberKind::DateTime => format!("{date} {time}"),
    }
}

/// Converts days since 1899-12-30 to a Gregorian date, with years that begin in March.
fn civil_date(days: i64) -> String {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    // Days from 0000-03-01 to 1899-12-30.
    let days = days + 693_899;
    let (era, day_of_era) = (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_date_formats_are_dates() {
        for (number, code, expected) in [
            ("46023", "dd.mm.yyyy", "2026-01-01"),
            ("46081.5", "yyyy-mm-dd hh:mm", "2026-02-28 12:00:00"),
            ("0.25", "h:mm", "06:00:00"),
            ("46023", "0.00", "46023"),
            ("46023", "\"day\" 0", "46023"),
            ("46023", "[$-409]mmm\\-yy", "2026-01-01"),
            ("46023", "General", "46023"),
            ("1e300", "dd.mm.yyyy", "1e300"),
        ] {
            assert_eq!(shown(number, kind_of_code(code), false), expected, "{number} {code}");
        }
        assert_eq!(shown("44561", NumberKind::Date, true), "2026-01-01");
        assert_eq!(kind_of_id("14"), NumberKind::Date);
    }
}
