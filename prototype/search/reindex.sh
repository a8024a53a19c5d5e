#!/usr/bin/env bash
# Makes the index anew and says how much processor time the program and the database took for each message.
set -euo pipefail
folder=$1 program=${2:-target/release/search-prototype}
ask() { "$(ls -d /usr/lib/postgresql/*/bin | tail -1)/psql" -qAt -h "$folder" -U inboxd mail -c "$1"; }
ask "truncate search_pending, search_segments, search_documents, search_blocks"
ask "insert into search_pending select organization_id, inbox_id, hidden, timestamp, message_id from messages"
ask "vacuum analyze search_pending"
server=$(head -1 "$folder/cluster/postmaster.pid")
spent() { awk '{print ($14+$15+$16+$17)*10}' "/proc/$server/stat"; }
before=$(spent)
TIMEFORMAT='program: %U s user, %S s system'
time "$program" "host=$folder user=inboxd dbname=mail" index
sleep 1
messages=$(ask "select sum(documents) from search_segments")
echo "database: $(( ($(spent) - before) * 1000 / messages )) us a message of ended backends"
