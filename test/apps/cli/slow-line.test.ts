import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { paddockClient } from '../../../apps/cli/client/paddock.generated.ts';
import { sender } from '../../../apps/cli/client/send.ts';
import { dispatchLimits } from '../../../apps/edge/dispatch-limits.ts';
import { readConfig } from '../../../infra/config/config.ts';
import { lineBy } from '../../support/answered-line.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const submissionMs = dispatchLimits(readConfig({}, { process: 'world' })).budgetMs.submission;

const answers = {
  '/v1/miner/submit': {
    agent_version_id: '019a0000-0000-7000-8000-000000000001',
    next_allowed_at: '2026-11-25T20:00:00.000Z',
  },
  '/v1/miner/submit/check': { ok: true, violations: [] },
  '/v1/admin/hotkeys/5HotkeyOfSomebody/ban': { banned: true },
  '/v1/admin/clock/advance': { now: '2026-11-25T20:00:00.000Z', advanced_seconds: 60 },
  '/v1/admin/packs': { pack_sha256: '0'.repeat(64) },
  '/v1/miner/agents': { agents: [], can_submit: true, next_allowed_at: null },
} as const;

/** A line whose service has taken `ms` of the client's clock when it has all of a request, and then answers. */
async function lineThatTakes(t: ExecutionContext, ms: number) {
  const clock = new ManualClock();
  const { origin: baseUrl } = await listening(t, async (request, response) => {
    await buffer(request);
    await clock.advance(ms);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[request.url as keyof typeof answers]));
  });
  const folder = await mkdtemp(join(tmpdir(), 'paddock-slow-'));
  const path = join(folder, 'agent.py');
  await writeFile(path, 'def agent_main(task):\n    return 1\n');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const client = paddockClient(sender({ baseUrl, clock }));
  return {
    submit: () => lineBy(client, 'submit', path, '--name', 'mine'),
    check: () => lineBy(client, 'check', path, '--online', '--entry-point', ''),
    agents: () => lineBy(client, 'agents'),
    ban: () => lineBy(client, 'operator', 'ban', '5HotkeyOfSomebody', '--reason', 'cheats'),
    pack: () => lineBy(client, 'operator', 'upload-pack', path),
    advance: () => lineBy(client, 'operator', 'advance-clock', '60'),
  };
}

test('an upload may take as long as the service allows', async (t) => {
  const line = await lineThatTakes(t, submissionMs);
  for (const { code, error } of [await line.submit(), await line.check()]) {
    t.is(error, '');
    t.is(code, 0);
  }
});

test('it is given up soon after, and all that is small as soon as ever', async (t) => {
  const late = await lineThatTakes(t, submissionMs + 10_000);
  t.is((await late.submit()).code, 5);
  t.is((await late.check()).code, 5);
  const slow = await lineThatTakes(t, 30_000);
  t.is((await slow.agents()).code, 5);
});

test('a pack may take a day, for it may be large and the line slow', async (t) => {
  const line = await lineThatTakes(t, 23 * 3_600_000);
  const { code, error } = await line.pack();
  t.is(code, 0, error);
});

// An order may be urgent, and who gave it has to know that nobody says what came of it.
test('an order is waited for like all that is small, and the move of a clock for an hour', async (t) => {
  const slow = await lineThatTakes(t, 30_000);
  const { code, error } = await slow.ban();
  t.is(code, 5);
  t.regex(error, /whether it took effect is not known/);
  t.regex(error, /--idempotency-key/);
  const late = await lineThatTakes(t, 3_500_000);
  t.is((await late.advance()).code, 0);
});
