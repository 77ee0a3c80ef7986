import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { runPages } from '../../actors/services/bundles/store.ts';
import { orderedRun } from '../spec/answers/operator.ts';
import { rejudging } from '../spec/answers/rejudgings.ts';
import { claim, claimPath, runPath } from '../support/evaluation-client.ts';
import { tellsOneStory } from '../support/one-story.ts';
import { paddockLines } from '../support/paddock-line.ts';
import {
  judgeRun,
  openRejudgedRace,
  playRejudgedRace,
  type RejudgedRace,
  raceNow,
  rewardsOf,
} from '../support/rejudged-race.ts';
import { invalid, refused, shaped } from './routes/answers.ts';

// A race whose runs are judged again once it is over, through the service as it is.

let desk: RejudgedRace;
test.before(async () => {
  desk = await openRejudgedRace();
});
test.after.always(() => desk?.service.stop());

const create = (body: object) => desk.service.operator('POST', '/v1/admin/rejudgings', { body });
const ofRace = { phase: 'RACE' };

test.serial('runs of a race are judged again once it is over, and it stands', async (t) => {
  const { service, judges, first, second, raceId } = desk;
  const rewards = rewardsOf(desk);
  t.is(await invalid(t, await create(ofRace)), 'body');
  await playRejudgedRace(desk, async () => {
    const refusal = await refused(t, await create(ofRace), '409 RACE_LOCKED');
    t.true(refusal.detail.includes(raceId));
  });
  const ended = await raceNow(desk);
  const ofFirstJudge = { ...ofRace, validator_hotkey: judges[0].hotkey, reason: 'a wrong clock' };
  const made = await shaped(t, rejudging, await create(ofFirstJudge));
  const path = `/v1/admin/rejudgings/${made.rejudging_id}`;
  t.like(made, { status: 'OPEN', runs: { selected: 2 } });
  const scoreOf = (id: string) =>
    made.items.find((item) => item.agent_version_id === id)?.validator_score;
  t.deepEqual([scoreOf(first), scoreOf(second)], [0.8, 0.6]);
  t.true(made.items.every((item) => item.race_id === raceId));
  t.is((await judges[0].post(claimPath)).status, 204);
  t.is((await judges[1].post(claimPath)).status, 204);

  for (const _ of [first, second]) {
    const judged = await judgeRun(desk, judges[2], rewards('0.2', '0.9'));
    t.is(judged.packStatus, 200);
    t.deepEqual(judged.counts, { '201': 2 });
    t.is(judged.completed.final_score, null);
  }
  const after = await judges[2].post(`/v1/validator/race/${raceId}/pack`);
  await refused(t, after, '403 NO_ACTIVE_WORK');

  const ready = await shaped(t, rejudging, await service.operator('GET', path));
  t.like(ready, { status: 'READY', runs: { evaluated: 2 } });
  const [difference] = ready.difference.races;
  t.like(difference, {
    race_id: raceId,
    is_frozen: true,
    winner_agent_version_id: { before: first, after: second },
    top_agent_version_id: { before: first, after: second },
  });
  // (0.8 + 0.6) / 2 becomes (0.2 + 0.6) / 2, and (0.6 + 0.6) / 2 becomes (0.9 + 0.6) / 2.
  const entrant = (id: string) => difference?.entrants.find((each) => each.agent_version_id === id);
  t.like(entrant(first), {
    is_judged: true,
    race_score: { before: 0.7, after: 0.4 },
    race_rank: { before: 1, after: 2 },
    is_eliminated: { before: false, after: true },
  });
  t.like(entrant(second), {
    race_score: { before: 0.6, after: 0.75 },
    race_rank: { before: 2, after: 1 },
    is_eliminated: { before: true, after: false },
  });
  const stored = await service.sql<{ id: string | null; units: string }[]>`
    select agent_version_id as id, units::text as units from race_emission
    where race_id = ${raceId} order by position`;
  const [burn, top] = stored;
  t.deepEqual(stored.map(({ id }) => id) as unknown, [null, first]);
  // A quarter burns, the rest is the top's; 100 TAO a day at 2.5 USD.
  t.is(difference?.burn.before.units, burn?.units);
  t.is(difference?.burn.after.units, burn?.units);
  t.is(entrant(first)?.payout.before.units, top?.units);
  t.is(entrant(second)?.payout.after.units, top?.units);
  const nothing = { units: '0', tao_per_day: 0, usd_per_day: 0 };
  t.deepEqual(entrant(first)?.payout.after, nothing);
  t.deepEqual(entrant(second)?.payout.before, nothing);
  t.true(Math.abs((entrant(second)?.payout.after.tao_per_day ?? 0) - 75) < 0.01);
  t.true(Math.abs((entrant(second)?.payout.after.usd_per_day ?? 0) - 187.5) < 0.01);

  const line = paddockLines({
    variables: {
      PADDOCK_URL: service.baseUrl,
      PADDOCK_OPERATOR_TOKEN: service.operatorToken,
      // Where nobody has signed in.
      PADDOCK_CONFIG_DIR: join(tmpdir(), randomUUID()),
    },
  });
  const shown = await line('operator', 'rejudging', made.rejudging_id);
  t.is(shown.code, 0);
  const rowOf = (id: string) => shown.out.split('\n').find((each) => each.startsWith(id)) ?? '';
  t.regex(
    rowOf(first),
    /0\.7000 → 0\.4000 .*1 → 2 +no → yes +75\.00 % → 0\.00 % +75\.0000 → 0\.0000 +187\.50 → 0\.00$/,
  );
  t.regex(rowOf(second), /0\.6000 → 0\.7500 .*0\.00 % → 75\.00 %/);
  t.regex(rowOf('burned'), / 25\.00 % +25\.0000 +62\.50$/);
  t.true(shown.out.includes(`winner ${first} → ${second}, top ${first} → ${second}`));
  t.true(shown.out.includes(`Next: "paddock operator apply-rejudging ${made.rejudging_id}"`));

  const applied = await shaped(t, rejudging, await service.operator('POST', `${path}/apply`));
  t.like(applied, { status: 'APPLIED', runs: { applied: 0 } });
  t.true(applied.items.every((item) => item.status === 'DROPPED' && item.reason === 'RACE_OVER'));
  t.deepEqual(applied.difference, ready.difference);
  t.deepEqual(await raceNow(desk), ended);
});

