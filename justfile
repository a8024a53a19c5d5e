# Serve: API on 127.0.0.1:8080, SMTP on 127.0.0.1:2525.
serve *args:
    scripts/serve {{args}}

# Every test; arguments go to `cargo test`.
test *args:
    scripts/test {{args}}

# Format, lints, boundaries between the crates, bans, licences.
check:
    scripts/check

# How fast it is, beside others on the same machine; `just bench reading receiving` measures these groups only.
bench *args:
    scripts/bench {{args}}

# Bring every file into the usual format.
fmt:
    cargo fmt --all

# Fuzz every entry that takes octets of strangers, a minute each.
fuzz *args:
    scripts/fuzz {{args}}

# How well mail is read, beside other readers on the same mails.
bench-reading *args:
    scripts/bench-reading {{args}}
