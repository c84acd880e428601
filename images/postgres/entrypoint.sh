#!/bin/sh
# Make a cluster where there is none, then become the server.
#
# Honours the variables of the official image, so that either can stand in:
# POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS, PGDATA,
# POSTGRES_HOST_AUTH_METHOD, each of the first four also as NAME_FILE. What that image does
# beside them (scripts in a folder, starting as root) is left out on purpose.
set -eu

fail() {
    echo "entrypoint: $1" >&2
    exit 64
}

# Read $1 from the variable of that name or from the file that $1_FILE names.
from_variable_or_file() {
    eval "value=\${$1-} file=\${$1_FILE-}"
    if [ -n "$file" ]; then
        [ -z "$value" ] || fail "$1 and $1_FILE are both set; set one."
        [ -r "$file" ] || fail "$1_FILE names '$file', which cannot be read."
        value=$(cat "$file")
    fi
    unset "$1" "$1_FILE"
}

[ "$(id -u)" != 0 ] || fail "runs as root; start the container with --user 999:999."
case "${1-postgres}" in
-*) set -- postgres "$@" ;;
esac
[ "$1" = postgres ] || exec "$@"

from_variable_or_file POSTGRES_USER && user=${value:-postgres}
from_variable_or_file POSTGRES_PASSWORD && password=$value
from_variable_or_file POSTGRES_DB && database=${value:-$user}
from_variable_or_file POSTGRES_INITDB_ARGS && arguments=$value
method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}

if [ ! -s "$PGDATA/PG_VERSION" ]; then
    if [ -z "$password" ] && [ "$method" != trust ]; then
        fail "no password: set POSTGRES_PASSWORD or POSTGRES_PASSWORD_FILE."
    fi
    mkdir -p "$PGDATA"
    chmod 700 "$PGDATA"
    # The password goes by a file, never by an argument that `ps` would show.
    umask 077
    secret=$(mktemp)
    printf '%s\n' "${password:-unused}" >"$secret"
    # The locale is built into Postgres, so text behaves alike on every C library.
    # Syncing is pointless: the cluster lives as long as its container.
    # shellcheck disable=SC2086 # the arguments are words by intention
    initdb --pgdata="$PGDATA" --username="$user" --pwfile="$secret" \
        --auth-local=trust --auth-host="$method" --encoding=UTF8 --no-sync \
        --no-instructions --locale=C --locale-provider=builtin \
        --builtin-locale=C.UTF-8 $arguments >/dev/null
    rm -f "$secret"
    echo "host all all all $method" >>"$PGDATA/pg_hba.conf"
    if [ "$database" != postgres ]; then
        quoted=$(printf '%s' "$database" | sed 's/"/""/g')
        echo "CREATE DATABASE \"$quoted\";" |
            postgres --single -D "$PGDATA" -c fsync=off postgres >/dev/null
    fi
    umask 022
fi

unset password value secret
export PGDATA
shift
exec postgres -c "listen_addresses=*" -c unix_socket_directories=/var/run/postgresql "$@"
