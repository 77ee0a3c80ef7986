import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { isRefusedLogin } from '../../../infra/postgres/failure.ts';
import { mightyLogin } from '../../../infra/postgres/login-rights.ts';
import { logins, loginUrl, setPasswords } from '../../../infra/postgres/logins.ts';
import { migrate } from '../../../infra/postgres/migrate.ts';
import { temporaryPostgres } from '../../support/temporary-servers.ts';

const passwords = { edge: 'edge-1:@/?', coordinator: 'coordinator' };

let server: Awaited<ReturnType<typeof temporaryPostgres>>;
let owner: Sql;
test.before(async () => {
  server = await temporaryPostgres();
  owner = createSql({ url: server.url, applicationName: 'owner', max: 2 });
  await migrate(server.url);
  await setPasswords(server.url, passwords);
  // As in production: only the owner gets in without a password.
  const lines = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256'];
  await writeFile(join(server.folder, 'data', 'pg_hba.conf'), `${lines.join('\n')}\n`);
  await owner`select pg_reload_conf()`;
});
test.after.always(async () => {
  if (owner !== undefined) await closeSql(owner);
  await server?.stop();
});

/**
 * Everything that anybody but the owner may do to a table: read, add (insert), write (update), delete;
 * in brackets the columns, where it is not all of them. What is not listed nobody may do. Nobody may
 * truncate, reference, trigger or maintain anything.
 */
const rights = `
agent actor:r edge:r service:r
agent_version actor:r edge:r service:r
audit.audit_log audit:r service:r
audit.emissions audit:r service:r
audit.episode_results audit:r service:r
audit.epoch_standings audit:r service:r
audit.nonces audit:r service:r
audit.outbox_pending audit:r service:r
audit.partitions audit:r service:r
audit.pins audit:r service:r
audit.race_qualifiers audit:r service:r
audit.races audit:r service:r
audit.run_events audit:r service:r
audit.runs audit:r service:r
audit.submissions audit:r service:r
audit.tops audit:r service:r
audit.work_items audit:r service:r
audit_log edge:r service:ra
carried_out service:rawd
challenge service:rawd
episode_artifact actor:r edge:r service:r
episode_result actor:r edge:r service:r
epoch_standings actor:r edge:r service:r
evaluation_run actor:r edge:r service:r
hotkey_ban actor:r edge:r service:rawd
idempotency service:rawd
inference_check service:rawd
inference_credential edge:r(credential_id,miner_hotkey,provider,rejected_at,updated_at) service:rawd
inference_default edge:r service:rawd
inference_key edge:r(eval_run_id,expires_at,key_id,miner_hotkey,next_revoke_at,provider,revoked_at,unopened_at,withdrawn_at) service:raw
inference_overtaken_check service:rawd
inference_past_credential service:rawd
inference_request service:rad
inference_snapshot edge:r service:raw
inference_token edge:r(ended_at,eval_run_id,expires_at,issued_at,miner_hotkey,provider,token_sha256) service:raw
inference_usage edge:r service:raw
miner actor:r edge:r service:r
nonce service:rawd
pack actor:r edge:r service:raw
pack_delivery edge:r service:raw
pack_task actor:r service:raw
problem_progress actor:r edge:r service:r
public_event edge:r service:ra
public_release edge:r service:raw
race actor:r edge:r service:rw(pins_locked_at)
race_bundle edge:r service:ra
race_emission actor:r edge:r service:r
race_entrant actor:r edge:r service:r
race_fallback actor:r edge:r service:r
race_pin actor:r edge:r service:rawd
race_pin_change service:r
race_pin_change_change_no_seq
race_policy actor:r edge:r service:ra
race_task actor:r edge:r service:r
rejected_submission edge:r service:rad
rejudging actor:r edge:r service:raw
rejudging_run actor:r edge:r service:ra
rt.board_change edge:r
rt.clock_follower actor:r service:r
rt.clock_offset actor:r edge:r service:r
rt.event actor:r edge:r service:r
rt.history actor:r edge:r service:r
rt.inbox actor:r edge:r service:r
rt.mark actor:r edge:r service:r
rt.member actor:r edge:r service:r
rt.outbox actor:r edge:r service:r
rt.partition actor:r edge:r service:r
rt.poison actor:r edge:r service:r
rt.snapshot actor:r service:r
rt.unserved actor:r
run_beat actor:r edge:r service:r
schema_migration actor:r(version)
seal_key edge:r service:raw
seal_key_check edge:r service:ra
sealed_text edge:r service:r
session edge:r(expires_at,hotkey,role,token_sha256) service:rawd
similarity_again edge:r service:rw
similarity_code actor:r edge:r service:ra
similarity_fingerprint actor:r edge:r service:ra
similarity_version actor:r edge:r service:raw
similarity_version_version_no_seq
suite actor:r edge:r service:raw
suite_problem actor:r edge:r service:raw
suite_suite_id_seq
top_agent actor:r edge:r service:r
validator edge:r service:rawd
webhook edge:r(created_at,cursor,event_types,failure_count,last_attempt_at,last_cursor,last_error,last_status,last_success_at,next_attempt_at,url,webhook_id) service:rawd
work_item actor:r edge:r service:r
`;

