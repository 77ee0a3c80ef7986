import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { insertAnswer } from '../../../actors/services/operator/audit-store.ts';
import { createKeyRotation } from '../../../actors/services/sealing/key-rotation.actor.ts';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { secretContext } from '../../../actors/services/webhooks/signature.ts';
import { insertWebhook } from '../../../actors/services/webhooks/store.ts';
import { sealedPlaces } from '../../../apps/coordinator/sealed-places.ts';
import { credentialKeysInUse } from '../../../apps/edge/reads/credential-keys.ts';
import { faultOf } from '../../../apps/outage.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { type Seal, SealBroken } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

const older = { id: 'older', key: randomBytes(32) };
const newer = { id: 'newer', key: randomBytes(32) };
const seals = {
  before: createCredentialSeal([older]),
  behind: createCredentialSeal([older, newer]),
  inFront: createCredentialSeal([newer, older]),
  after: createCredentialSeal([newer]),
};

type Desk = Awaited<ReturnType<typeof openLoanDesk>>;

function rotate(
  t: ExecutionContext,
  desk: Pick<Desk, 'sql' | 'transact'>,
  own: { readonly seal?: Seal; readonly transact?: Transact; readonly log?: Logger } = {},
) {
  const rotation = createKeyRotation({
    ...{ sql: desk.sql, transact: own.transact ?? desk.transact, seal: own.seal ?? seals.inFront },
    ...{ places: sealedPlaces, clock: systemClock, log: own.log ?? silentLogger },
    ...{ telemetry: silentTelemetry, everyMs: 50 },
  });
  void rotation.start();
  t.teardown(() => rotation.stop());
  return rotation;
}

interface Text {
  readonly place: string;
  readonly id: string;
  readonly sealed: string;
  readonly context: string;
}

async function everyText(sql: Sql): Promise<readonly Text[]> {
  const all: Text[] = [];
  for (const place of sealedPlaces) {
    const rows = await sql<{ id: string; sealed: string; owner: string[] }[]>`
      select ${sql(place.idColumn)}::text as id, ${place.text(sql)} as sealed,
        ${place.owner(sql)} as owner
      from ${sql(place.table)} where ${place.text(sql)} is not null`;
    for (const { owner, ...row } of rows) {
      all.push({ ...row, place: place.name, context: place.context(owner) });
    }
  }
  return all;
}

/** As the operator's order does it: the webhook, and the answer that a repeat is given. */
async function addWebhook(sql: Sql, seal: Seal): Promise<void> {
  const webhookId = randomUUID();
  const sealedSecret = seal.seal(`whsec_${webhookId}`, secretContext(webhookId));
  const given = { webhookId, url: 'https://example.org/hook', eventTypes: null, sealedSecret };
  await transaction(sql, {}, async (tx) => {
    const reply = await insertWebhook(tx, given);
    const answer = { commandId: randomUUID(), route: 'register-webhook', bodySha256: '', reply };
    await insertAnswer(tx, answer);
  });
}

const secret = () => `demo-${randomUUID()}`;

/** A miner with everything that is sealed for one, also a credential that was replaced. */
async function fill(desk: Desk, hotkey: string): Promise<void> {
  await desk.connect(hotkey, 'providera', secret());
  await desk.connect(hotkey, 'providerb', secret());
  const run = await desk.plantRun(hotkey);
  await desk.token(run);
  await desk.key(run, 'providera');
  await desk.key(run, 'providerb');
  await desk.connect(hotkey, 'providerb', secret());
}

const standing = async (sql: Sql, keyId: string) =>
  (await credentialKeysInUse(sql)).find((key) => key.keyId === keyId)?.textCount ?? 0;

