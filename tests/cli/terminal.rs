//! The client on a terminal: its pager, and the progress of transfers.

use super::program::CliUser;
use crate::support::{receive_all, server_and_agent};

#[tokio::test]
async fn long_output_goes_through_the_pager_of_a_terminal() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three", "four", "five"]).await;
    let user = CliUser::acting_as(&server, &agent).set("NO_COLOR", "1").set("PAGER", "sed 's/^/paged: /'");
    let list = ["messages", "list"];
    let paged = user.run_on_terminal_of(5, &list).await.ok();
    assert!(paged.contains("paged: WHEN") && paged.lines().count() == 6, "{paged}");
    let fitting = user.run_on_terminal_of(7, &list).await.ok();
    assert!(fitting.contains("five") && !fitting.contains("paged"), "{fitting}");
    let for_programs = user.run_on_terminal_of(5, &["messages", "list", "--json"]).await.ok();
    assert!(for_programs.contains("five") && !for_programs.contains("paged"), "{for_programs}");
    let piped = user.run(&list).await.ok();
    assert!(piped.contains("five") && !piped.contains("paged"), "{piped}");
    for pager in ["", "no-such-pager-anywhere"] {
        let user = CliUser::acting_as(&server, &agent).set("NO_COLOR", "1").set("PAGER", pager);
        let shown = user.run_on_terminal_of(5, &list).await.ok();
        assert!(shown.contains("WHEN") && shown.contains("five"), "{pager:?}: {shown}");
    }
    // A reader that leaves the pager early is no failure.
    let impatient = CliUser::acting_as(&server, &agent).set("PAGER", "head -n 1");
    assert_eq!(impatient.run_on_terminal_of(5, &list).await.ok().lines().count(), 1);
}

#[tokio::test]
async fn large_transfers_show_progress_on_a_terminal() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    std::fs::write(user.file("large.bin"), vec![b'x'; 1_500_000]).unwrap();
    let send = ["messages", "send", "--to", &agent.inbox_id, "--subject", "Large", "--attach", "large.bin"];
    let shown = user.run_on_terminal(&send).await.ok();
    assert!(shown.contains("% of 2.0 MB"), "{shown:?}");
    // The line is removed at the end.
    assert!(shown.rfind("% of").unwrap() < shown.rfind("\r\u{1b}[K").unwrap(), "{shown:?}");
    let quiet = user.run(&send).await;
    assert!(!quiet.stderr.contains('%'), "{quiet:?}");
    quiet.ok();

    let message = user.run(&["messages", "list", "--limit", "1", "--labels", "sent", "--json"]).await.json();
    let [id, file] =
        [&message["message_id"], &message["attachments"][0]["attachment_id"]].map(|id| id.as_str().unwrap());
    let download = ["messages", "attachment", id, file, "--output", "copy.bin"];
    let shown = user.run_on_terminal(&download).await.ok();
    assert!(shown.contains("received ") && shown.contains("% of 1.5 MB"), "{shown:?}");
    assert_eq!(std::fs::metadata(user.file("copy.bin")).unwrap().len(), 1_500_000);
    let quiet = user.run(&download).await;
    assert!(!quiet.stderr.contains('%'), "{quiet:?}");
    quiet.ok();
}
