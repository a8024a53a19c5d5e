//! Properties of the extracted text of replies.

use super::*;

/// Generates lines that occur in replies.
fn reply() -> impl Strategy<Value = String> {
    let lines = vec![
        "",
        "",
        " ",
        "text",
        "more text",
        "> quoted",
        ">> deeper",
        "On 20 Nov 2026 at 10:00, Anna <a@b.c> wrote:",
        "On Monday 5, Anna",
        "wrote:",
        "Anna <a@b.c> wrote:",
        "On 5 he wrote:",
        "-- ",
        "--",
        "Sent from my iPhone",
        "-----Original Message-----",
        "From: Anna",
        "Sent: Monday",
        "Date: x",
        "To: Bo",
        "Subject: x",
        "---------- Forwarded message ---------",
        "________________________________",
        "*From:* A",
        "Begin forwarded message:",
        "<a@b.c>:",
        ">",
        "> a quoted line that goes on until the end of what is wrapped by programs",
        "tail",
        "Am 20.11.2026 um 10:00 schrieb Anna:",
        "2026年11月20日(金)",
        "10:00 Anna 写道：",
        "Anna/Sales",
        "20.11.2026 10:00",
        "To",
        "Subject",
        "----------",
        ">>> Anna 10:00 >>>",
        ">50 %",
        "AB> x",
        "see http://example.org",
        "-- reply above this line --",
        "On 20 Nov 2026, 10:00, Anna<a@b.c> wrote:   hi",
        "Original message",
        "x.",
    ];
    vec(select(lines), 0..40).prop_map(|lines| lines.join("\n"))
}

fn is_subsequence(lines: &str, body: &str) -> bool {
    let mut rest = body.lines().map(|line| line.trim_end_matches('\r'));
    // A line is cut where another message starts in it.
    let is_start = |line: &str, candidate: &str| !line.is_empty() && candidate.starts_with(line);
    lines.lines().all(|line| rest.any(|candidate| candidate == line || is_start(line, candidate)))
}

proptest! {
    #[test]
    fn extraction_is_idempotent(body in reply()) {
        let new = extract_text(&body);
        prop_assert_eq!(extract_text(&new), new.clone());
        prop_assert!(is_subsequence(&new, &body));
        prop_assert_eq!(new.is_empty(), body.trim().is_empty());
    }

    #[test]
    fn extraction_returns_lines_in_order(body in "(\\PC|\n|\r|\t){0,300}") {
        let new = extract_text(&body);
        prop_assert_eq!(extract_text(&new), new.clone());
        prop_assert!(is_subsequence(&new, &body));
    }
}
