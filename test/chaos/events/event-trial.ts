import { z } from 'zod';
import { currentRace, topAnswer } from '../../../apps/world/days/race-answers.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { publicEventTypes } from '../../../machines/feed/public-event.ts';
import { seededChoice, signalProcess } from '../../support/coordinator-faults.ts';
import { untilQuiet } from '../../support/lifecycle-checks.ts';
import { LifecycleHistory } from '../../support/lifecycle-history.ts';
import { startLoad } from '../../support/lifecycle-load.ts';
import { openSuite, type ServiceWorld, startServiceWorld } from '../../support/service-world.ts';
import { until } from '../../support/until.ts';
import { embargoFlaws, type Feed, hookFlaws, listenerFlaws } from './event-flaws.ts';
import { FeedClient } from './feed-client.ts';
import { type MoodyReceiver, startMoodyReceiver } from './moody-receiver.ts';
import { readEmbargoes, readFeed, type Terms, tellingFlaws } from './public-truth.ts';
import type { HookRecord } from './records.ts';

export interface EventTrialPlan {
  readonly seed: number;
  readonly durationMs: number;
  readonly listeners: number;
  readonly hooks: number;
  readonly validators: number;
  /** Between two faults. */
  readonly faultEveryMs: number;
  /** Between the end of a race and the next one's close. */
  readonly raceEveryMs: number;
  readonly terms: Terms;
  readonly say: (line: string) => void;
}

export interface EventTrialResult {
  readonly flaws: readonly string[];
  /** What came about, so that it can be told whether anything was shown. */
  readonly counts: Readonly<Record<string, number>>;
}

const webhookTimeoutMs = 1_000;
/** That something never comes, also on a crowded machine. */
const patienceMs = 120_000;

/**
 * The public feed and the webhooks of a service in processes of its own, under a load that makes all
 * kinds of events, while its processes are killed and frozen and everybody who listens has a bad line.
 */
export async function tryEvents(plan: EventTrialPlan): Promise<EventTrialResult> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startTrialWorld(plan));
  const dice = (index: number) => seededChoice(plan.seed * 1_000 + index);
  const clients = Array.from({ length: plan.listeners }, (_, index) => {
    const begins = index % 3 === 2 ? 'now' : 'at zero';
    const { baseUrls } = world.service;
    return new FeedClient({ name: `listener ${index}`, baseUrls, choose: dice(index), begins });
  });
  stack.defer(() => {
    for (const client of clients) client.giveUp();
  });
  const listening = clients.map((client) => client.run());
  const hooks = await Promise.all(
    Array.from({ length: plan.hooks }, (_, index) => register(world, dice(500 + index), index)),
  );
  for (const { receiver } of hooks) stack.use(receiver);
  plan.say('the service is up, and somebody listens');

  const story = await makeEvents(world, plan, dice(900));
  plan.say('nothing is under way any more');
  for (const { receiver } of hooks) receiver.calmDown();
  await untilToldToAll(world, story.flaws);
  const feed = await readFeed(world.sql);
  plan.say(`the feed ends at ${feed.length}`);
  for (const client of clients) client.finish(feed.length);
  const flaws = [...story.flaws];
  await within(Promise.all(listening), 'some listeners never came to the end', flaws);
  await untilDelivered(hooks, feed).catch((error: unknown) => flaws.push(String(error)));
  for (const client of clients) client.giveUp();

  const records = clients.map(({ record }) => record);
  flaws.push(
    ...records.flatMap((record) => listenerFlaws(feed, record, feed.length)),
    ...hooks.flatMap(({ record }) => hookFlaws(feed, record, feed.length)),
    ...embargoFlaws(await readEmbargoes(world.sql, plan.terms), [
      ...records.flatMap(({ heard }) => heard),
      ...hooks.flatMap(({ record }) => record.deliveries.map(asHeard)),
    ]),
    ...(await tellingFlaws(world.sql)),
  );
  return { flaws, counts: countsOf({ clients, hooks, feed, story }) };
}

const asHeard = ({ body, atMs }: { readonly body: string; readonly atMs: number }) => ({
  text: body,
  atMs,
});

function startTrialWorld({ terms }: EventTrialPlan): Promise<ServiceWorld> {
  return startServiceWorld({
    edges: 2,
    coordinators: 2,
    env: {
      HEARTBEAT_SECONDS: '1',
      LEASE_SECONDS: '6',
      CLAIM_LEASE_SECONDS: '6',
      MEMBER_LEASE_SECONDS: '3',
      RACE_TASKS: '3',
      REQUIRED_SUCCESSES_RACE: '1',
      QUALIFYING_THRESHOLD: '0.1',
      CODE_RELEASE_SECONDS: String(terms.codeMs / 1_000),
      RACE_EMBARGO_SECONDS: String(terms.embargoMs / 1_000),
      EVENT_STREAMS_PER_ADDRESS: '1000',
      WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
      WEBHOOK_TIMEOUT_SECONDS: String(webhookTimeoutMs / 1_000),
      WEBHOOK_RETRY_MAX_SECONDS: '1',
    },
  });
}

