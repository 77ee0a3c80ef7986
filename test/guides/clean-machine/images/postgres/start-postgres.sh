# What the official image does at its first start, as far as docker-compose.yml builds on it: a superuser
# and a database of the names given, a server that listens on its socket alone meanwhile, and then one
# that listens to all.
set -euo pipefail
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"; }
install -d -o postgres -g postgres -m 3777 /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$(dirname "$PGDATA")" "$PGDATA"
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" > "$password"
  chown postgres "$password"
  as_postgres initdb --username="$POSTGRES_USER" --auth-host=scram-sha-256 --auth-local=trust \
    --pwfile="$password"
  rm "$password"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  as_postgres pg_ctl --wait --options="-c listen_addresses=''" start
  as_postgres psql --username="$POSTGRES_USER" --dbname=postgres --command="create database $POSTGRES_DB"
  as_postgres pg_ctl --wait --mode=fast stop
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups -- postgres -c listen_addresses='*'
