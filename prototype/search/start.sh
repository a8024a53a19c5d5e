#!/usr/bin/env bash
# Starts a PostgreSQL as inboxd starts its own, durable, in a folder of its own; prints its address. The argument is the folder.
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
run() { if ((EUID == 0)); then runuser -u postgres -- "$@"; else "$@"; fi; }
mkdir -p "$folder"
chmod 755 "$folder"
if ((EUID == 0)); then chown postgres "$folder"; fi
run "$bin/initdb" -D "$folder/cluster" --auth=trust -U inboxd --encoding=UTF8 --locale=C >/dev/null
run "$bin/pg_ctl" -D "$folder/cluster" -w -l "$folder/log" -o "-c listen_addresses= -c unix_socket_directories=$folder \
    -c shared_buffers=256MB -c jit=off -c timezone=UTC -c max_wal_size=2GB -c wal_compression=on \
    -c default_toast_compression=lz4" start >/dev/null
"$bin/psql" -q -h "$folder" -U inboxd postgres -c "CREATE DATABASE mail"
for step in "$here"/../../migrations/*/up.sql "$here"/up.sql; do
    "$bin/psql" -q -1 -v ON_ERROR_STOP=1 -h "$folder" -U inboxd mail -f "$step" >/dev/null
done
echo "host=$folder user=inboxd dbname=mail"
