//! Completions and man pages.

use super::program::CliUser;

#[tokio::test]
async fn completions_are_scripts_of_their_shells() {
    let user = CliUser::without_server();
    for (shell, mark) in [("bash", "complete -F"), ("zsh", "#compdef inboxd"), ("fish", "complete -c inboxd")] {
        let script = user.run(&["completions", shell]).await.ok();
        for word in [mark, "reply-all", "rotate-secret", "login", "serve"] {
            assert!(script.contains(word), "the script for {shell} has no {word}");
        }
    }
    let script = user.run(&["completions", "bash"]).await.ok();
    std::fs::write(user.file("inboxd.bash"), &script).unwrap();
    let checked = user.command("bash", &["-n", "inboxd.bash"]).output().await.unwrap();
    assert!(checked.status.success(), "{checked:?}");
    let complete = "source ./inboxd.bash; COMP_WORDS=(inboxd messages re); COMP_CWORD=2; _inboxd inboxd re messages; echo ${COMPREPLY[@]}";
    let completed = user.command("bash", &["-c", complete]).output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&completed.stdout).trim(), "redact reply reply-all", "{completed:?}");
}

#[tokio::test]
async fn every_command_has_a_man_page() {
    let user = CliUser::without_server();
    let page = user.run(&["man"]).await.ok();
    assert!(page.contains(".TH inboxd 1") && page.contains("Exit codes"), "{page}");
    user.run(&["man", "pages"]).await.ok();
    for name in ["inboxd", "inboxd-serve", "inboxd-messages-send", "inboxd-webhooks-create", "inboxd-watch"] {
        let page = std::fs::read_to_string(user.file(&format!("pages/{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
}