// The documented order: a ring that knows both keys opens everything at every instant, whoever writes
// what meanwhile and with whichever key.
test('keys are rotated under traffic, and every secret opens at every instant', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.before, isRevoking: true });
  const miners = Array.from({ length: 6 }, (_, index) => `miner ${index}`);
  await Promise.all(miners.map((hotkey) => fill(desk, hotkey)));
  await addWebhook(desk.sql, seals.before);
  t.true((await standing(desk.admin, 'older')) > 30);

  const stored = new Map<string, string>();
  let isBusy = true;
  let writes = 0;
  // Some have the new key behind the old one still, others in front already.
  const writers = miners.map(async (hotkey, index) => {
    const process = desk.another({ seal: index % 2 === 0 ? seals.behind : seals.inFront });
    for (let turn = 0; isBusy; turn++) {
      const provider = turn % 2 === 0 ? 'providera' : 'providerb';
      const text = secret();
      await process.connect(hotkey, provider, text);
      stored.set(`credential/${hotkey}/${provider}`, text);
      const run = await desk.plantRun(hotkey);
      t.truthy(await process.token(run));
      t.true((await process.key(run, provider)).text.length > 10);
      await desk.endRun(run);
      if (turn % 5 === 4) {
        await process.disconnect(hotkey, provider);
        stored.delete(`credential/${hotkey}/${provider}`);
      }
      writes += 1;
    }
  });
  const rotations = [0, 1].map(() => rotate(t, desk.another({ seal: seals.inFront })));
  let looks = 0;
  const reader = (async () => {
    for (; isBusy; looks++) {
      for (const { sealed, context } of await everyText(desk.admin)) {
        seals.behind.open(sealed, context);
      }
    }
  })();
  await until(async () => writes > 17 && looks > 5);
  isBusy = false;
  await Promise.all([...writers, reader]);

  // Now everybody seals with the new one, and nothing of the old is left.
  await until(async () => (await standing(desk.admin, 'older')) === 0);
  const texts = await everyText(desk.admin);
  const places = new Set(texts.map(({ place }) => place));
  t.true(places.has('webhook.sealed_secret') && places.has('idempotency.reply'));
  for (const { sealed, context } of texts) t.notThrows(() => seals.after.open(sealed, context));
  const kept = texts
    .filter(({ place }) => place === 'inference_credential.sealed')
    .map(({ context, sealed }) => [context, seals.after.open(sealed, context)] as const);
  for (const [context, text] of stored) t.is(new Map(kept).get(context), text, context);
  t.deepEqual(await rowsWith(desk.admin, 'v1.older.'), []);
  for (const rotation of rotations) await rotation.stop();
});

/** Tables of which a row holds the text, wherever it is. */
async function rowsWith(sql: Sql, text: string): Promise<readonly string[]> {
  const tables = await sql<{ name: string }[]>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
    from pg_tables where schemaname in ('public', 'rt')`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select from ${name} r where r::text like $1 limit 1`, [
      `%${text}%`,
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('a rotation that dies in the middle is taken up where it was', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.before });
  await fill(desk, 'alice');
  for (let count = 0; count < 120; count++) await addWebhook(desk.sql, seals.before);
  const all = await standing(desk.admin, 'older');
  let batches = 0;
  const mortal: Transact = (body) =>
    desk.transact(async (tx) => {
      const outcome = await body(tx);
      batches += 1;
      // Its session ends with the work of a batch done and not committed.
      if (batches > 6) await tx`select pg_terminate_backend(pg_backend_pid())`;
      return outcome;
    });
  const dying = rotate(t, desk, { transact: mortal });
  await until(async () => batches > 7);
  await dying.stop();
  const left = await standing(desk.admin, 'older');
  t.true(left > 0 && left < all, `${left} of ${all}`);
  for (const { sealed, context } of await everyText(desk.admin)) seals.behind.open(sealed, context);

  rotate(t, desk);
  await until(async () => (await standing(desk.admin, 'older')) === 0);
  for (const { sealed, context } of await everyText(desk.admin)) seals.after.open(sealed, context);
});

test('a round ends, though somebody seals with the old key again what it did', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.before });
  for (let count = 0; count < 60; count++) await addWebhook(desk.sql, seals.before);
  const rows = await desk.admin<{ id: string; sealed: string }[]>`
    select webhook_id as id, sealed_secret as sealed from webhook`;
  const undone: Transact = async (body) => {
    const outcome = await desk.transact(body);
    await desk.admin`
      update webhook w set sealed_secret = given.sealed
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::text[])
        as given (id, sealed)
      where w.webhook_id = given.id`;
    return outcome;
  };
  rotate(t, desk, { transact: undone });
  // The last thing that a round does, and the last place is done.
  await until(async () => (await desk.admin`select from seal_key`).length > 0);
  await until(async () => (await rowsWith(desk.admin, 'v1.newer.')).includes('public.idempotency'));
  // Whenever it was undone, until the next round.
  await until(async () => (await standing(desk.admin, 'older')) === 60);
  t.pass('the webhooks');
});

