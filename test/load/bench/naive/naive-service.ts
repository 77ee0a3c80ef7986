/**
 * What a team would write in a day, as a process of its own: Express, one table of runs that are
 * claimed with `for update skip locked` in the handler, signatures checked where they arrive, and a
 * row for every nonce. The permanent baseline: nothing of it is to be made faster, and nothing of the
 * product is in it but how a hotkey is spelt.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sr25519Verify, waitReady } from '@polkadot/wasm-crypto';
import express, { type Request, type RequestHandler } from 'express';
import postgres from 'postgres';
import { decodeHotkey } from '../../../../infra/crypto/ss58.ts';
import { planOf, servePartner } from '../partner-process.ts';

export interface NaivePlan {
  readonly databaseUrl: string;
  /** Else everybody is believed to be whom he says. */
  readonly isSigned: boolean;
}

const connections = 32;
const skewSeconds = 60;

const { databaseUrl, isSigned } = planOf<NaivePlan>();
await waitReady();
const sql = postgres(databaseUrl, { max: connections, onnotice: () => undefined });
const app = express();
app.use(express.json({ limit: '8mb' }));
const runPath = '/v1/validator/evaluation-runs/:id';

// Between rounds, and so before anything that is measured.
app.post(`${runPath}/release`, async (request, response) => {
  // A run that is given back gets another id, so that nobody is given the same one twice.
  await sql`
    update run set run_id = gen_random_uuid(), status = 'OPEN', validator = null
    where run_id = ${request.params.id} and status = 'CLAIMED'`;
  response.json({ released: true });
});

app.use(authenticate());

app.post('/v1/validator/work/claim', async (request, response) => {
  const [run] = await sql`
    update run
    set status = 'CLAIMED', validator = ${hotkeyOf(request)}, claimed_at = now(),
        lease_until = now() + interval '15 minutes'
    where run_id = (
      select run_id from run where status = 'OPEN' order by position
      for update skip locked limit 1)
    returning run_id, version_id, lease_until`;
  if (run === undefined) return response.status(204).end();
  return response.json({
    eval_run_id: run['run_id'],
    agent_version_id: run['version_id'],
    lease_expires_at: run['lease_until'],
  });
});

app.post(`${runPath}/heartbeat`, async (request, response) => {
  const [run] = await sql`
    update run set lease_until = now() + interval '15 minutes'
    where run_id = ${request.params.id} and validator = ${hotkeyOf(request)} and status = 'CLAIMED'
    returning lease_until`;
  if (run === undefined) return response.status(409).json({ error_code: 'NOT_YOURS' });
  return response.json({ lease_expires_at: run['lease_until'] });
});

app.post(`${runPath}/complete`, async (request, response) => {
  const [run] = await sql`
    update run set status = 'DONE', score = ${request.body.validator_score}, ended_at = now()
    where run_id = ${request.params.id} and validator = ${hotkeyOf(request)} and status = 'CLAIMED'
    returning run_id`;
  if (run === undefined) return response.status(409).json({ error_code: 'NOT_YOURS' });
  return response.json({ eval_run_id: run['run_id'], status: 'SUCCESS' });
});

app.post('/v1/validator/episode-results', async (request, response) => {
  const counts: Record<string, number> = {};
  await sql.begin(async (transaction) => {
    for (const item of request.body.results) {
      const [stored] = await transaction`
        insert into result (run_id, task_id, family, outcome, is_correct, checks, rewards, reward,
                            seconds, hash, steps)
        values (${item.eval_run_id}, ${item.task_id}, ${item.family}, ${item.outcome},
                ${item.verdict_correct}, ${item.verdict_checks}, ${item.reward_components},
                ${item.aggregate_reward}, ${item.wall_seconds}, ${item.terminal_state_hash},
                ${item.step_count})
        on conflict do nothing returning task_id`;
      const status = stored === undefined ? '409' : '201';
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  response.json({ counts });
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
servePartner(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () =>
  Promise.resolve(true),
);

function hotkeyOf(request: Request): string {
  return String(request.headers['x-hotkey']);
}

function authenticate(): RequestHandler {
  return async (request, response, next) => {
    if (!isSigned || (await isProven(request))) return next();
    response.status(401).json({ error_code: 'UNAUTHORIZED' });
  };
}

async function isProven(request: Request): Promise<boolean> {
  const { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature } = request.headers;
  const hotkey = hotkeyOf(request);
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > skewSeconds) return false;
  const key = decodeHotkey(hotkey);
  if (key === undefined) return false;
  const message = Buffer.from(`${hotkey}:${timestamp}:${nonce}`);
  const bytes = Buffer.from(String(signature).replace(/^0x/, ''), 'hex');
  if (bytes.length !== 64 || !sr25519Verify(bytes, message, key)) return false;
  const [fresh] = await sql`
    insert into nonce (hotkey, nonce, at) values (${hotkey}, ${String(nonce)}, now())
    on conflict do nothing returning nonce`;
  return fresh !== undefined;
}