interface Hook {
  readonly receiver: MoodyReceiver;
  readonly record: HookRecord;
}

const registered = z.object({ secret: z.string(), cursor: z.number() });

/** Every third one wants a few kinds alone. */
async function register(
  { operator }: ServiceWorld,
  choose: (below: number) => number,
  index: number,
): Promise<Hook> {
  const receiver = await startMoodyReceiver({
    ...{ choose, timeoutMs: webhookTimeoutMs },
    moodyPerThousand: index % 3 === 1 ? 60 : 20,
  });
  const types = index % 3 === 2 ? publicEventTypes.filter(() => choose(2) === 0) : [];
  const body = { url: receiver.url, ...(types.length > 0 && { event_types: types }) };
  const answer = await operator.send('POST', '/v1/admin/webhooks', body);
  const { secret, cursor } = registered.parse(answer);
  const { deliveries } = receiver;
  return {
    receiver,
    record: {
      ...{ name: `webhook ${index}`, secret, after: cursor, deliveries },
      types: types.length > 0 ? types : null,
    },
  };
}

interface Story {
  kills: number;
  freezes: number;
  racesStarted: number;
  racesCompleted: number;
  readonly flaws: string[];
}

/** Load, races and faults for so long; afterwards nothing is under way any more. */
async function makeEvents(
  world: ServiceWorld,
  plan: EventTrialPlan,
  choose: (below: number) => number,
): Promise<Story> {
  const story: Story = { kills: 0, freezes: 0, racesStarted: 0, racesCompleted: 0, flaws: [] };
  await openSuite(world, { taskCount: 12, qualifyingCount: 3, requiredSuccesses: 1 });
  const history = new LifecycleHistory();
  const load = await startLoad(
    world,
    {
      ...{ validators: plan.validators, miners: 6, seed: plan.seed, requiredSuccesses: 1 },
      ...{ taskMs: 40, silentEvery: 7 },
    },
    history,
  );
  const ending = new AbortController();
  const racing = holdRaces(world, plan, { story, signal: ending.signal });
  const failing = fail(world, plan, { story, choose, signal: ending.signal });
  await systemClock.sleep(plan.durationMs);
  ending.abort();
  await Promise.all([racing, failing]);
  await load.stop();
  await untilQuiet(world.sql, patienceMs).catch(() => story.flaws.push('it never became quiet'));
  return story;
}

interface Course {
  readonly story: Story;
  readonly signal: AbortSignal;
}

/**
 * One after the other until at least one has completed, however short the trial is: some are cancelled
 * while they run, and sometimes the top is discarded.
 */
async function holdRaces(
  world: ServiceWorld,
  { raceEveryMs }: EventTrialPlan,
  { story, signal }: Course,
): Promise<void> {
  let lastError: unknown;
  let late = 0;
  let lateSinceMs: number | undefined;
  const isLate = () =>
    late === lateTriesMax || systemClock.monotonicMs() - (lateSinceMs ?? Infinity) > patienceMs;
  for (let number = 1; !isLate(); number++) {
    if (signal.aborted) {
      late += 1;
      lateSinceMs ??= systemClock.monotonicMs();
    }
    await systemClock.sleep(raceEveryMs, signal.aborted ? undefined : signal);
    if (signal.aborted && story.racesCompleted > 0) return;
    await holdRace(world, number, story).catch((error: unknown) => {
      lastError = error;
    });
  }
  if (story.racesCompleted > 0) return;
  story.flaws.push(`no race completed, also not in ${late} tries without faults: ${lastError}`);
}

/** When the time of the trial is up, no fault is made any more, and no race has completed yet. */
const lateTriesMax = 4;

async function holdRace(world: ServiceWorld, number: number, story: Story): Promise<void> {
  const { operator, sql } = world;
  const reason = { reason: 'trial' };
  const current = async () =>
    currentRace.parse(await operator.get('/v1/public/races/current')).race;
  await untilSomebodyMayRace(sql);
  const race = await current();
  if (race === null) throw new Error('there is no race');
  const path = `/v1/admin/races/${race.race_id}`;
  try {
    await operator.send('POST', `${path}/close-qualifying`, reason);
    await operator.send('POST', `${path}/start`, reason);
    story.racesStarted += 1;
    if (number % 4 === 3) await operator.send('POST', `${path}/cancel`, reason);
    await until(async () => {
      // Each look is work for a service that has enough of it.
      await systemClock.sleep(100);
      // An edge that was killed meanwhile says nothing of the race.
      const now = await current().catch(() => race);
      return now?.race_id !== race.race_id;
    }, patienceMs);
    if (await hasCompleted(sql, race.race_id)) story.racesCompleted += 1;
    if (number % 5 === 4) await discardTop(operator);
  } catch (error) {
    // Nobody entered, or its work does not come to an end among the faults.
    await operator.send('POST', `${path}/cancel`, reason).catch(() => undefined);
    throw error;
  }
}