const letters: Readonly<Record<string, string>> = {
  SELECT: 'r',
  INSERT: 'a',
  UPDATE: 'w',
  DELETE: 'd',
};

interface Grant {
  readonly object: string;
  readonly grantee: string;
  readonly privilege: string;
  readonly column: string | null;
}

async function grants(): Promise<string> {
  const rows = await owner<Grant[]>`
    with relation as (
      select c.oid, c.oid::regclass::text as object, c.relowner, c.relacl
      from pg_class c
      where c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'pg_toast')
        and c.relkind in ('r', 'v', 'm', 'f', 'p', 'S')
    )
    select object, x.grantee::regrole::text as grantee, x.privilege_type as privilege, null as column
    from relation, aclexplode(relacl) x
    where x.grantee <> relowner
    union all
    select object, x.grantee::regrole::text, x.privilege_type, a.attname
    from relation
    join pg_attribute a on a.attrelid = relation.oid and a.attacl is not null,
      aclexplode(a.attacl) x
    where x.grantee <> relowner
    union all
    select object, 'nobody', '', null from relation
    order by object, grantee, privilege, "column"`;
  const objects = Map.groupBy(rows, ({ object }) => object);
  return [...objects].map(([object, given]) => `${object} ${said(given)}`.trim()).join('\n');
}

function said(given: readonly Grant[]): string {
  const byGrantee = Map.groupBy(given, ({ grantee }) => grantee.replace('paddock_', ''));
  byGrantee.delete('nobody');
  return [...byGrantee]
    .map(([grantee, own]) => {
      const whole = own.filter(({ column }) => column === null);
      const parts = Map.groupBy(
        own.filter(({ column }) => column !== null),
        ({ privilege }) => privilege,
      );
      const ofColumns = [...parts].map(
        ([privilege, columns]) =>
          `${letterOf(privilege)}(${columns.map(({ column }) => column).join(',')})`,
      );
      const ofAll = ['r', 'a', 'w', 'd'].filter((letter) =>
        whole.some(({ privilege }) => letterOf(privilege) === letter),
      );
      const odd = whole.map(({ privilege }) => letterOf(privilege)).filter((one) => one.length > 1);
      return `${grantee}:${[...ofAll, ...ofColumns, ...odd].join('')}`;
    })
    .join(' ');
}

const letterOf = (privilege: string) => letters[privilege] ?? `!${privilege}!`;

test('nobody may do anything to any table that is not written here', async (t) => {
  t.is(await grants(), rights.trim());
});

test('no process may change what is told once, and no edge may change anything', (t) => {
  const lines = rights.trim().split('\n');
  for (const table of ['audit_log', 'episode_result', 'epoch_standings', 'race_emission']) {
    const line = lines.find((one) => one.startsWith(`${table} `)) ?? '';
    t.regex(line, /edge:r/, table);
    t.notRegex(line, /:[ra]*[wd]/, table);
  }
  for (const line of lines)
    t.regex(line.replace(/\(.*?\)/g, ''), /^(?!.*edge:)|edge:r(?: |$)/, line);
});

test('not even the owner changes an entry of the audit log or a snapshot of the standings', async (t) => {
  const refused = { message: /is only ever added to/ };
  await t.throwsAsync(owner`update audit_log set actor = ''`, refused);
  await t.throwsAsync(owner`delete from audit_log`, refused);
  await t.throwsAsync(owner`truncate audit_log`, refused);
  await t.throwsAsync(owner`delete from epoch_standings`, refused);
  await t.throwsAsync(owner`update epoch_standings set body = ''`, refused);
});

