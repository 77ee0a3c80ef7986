import { type Check, inParts } from './check.ts';

/** INV-37 to INV-43, as far as the database shows who was let in and what it keeps of secrets. */
export const identityChecks: readonly Check[] = [
  {
    id: 'INV-37',
    rule: 'the database takes a nonce of a hotkey once',
    // Its key alone decides, and two of a kind beside it there are not: what can be wrong is the key.
    of: 'pg_index',
    find: (sql) => sql`
      select 'nonce' as "table", '(hotkey, nonce)' as "without a key"
      where not exists (
        select from pg_index i
        join pg_class c on c.oid = i.indrelid
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relname = 'nonce'
          and i.indisunique and i.indisvalid and i.indpred is null and i.indnkeyatts = 2
          and array['hotkey', 'nonce'] = (
            select array_agg(a.attname::text order by a.attname) from pg_attribute a
            where a.attrelid = i.indrelid and a.attnum = any(i.indkey)))`,
  },
  {
    id: 'INV-38',
    rule: 'a session was opened by a challenge of its hotkey that was consumed in time',
    of: 'challenge',
    // A challenge stays for a minute after its end, so only the newest sessions still have theirs.
    find: (sql) => sql`
      select 'challenge' as what, hotkey, consumed_at as at
      from challenge
      where (consumed_by is null) <> (consumed_at is null)
      union all
      select 'session', s.hotkey, s.created_at
      from session s
      where s.created_at > rt.clock() - interval '50 seconds'
        and not exists (
          select from challenge c
          where c.hotkey = s.hotkey and c.consumed_at < c.expires_at
            and c.consumed_at between s.created_at - interval '5 seconds' and s.created_at)`,
  },
  {
    id: 'INV-39',
    rule: 'a banned hotkey has no session',
    of: 'session',
    find: (sql) => sql`
      select s.hotkey, s.role, s.created_at, b.banned_at
      from session s
      join hotkey_ban b on b.hotkey = s.hotkey`,
  },
  {
    id: 'INV-39',
    rule: 'nothing of a banned hotkey was committed later than a second after its ban',
    of: 'hotkey_ban',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select b.hotkey, b.banned_at, e.machine, e.key, e.type, e.at
        from hotkey_ban b
        join rt.event e on e.kind = 'eval' and e.part = ${part} and e.account = b.hotkey
        where e.at > b.banned_at + interval '1 second'`,
    ),
  },
  {
    id: 'INV-41',
    rule: 'challenges, sessions and inference tokens are kept as hashes alone',
    of: 'session',
    find: (sql) => sql`
      select 'session' as kept, hotkey as whose from session where token_sha256 !~ '^[0-9a-f]{64}$'
      union all
      select 'challenge', hotkey from challenge where challenge_sha256 !~ '^[0-9a-f]{64}$'
      union all
      select 'inference token', eval_run_id::text from inference_token
      where token_sha256 !~ '^[0-9a-f]{64}$'`,
  },
  {
    id: 'INV-43',
    rule: 'every text that opens with a key says with which',
    of: 'sealed_text',
    find: (sql) => sql`select place, sealed_at from sealed_text where key_id is null`,
  },
];