test('a key may go when nothing of it was met for a minute', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.before });
  await fill(desk, 'alice');
  const keys = async () => {
    const rows = await credentialKeysInUse(desk.admin);
    return rows.map(({ keyId, textCount, isQuiet }) => [keyId, textCount > 0, isQuiet]);
  };
  t.deepEqual(await keys(), [['older', true, false]]);
  // What a rotation notes while the old key is the first.
  const noting = rotate(t, desk, { seal: seals.behind });
  await until(async () => (await desk.admin`select from seal_key`).length === 1);
  await noting.stop();
  rotate(t, desk);
  await until(async () => (await standing(desk.admin, 'older')) === 0);
  t.deepEqual((await keys())[0], ['older', false, false], 'too early: something may be on its way');
  await desk.admin`
    update seal_key set last_seen_at = last_seen_at - interval '2 minutes' where key_id = 'older'`;
  t.deepEqual((await keys())[0], ['older', false, true]);
  const [key] = await credentialKeysInUse(desk.admin);
  t.true((key?.firstSealedAt ?? 0) <= (key?.lastSealedAt ?? 0));
  t.is(typeof key?.lastSealedAt?.getTime(), 'number');
});

test('a text that does not open stays, is told of once, and holds up no other', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.before });
  await fill(desk, 'alice');
  const stranger = createCredentialSeal([{ id: 'stranger', key: randomBytes(32) }]);
  for (let count = 0; count < 60; count++) await addWebhook(desk.sql, stranger);
  await addWebhook(desk.sql, seals.before);
  const told: string[] = [];
  const log = { ...silentLogger, error: (message: string) => void told.push(message) };
  rotate(t, desk, { log });
  await until(async () => (await standing(desk.admin, 'older')) === 0);
  await systemClock.sleep(200);
  t.is(await standing(desk.admin, 'stranger'), 120);
  t.is(told.length, 2, 'once for each place');
});

test('whoever lacks the key says that it is our outage, not the provider’s refusal', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.inFront });
  await desk.connect('alice', 'providera', secret());
  const run = await desk.plantRun('alice');
  await desk.token(run);
  const lacking = desk.another({ seal: seals.before, isRevoking: true });
  const error = await t.throwsAsync(lacking.token(run), { instanceOf: SealBroken });
  t.is(faultOf(error).code, 'STORE_UNAVAILABLE');
  const [row] = await desk.admin`select rejected_at from inference_credential`;
  t.is(row?.['rejected_at'], null);
  // Its sweep meets a key that it cannot end, and leaves it to others.
  await desk.key(run, 'providera');
  await desk.endRun(run);
  await until(async () => (await desk.keys()).some(({ failures }) => failures > 0));
  await lacking.revoker.stop();
  await desk.admin`update inference_key set next_revoke_at = rt.wall_clock()`;
  desk.another({ seal: seals.behind, isRevoking: true });
  await until(async () => (await desk.keys()).every(({ isOpen }) => !isOpen));
});

test('a sealed text opens in no other row, column, table or under another key', async (t) => {
  const desk = await openLoanDesk(t, { seal: seals.before });
  await fill(desk, 'alice');
  await fill(desk, 'bob');
  await addWebhook(desk.sql, seals.before);
  await addWebhook(desk.sql, seals.before);
  const texts = await everyText(desk.admin);
  t.deepEqual(
    [...new Set(texts.map(({ place }) => place))].sort(),
    sealedPlaces.map(({ name }) => name).sort(),
  );
  let pairs = 0;
  for (const { sealed, context } of texts) {
    t.notThrows(() => seals.behind.open(sealed, context));
    const renamed = sealed.replace('v1.older.', 'v1.newer.');
    t.throws(() => seals.behind.open(renamed, context), { instanceOf: SealBroken });
    for (const other of texts.filter((each) => each.context !== context)) {
      t.throws(() => seals.behind.open(sealed, other.context), { instanceOf: SealBroken });
      pairs += 1;
    }
  }
  t.true(pairs > 100);
  // No two texts share a nonce.
  const nonces = texts.map(({ sealed }) => sealed.split('.').at(-1)?.slice(0, 16));
  t.is(new Set(nonces).size, new Set(texts.map(({ sealed }) => sealed)).size);
});

test('every column that holds sealed texts is rotated and counted', async (t) => {
  const { admin } = await openLoanDesk(t);
  const columns = await admin<{ name: string }[]>`
    select table_name || '.' || column_name as name
    from information_schema.columns
    where table_schema in ('public', 'rt') and data_type = 'text'
      and column_name like any (array['sealed%', '%secret%', '%ciphertext%'])
    order by 1`;
  const rotated = sealedPlaces.map(({ name }) => name).filter((name) => !name.startsWith('idem'));
  t.deepEqual(
    columns.map(({ name }) => name),
    rotated.sort(),
  );
  const [view] = await admin<{ text: string }[]>`
    select pg_get_viewdef('sealed_text'::regclass) as text`;
  for (const { name } of sealedPlaces)
    t.true(view?.text.includes(name.split('.')[1] ?? name), name);
});