test.serial('of a race that is over, only what judges it again is reclaimed', async (t) => {
  const { service, judges } = desk;
  const ended = await raceNow(desk);
  const made = await shaped(
    t,
    rejudging,
    await create({ ...ofRace, validator_hotkey: judges[1].hotkey }),
  );
  const { eval_run_id: judging } = await claim(judges[2]);
  t.is((await judges[2].post(runPath(judging, 'heartbeat'))).status, 200);
  const order = (runId: string, step: string) =>
    service.operator('POST', `/v1/admin/evaluation-runs/${runId}/${step}`, {
      body: { reason: 'it only beats' },
    });
  for (const step of ['exclude', 'include']) {
    await refused(t, await order(judging, step), '409 RACE_OVER');
  }
  const [ofRaceItself] = made.items;
  for (const step of ['exclude', 'include', 'reclaim']) {
    await refused(t, await order(ofRaceItself?.eval_run_id ?? '', step), '409 RACE_OVER');
  }

  t.is((await shaped(t, orderedRun, await order(judging, 'reclaim'))).status, 'STALE');

  const late = await judges[2].post(runPath(judging, 'heartbeat'));
  t.is((await refused(t, late, '409 LEASE_EXPIRED'))['run_status'], 'STALE');
  const again = await claim(judges[2]);
  t.not(again.eval_run_id, judging);
  const path = `/v1/admin/rejudgings/${made.rejudging_id}/cancel`;
  const body = { reason: 'seen enough' };
  await shaped(t, rejudging, await service.operator('POST', path, { body }));
  await refused(t, await order(again.eval_run_id, 'reclaim'), '409 RUN_NOT_LIVE');
  t.deepEqual(await raceNow(desk), ended);
});

test.serial('what is published of the race knows nothing of it', async (t) => {
  const { service, judges, raceId } = desk;
  const told: string[] = [];
  for await (const page of runPages(service.sql, raceId)) {
    told.push(...page.map((run) => run.validator_hotkey));
  }
  t.is(told.length, 4);
  t.false(told.includes(judges[2].hotkey));
  await tellsOneStory(t, service.sql);
});
