import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { uuid } from '../../spec/answers/atoms.ts';
import { minerAgents, minerVersions } from '../../spec/answers/miner.ts';
import { versionStatus } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { plantEntrant, plantRace, plantSuite, plantVersion } from '../../support/planted-races.ts';
import { okBody } from '../../support/trial-suite.ts';
import { invalid, refused, shaped } from './answers.ts';

const path = '/v1/miner/race-selection';
const selection = z.strictObject({
  racing_agent_version_id: uuid.nullable(),
  racing_agent_id: uuid.nullable(),
});

let service: TestService;
let suiteId: number;
let raceId: string;
test.before(async () => {
  service = await startTestService();
  suiteId = await plantSuite(service.sql);
  // Behind the service's back, so that no race but this file's is ever opened.
  await service.sql`update suite set is_active = true where suite_id = ${suiteId}`;
});
test.after.always(() => service?.stop());

test.beforeEach(async () => {
  await service.sql`update race set status = 'RACE_CANCELLED' where suite_id = ${suiteId}`;
  const [row] = await service.sql<{ next: number }[]>`
    select count(*)::int + 1 as next from race where suite_id = ${suiteId}`;
  const status = 'QUALIFYING_OPEN';
  raceId = await plantRace(service.sql, { suiteId, raceNumber: row?.next ?? 0, status });
});

async function minerWith(...scores: string[]) {
  const miner = await service.miner(randomUUID());
  const versions: string[] = [];
  for (const score of scores) {
    versions.push(await plantVersion(service.sql, { suiteId, hotkey: miner.hotkey, score }));
  }
  return { miner, versions };
}

const pin = (miner: TestKey, agentVersionId: string) =>
  miner.request('PUT', path, { body: { agent_version_id: agentVersionId } });

/** What the listing says of each version, and of the miner. */
async function listed(miner: TestKey) {
  const answer = await okBody<z.infer<typeof minerAgents>>(await miner.get('/v1/miner/agents'));
  const versions = new Map(
    answer.agents.map(({ latest_version: version }) => [version.agent_version_id, version]),
  );
  return { racing: answer.racing_agent_version_id, versions };
}

test.serial('what races is the best version, until another is pinned', async (t) => {
  const { miner, versions } = await minerWith('0.6000', '0.9000');
  const [worse = '', better = ''] = versions;
  const before = await listed(miner);
  t.is(before.racing, better);
  t.like(before.versions.get(better), { is_selected_for_race: true, is_pinnable: true });
  t.like(before.versions.get(worse), { is_selected_for_race: false, is_pinnable: true });

  const pinned = await shaped(t, selection, await pin(miner, worse.toUpperCase()));
  t.is(pinned.racing_agent_version_id, worse);
  const shown = await shaped(t, minerAgents, await miner.get('/v1/miner/agents'));
  t.is(shown.racing_agent_id, pinned.racing_agent_id);
  t.is(shown.racing_agent_version_id, worse);
  const ofAgent = `/v1/miner/agents/${pinned.racing_agent_id}/versions`;
  const [only] = await shaped(t, minerVersions, await miner.get(ofAgent));
  t.like(only, { agent_version_id: worse, is_selected_for_race: true });

  const unpinned = await shaped(t, selection, await miner.request('DELETE', path));
  t.is(unpinned.racing_agent_version_id, better);
  const again = await shaped(t, selection, await miner.request('DELETE', path));
  t.deepEqual(again, unpinned);
});

test.serial('a pin that cannot be honoured says why, before the close and after it', async (t) => {
  const { miner, versions } = await minerWith('0.6000', '0.9000');
  const [pinned = '', better = ''] = versions;
  t.is((await pin(miner, pinned)).status, 200);
  await service.sql`
    update agent_version set eliminated_at = rt.clock(), eliminated_in_race_number = 1
    where agent_version_id = ${pinned}`;

  const open = await listed(miner);
  t.is(open.racing, better);
  const fallen = {
    ...{ is_selected_for_race: false, selection_fallback_reason: 'eliminated' },
    ...{ is_pinnable: false, pin_disabled_reason: 'eliminated' },
  };
  t.like(open.versions.get(pinned), { ...fallen, eliminated_in_race_number: 1 });
  t.is(open.versions.get(better)?.selection_fallback_reason, null);

  await plantEntrant(service.sql, { raceId, agentVersionId: better });
  await service.sql`
    insert into race_fallback (race_id, miner_hotkey, agent_version_id, reason)
    values (${raceId}, ${miner.hotkey}, ${pinned}, 'below_threshold')`;
  for (const status of ['QUALIFYING_CLOSED', 'RACE_RUNNING']) {
    await service.sql`update race set status = ${status} where race_id = ${raceId}`;
    const closed = await listed(miner);
    t.is(closed.racing, better);
    t.is(closed.versions.get(pinned)?.selection_fallback_reason, 'below_threshold');
    const statusPath = `/v1/public/agent-versions/${pinned}/status`;
    const seen = await shaped(t, versionStatus, await service.call('GET', statusPath));
    t.is(seen.selection_fallback_reason, 'below_threshold');
    t.false(seen.is_active_qualifier);
  }
});

test.serial('after the close the entrant races, whatever came since', async (t) => {
  const { miner, versions } = await minerWith('0.6000');
  const [entered = ''] = versions;
  await plantEntrant(service.sql, { raceId, agentVersionId: entered });
  await service.sql`update race set status = 'RACE_RUNNING' where race_id = ${raceId}`;
  const { hotkey } = miner;
  const better = await plantVersion(service.sql, { suiteId, hotkey, score: '0.9900' });

  t.is((await listed(miner)).racing, entered);
  await refused(t, await pin(miner, better), '409 RACE_LOCKED');
  await refused(t, await miner.request('DELETE', path), '409 RACE_LOCKED');
  const outsider = await minerWith('0.9900');
  t.is((await listed(outsider.miner)).racing, null, 'it came too late');
});

test.serial('a pin is refused with its reason', async (t) => {
  const { miner, versions } = await minerWith('0.1000');
  const [low = ''] = versions;
  const refusal = await refused(t, await pin(miner, low), '409 NOT_PINNABLE');
  t.is(refusal['pin_disabled_reason'], 'below_threshold');
  t.is((await listed(miner)).racing, null);
  const other = await minerWith('0.9000');
  const foreign = await pin(miner, other.versions[0] ?? '');
  await refused(t, foreign, '404 AGENT_VERSION_NOT_FOUND');
  await refused(t, await pin(miner, randomUUID()), '404 AGENT_VERSION_NOT_FOUND');
  t.is(await invalid(t, await pin(miner, 'x')), 'body.agent_version_id');
  t.is(await invalid(t, await miner.request('PUT', path, { body: {} })), 'body.agent_version_id');
  const validator = await service.validator(randomUUID());
  await refused(t, await pin(validator, low), '401 WRONG_ROLE');
  await refused(t, await service.call('DELETE', path), '401 MISSING_CREDENTIALS');
});

test.serial('without an active suite there is nothing to choose for', async (t) => {
  const { miner, versions } = await minerWith('0.9000');
  await service.sql`update suite set is_active = false where suite_id = ${suiteId}`;
  await refused(t, await pin(miner, versions[0] ?? ''), '503 NO_ACTIVE_SUITE');
  await refused(t, await miner.request('DELETE', path), '503 NO_ACTIVE_SUITE');
  const { racing, versions: shown } = await listed(miner);
  t.is(racing, null);
  t.is(shown.get(versions[0] ?? '')?.pin_disabled_reason, 'superseded_suite');
  await service.sql`update suite set is_active = true where suite_id = ${suiteId}`;
});
