# Runs the server for as long as anybody holds it: $1 log, $2 its process file, then the command; standard input is the
# reading end of the holders' pipe, standard output a lock that says that a supervisor lives, and that nobody else keeps. Signals meant for a whole group (a closing terminal, a stopping service) are left to
# inboxd, which stops the server when it has finished its own work.
trap '' HUP INT TERM
umask 077
log=$1 process_file=$2
shift 2
[ -f "$log" ] && mv -f "$log" "$log.1"
exec 3<&0 4>&1 0</dev/null >"$log" 2>&1

stopping='' server=''
trap 'stopping=1; [ -z "$server" ] || kill -INT "$server"' USR1

# The end of the pipe means that the last holder has gone. Said again each second, lest it came before the server listened.
(
    while read -r _line; do :; done
    while kill -USR1 $$; do sleep 1; done
) <&3 4>&- 2>/dev/null &
watcher=$!

while [ -z "$stopping" ]; do
    "$@" </dev/null 3<&- 4>&- &
    server=$!
    while kill -0 "$server" 2>/dev/null; do wait "$server"; done
    # A server that ends by its own decision takes its process file away; one that was killed is started again. Whether the
    # other is to run again is for inboxd to say.
    [ -e "$process_file" ] || break
    sleep 1
done
kill -KILL "$watcher"