/** The doors to schema rt, by who may open them. Everything else is the owner's alone. */
const callable: Readonly<Record<string, readonly string[]>> = {
  actor: [
    'policy_basis(integer)',
    'rt."join"(text,uuid,interval,integer,text[],boolean)',
    'rt.advance_mark(interval,text)',
    'rt.claim(text,integer,bigint,text,uuid)',
    'rt.clock()',
    'rt.commit(text,integer,bigint,uuid,timestamp with time zone,jsonb)',
    'rt.commit_all(text,jsonb,timestamp with time zone,jsonb)',
    'rt.consume(text,integer,text,text)',
    'rt.counted_fault(uuid)',
    'rt.counted_faults(uuid,uuid[])',
    'rt.drain(text,uuid)',
    'rt.eject(text,uuid)',
    'rt.fence_floor()',
    'rt.flush_run_beat(integer,jsonb)',
    'rt.follow_clock(jsonb)',
    'rt.held_out_tasks(integer)',
    'rt.inbox_expire(interval,integer)',
    'rt.leave(text,uuid)',
    'rt.milliseconds(timestamp with time zone)',
    'rt.outbox_backlog(integer)',
    'rt.outbox_due(integer,interval)',
    'rt.outbox_hasten(interval,integer)',
    'rt.outbox_purge(integer)',
    'rt.outbox_purge_pages(integer,integer)',
    'rt.outbox_unsent(jsonb,interval)',
    'rt.park(text,integer,text,jsonb)',
    'rt.race_awaits_order(uuid)',
    'rt.race_field(uuid)',
    'rt.race_results(uuid)',
    'rt.reign_end_reason(uuid)',
    'rt.release(text,integer,bigint,uuid)',
    'rt.renew(text,uuid,interval)',
    'rt.simulate_clock()',
    'rt.tasks_of_packs(text[])',
    'rt.top_fell_at()',
    'rt.wall_clock()',
  ],
  edge: [
    'policy_basis(integer)',
    'rt.clock()',
    'rt.counted_fault(uuid)',
    'rt.counted_faults(uuid,uuid[])',
    'rt.held_out_count(integer)',
    'rt.held_out_counts(integer)',
    'rt.milliseconds(timestamp with time zone)',
    'rt.outbox_backlog(integer)',
    'rt.outbox_waiting(timestamp with time zone,integer)',
    'rt.race_field(uuid)',
    'rt.race_results(uuid)',
    'rt.sealed_by(text)',
    'rt.top_fell_at()',
    'rt.unswept()',
    'rt.wall_clock()',
  ],
  service: [
    'policy_basis(integer)',
    'rt.begin_advance(integer)',
    'rt.clock()',
    'rt.consume(text,integer,text,text)',
    'rt.counted_fault(uuid)',
    'rt.counted_faults(uuid,uuid[])',
    'rt.drop_parked(text)',
    'rt.follow_clock(jsonb)',
    'rt.held_out_count(integer)',
    'rt.held_out_counts(integer)',
    'rt.milliseconds(timestamp with time zone)',
    'rt.next_release()',
    'rt.order_drain(text)',
    'rt.outbox_waiting(timestamp with time zone,integer)',
    'rt.park(text,integer,text,jsonb)',
    'rt.project_facts(bigint,jsonb)',
    'rt.race_results(uuid)',
    'rt.race_turn(uuid)',
    'rt.sealed_by(text)',
    'rt.send(jsonb)',
    'rt.step_clock(timestamp with time zone)',
    'rt.tasks_of_packs(text[])',
    'rt.top_fell_at()',
    'rt.unpark(text)',
    'rt.unswept()',
    'rt.wall_clock()',
  ],
};

test('nobody may call any function that is not written here', async (t) => {
  const rows = await owner<{ name: string; grantee: string }[]>`
    select p.oid::regprocedure::text as name,
      case x.grantee when 0 then 'public' else x.grantee::regrole::text end as grantee
    from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
    where p.pronamespace::regnamespace::text in ('public', 'rt') and x.grantee <> p.proowner
    order by grantee, name`;
  const byGrantee = Map.groupBy(rows, ({ grantee }) => grantee.replace('paddock_', ''));
  const found = [...byGrantee].map(([grantee, own]) => [grantee, own.map(({ name }) => name)]);
  t.deepEqual(Object.fromEntries(found), callable);
});

test('a function with its owner’s rights looks nothing up where others could have put it', async (t) => {
  const rows = await owner<{ name: string; path: string }[]>`
    select p.oid::regprocedure::text as name,
      coalesce((select string_agg(s, ' ') from unnest(p.proconfig) s where s ~ '^search_path='), '')
        as path
    from pg_proc p
    where p.prosecdef and p.pronamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`;
  t.true(rows.length > 20);
  for (const { name, path } of rows) {
    t.regex(path, /^search_path=pg_catalog, (?:rt, )?(?:public, )?pg_temp$/, name);
  }
  const [may] = await owner<{ create: boolean; temp: boolean }[]>`
    select has_schema_privilege('public', 'public', 'create') as create,
      has_database_privilege('public', current_database(), 'temporary') as temp`;
  t.deepEqual(may, { create: false, temp: false });
});

