# Serve: API on 127.0.0.1:8080, SMTP on 127.0.0.1:2525.
serve *args:
    scripts/serve {{args}}

# Every test; arguments go to `cargo test`.
test *args:
    scripts/test {{args}}

# Format, lints, boundaries between the crates, bans, licences.
check:
    scripts/check

# How fast mail is read and received, beside a parser and what the database alone can do; `just bench reading` reads only.
bench *args:
    cargo run --release -p inboxd-bench -- {{args}}

# Bring every file into the usual format.
fmt:
    cargo fmt --all

# Fuzz every entry that takes octets of strangers, a minute each.
fuzz *args:
    scripts/fuzz {{args}}

# How well mail is read, beside other readers on the same mails.
bench-reading *args:
    scripts/bench-reading {{args}}