async function hasCompleted(sql: ServiceWorld['sql'], raceId: string): Promise<boolean> {
  const [row] = await sql<{ status: string }[]>`
    select status from race where race_id = ${raceId}`;
  return row?.status === 'RACE_COMPLETE';
}

async function untilSomebodyMayRace(sql: ServiceWorld['sql']): Promise<void> {
  await until(async () => {
    await systemClock.sleep(100);
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from agent_version
      where state = 'ELIGIBLE' and eliminated_at is null and qualifying_score >= 0.1`;
    return (row?.count ?? 0) > 1;
  }, patienceMs);
}

async function discardTop(operator: ServiceWorld['operator']): Promise<void> {
  const { top_agent_version_id: id } = topAnswer.parse(await operator.get('/v1/public/top'));
  if (id === null) return;
  await operator.send('POST', `/v1/admin/agent-versions/${id}/discard`, { reason: 'trial' });
}

/** Kills and freezes processes of both kinds, in turn, so that a short trial has all of them. */
async function fail(
  { service }: ServiceWorld,
  { faultEveryMs, say }: EventTrialPlan,
  { story, signal, choose }: Course & { readonly choose: (below: number) => number },
): Promise<void> {
  const thawing: Promise<void>[] = [];
  for (let turn = 0; !signal.aborted; turn++) {
    await systemClock.sleep(faultEveryMs, signal);
    if (signal.aborted) break;
    const kind = turn % 2 === 0 ? service.coordinators : service.edges;
    const victim = kind[choose(kind.length)];
    if (victim === undefined) continue;
    if (turn % 6 < 4) {
      if (signalProcess(victim, 'SIGKILL')) story.kills += 1;
      say(`killed ${victim.name}`);
      continue;
    }
    const { pid } = victim;
    if (!signalProcess(victim, 'SIGSTOP')) continue;
    story.freezes += 1;
    // Also for longer than its lease as a member, and than that of the webhooks that it tells.
    const ms = 500 + choose(6_000);
    say(`froze ${victim.name} for ${ms} ms`);
    thawing.push(
      systemClock.sleep(ms).then(() => void signalProcess({ ...victim, pid }, 'SIGCONT')),
    );
  }
  await Promise.all(thawing);
}

/** Nothing is left that time alone will tell. */
async function untilToldToAll({ sql }: ServiceWorld, flaws: string[]): Promise<void> {
  await until(async () => {
    const [row] = await sql<{ untold: number }[]>`
      select count(*)::int as untold from public_release where told_at is null`;
    return row?.untold === 0;
  }, patienceMs).catch(() => flaws.push('some releases were never told'));
}

async function untilDelivered(hooks: readonly Hook[], feed: Feed): Promise<void> {
  const last = ({ types, after }: HookRecord) =>
    feed.slice(after).findLast((text) => types?.some((type) => text.includes(`"${type}"`)) ?? true);
  const isDone = ({ record }: Hook) => {
    const wanted = last(record);
    return (
      wanted === undefined ||
      record.deliveries.some(({ body, outcome }) => body === wanted && outcome === 'taken')
    );
  };
  await until(() => hooks.every(isDone), patienceMs);
}

async function within(done: Promise<unknown>, flaw: string, flaws: string[]): Promise<void> {
  const giveUp = new AbortController();
  const late = systemClock.sleep(patienceMs, giveUp.signal).then(() => flaw);
  const first = await Promise.race([done.then(() => undefined), late]);
  giveUp.abort();
  if (first !== undefined) flaws.push(first);
}

function countsOf({
  clients,
  hooks,
  feed,
  story,
}: {
  readonly clients: readonly FeedClient[];
  readonly hooks: readonly Hook[];
  readonly feed: Feed;
  readonly story: Story;
}): Record<string, number> {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const ofClients = (what: keyof FeedClient['counts']) =>
    sum(clients.map(({ counts }) => counts[what]));
  const counts: Record<string, number> = {
    events: feed.length,
    'processes killed': story.kills,
    'processes frozen': story.freezes,
    'races started': story.racesStarted,
    'races completed': story.racesCompleted,
    streams: ofClients('streams'),
    'streams cut within their bytes': ofClients('cuts'),
    'streams frozen': ofClients('freezes'),
    'taken up at another edge': ofClients('moves'),
    'streams that nobody answered': ofClients('unanswered'),
    deliveries: sum(hooks.map(({ record }) => record.deliveries.length)),
    'deliveries repeated': sum(
      hooks.map(
        ({ record: { deliveries } }) =>
          deliveries.length - new Set(deliveries.map(({ id }) => id)).size,
      ),
    ),
  };
  for (const type of publicEventTypes) {
    counts[`told: ${type}`] = feed.filter((text) => text.includes(`"type":"${type}"`)).length;
  }
  for (const { receiver } of hooks) {
    for (const [mood, count] of receiver.moods) {
      counts[`receiver: ${mood}`] = (counts[`receiver: ${mood}`] ?? 0) + count;
    }
  }
  return counts;
}
