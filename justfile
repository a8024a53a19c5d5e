# Serve: API on 127.0.0.1:8080, SMTP on 127.0.0.1:2525.
serve *args:
    scripts/serve {{args}}

# Run all tests; arguments go to `cargo test`.
test *args:
    scripts/test {{args}}

# Check format, lints, crate boundaries, bans, licences and language.
check:
    scripts/check

# Measure next to other programs on the same machine; `just bench reading receiving` runs these groups only.
bench *args:
    scripts/bench {{args}}

# Format all files.
fmt:
    cargo fmt --all

# Fuzz every parser of untrusted bytes, a minute each.
fuzz *args:
    scripts/fuzz {{args}}

# Measure extraction next to other libraries on the same mails.
bench-reading *args:
    scripts/bench-reading {{args}}