test('a login is a member of its roles, nothing by itself, and can become nobody else', async (t) => {
  const rows = await owner<{ login: string; roles: string[]; powers: boolean }[]>`
    select l.rolname as login, array(
        select m.roleid::regrole::text from pg_auth_members m where m.member = l.oid order by 1
      ) as roles,
      l.rolsuper or l.rolinherit or l.rolcreaterole or l.rolcreatedb or l.rolbypassrls
        or l.rolreplication as powers
    from pg_roles l
    where l.rolname like 'paddock%'
    order by login`;
  const group = (login: string) => ({ login, roles: [], powers: true });
  t.deepEqual(
    [...rows],
    [
      group('paddock_actor'),
      group('paddock_audit'),
      { login: logins.coordinator, roles: ['paddock_actor', 'paddock_service'], powers: false },
      group('paddock_edge'),
      { login: logins.edge, roles: ['paddock_edge'], powers: false },
      group('paddock_service'),
    ],
  );
});

function comingIn(kind: 'coordinator' | 'edge', password: string) {
  const url = new URL(loginUrl(server.url, kind));
  url.password = encodeURIComponent(password);
  const role = kind === 'edge' ? 'paddock_edge' : 'paddock_service';
  return createSql({ url: url.href, applicationName: kind, max: 1, role } as const);
}

test('an edge comes in by its password, and words smuggled into its statements lead nowhere', async (t) => {
  const edge = comingIn('edge', passwords.edge);
  t.teardown(() => closeSql(edge));
  const [who] = await edge`select current_user::text as now, session_user::text as login`;
  t.deepEqual(who, { now: 'paddock_edge', login: logins.edge });
  const denied = { message: /permission denied|must be|not allowed/ };
  for (const text of [
    'set role paddock_service',
    'set role postgres',
    'set session authorization postgres',
    'insert into audit_log select * from audit_log',
    'delete from episode_result',
    'update epoch_standings set body = body',
    'truncate race',
    'select sealed from inference_credential',
    'select * from inference_token',
    "select rt.commit('eval', 0, 1, null, null, '{}')",
    "select rt.commit_all('eval', '[]', null, '{}')",
    'create table public.mine (a int)',
    'create temporary table audit_log (a int)',
    'create function pg_temp.f() returns int language sql as $$select 1$$',
    "copy hotkey_ban to program 'true'",
    "select pg_read_file('/etc/passwd')",
    'alter role paddock_edge_login superuser',
    'set session_replication_role = replica',
    'alter table audit_log disable trigger all',
  ]) {
    await t.throwsAsync(edge.unsafe(text), denied, text);
  }
  t.is(await mightyLogin(edge), undefined);
  t.is(await mightyLogin(owner), 'postgres', 'a process would say so');
  // Without its role it is nobody at all.
  await edge.unsafe('set role none');
  await t.throwsAsync(edge`select hotkey from hotkey_ban`, denied);
});

test('a wrong password, and none, get nobody in', async (t) => {
  for (const password of ['', 'coordinator', 'edge-1']) {
    const edge = comingIn('edge', password);
    t.true(isRefusedLogin(await t.throwsAsync(edge`select 1`)), password);
    await closeSql(edge);
  }
  const coordinator = comingIn('coordinator', passwords.coordinator);
  t.is((await coordinator`select 1 as one`).length, 1);
  await closeSql(coordinator);
});

test('passwords that another database of the server works with stay, and those of this one are rotated', async (t) => {
  const { name } = await second();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const verifiers = () => owner`
    select rolname, rolpassword from pg_authid where rolname like 'paddock_%_login' order by 1`;
  const sessionOf = async (databaseUrl: string, password: string) => {
    const login = new URL(loginUrl(databaseUrl, 'edge'));
    login.password = encodeURIComponent(password);
    const sql = createSql({
      url: login.href,
      applicationName: 'edge',
      max: 1,
      role: 'paddock_edge',
    });
    await sql`select 1`;
    return sql;
  };

  const first = await sessionOf(server.url, passwords.edge);
  const before = await verifiers();
  await t.throwsAsync(setPasswords(url.href, { edge: 'other', coordinator: 'other' }), {
    message: /paddock_edge_login.*database "postgres".*one installation/s,
  });
  t.deepEqual(await verifiers(), before);

  await setPasswords(server.url, { edge: 'rotated', coordinator: passwords.coordinator });
  const rotated = await sessionOf(server.url, 'rotated');
  await setPasswords(server.url, passwords);
  await Promise.all([closeSql(rotated), closeSql(first)]);
});

async function second() {
  const name = 'staging';
  await owner`create database ${owner(name)}`;
  return { name };
}
