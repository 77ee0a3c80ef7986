/**
 * The load generator, as a process of its own: its work must not be counted as the edge's. Told what
 * to do by messages of the process that started it, and ends with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { HeldRuns, type Operation } from './held-runs.ts';
import { HttpConnection } from './http-connection.ts';
import { percentile } from './percentile.ts';
import type { GeneratorPlan, Stage, StageResult } from './stage.ts';
import { type CrowdMember, credentials, gatherCrowd } from './validator-crowd.ts';

process.on('disconnect', () => process.exit(0));

const [planText = ''] = process.argv.slice(2);
const plan: GeneratorPlan = JSON.parse(planText);
const members = await gatherCrowd(plan);
const runs = new HeldRuns(plan);
process.on('message', (stage: Stage) => {
  perform(stage).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ ready: true });

interface Prepared {
  readonly operation: Operation;
  readonly head: string;
  readonly isHostile?: boolean;
}

/** Tallies of one stage while it runs. */
class Tally {
  readonly latenciesMs: number[] = [];
  readonly errors: Record<string, number> = {};
  items = 0;
  hostile = 0;

  async take(
    { operation, head, isHostile }: Prepared,
    connection: HttpConnection,
    sinceMs: number,
  ) {
    const { path, body } = operation;
    try {
      const answer = await connection.send('POST', path, { head, body });
      const tookMs = performance.now() - sinceMs;
      if (isHostile === true) {
        this.hostile += 1;
        // An overloaded service may shed it unread; else its forgery has to be seen.
        if (answer.status === 503) this.#fail(`503 ${codeOf(answer.body)}`);
        else if (answer.status !== 401) this.#fail(`a forgery or replay: ${answer.status}`);
        return;
      }
      if (answer.status !== 200) return this.#fail(`${answer.status} ${codeOf(answer.body)}`);
      this.latenciesMs.push(tookMs);
      this.items += operation.accept(answer);
    } catch (error) {
      this.#fail(String(error));
    }
  }

  #fail(what: string): void {
    this.errors[what] = (this.errors[what] ?? 0) + 1;
  }
}

async function perform(stage: Stage): Promise<StageResult> {
  const prepared = prepare(stage);
  const connections = Array.from(
    { length: stage.connections },
    (_, index) => new HttpConnection(plan.baseUrls[index % plan.baseUrls.length] ?? ''),
  );
  const tally = new Tally();
  const startedMs = performance.now();
  const loop = stage.rate === undefined ? closedLoop : openLoop;
  const lateP99Ms = await loop(stage, { prepared, connections, tally });
  const seconds = (performance.now() - startedMs) / 1000;
  for (const connection of connections) connection.close();
  const { errors, items, hostile } = tally;
  const latenciesMs = Float64Array.from(tally.latenciesMs);
  return {
    seconds,
    latenciesMs,
    errors,
    items,
    hostile,
    ...(lateP99Ms !== undefined && { lateP99Ms }),
  };
}

/** Signing costs as much as checking a signature does, so it is done before the clock runs. */
function prepare(stage: Stage): Prepared[] {
  const { name, auth, operationsMax, seconds, rate } = stage;
  let operations = runs.operations(name);
  if (seconds !== undefined && auth === 'signed' && mayRepeat(stage)) {
    // Chance may want more than its mean: ten standard deviations are enough for ever.
    const due = rate === undefined ? signedMax : seconds * rate + 10 * Math.sqrt(seconds * rate);
    operations = repeated(operations, Math.min(signedMax, Math.ceil(due)));
  }
  if (operationsMax !== undefined) operations = operations.slice(0, operationsMax);
  const prepared = operations.map((operation) => {
    const member: CrowdMember | undefined = members[operation.validator];
    if (member === undefined) throw new Error(`no validator ${operation.validator}`);
    return { operation, head: credentials(member, auth) };
  });
  return stage.hostileShare === undefined ? prepared : withHostile(stage, prepared);
}

/** Signatures of one stage: seconds of signing, and fewer than the nonces may be old. */
const signedMax = 12_000;

/** A heartbeat may come again and again; everything else is there once. */
function mayRepeat({ name }: Stage): boolean {
  return name === 'heartbeats';
}

/**
 * In turns a forgery, and a request that was surely answered before it comes again. Both ask for what
 * an honest request asks for.
 */
function withHostile({ hostileShare = 0, connections }: Stage, honest: Prepared[]): Prepared[] {
  const every = Math.max(1, Math.round(1 / hostileShare / 2));
  return honest.flatMap((one, index) => {
    if (index % every !== every - 1) return [one];
    const earlier = honest[index - 4 * connections];
    const isReplay = earlier !== undefined && Math.floor(index / every) % 2 === 0;
    const hostile = isReplay ? earlier : { ...one, head: forged(one.head) };
    // The forgery goes first: what it is a forgery of would make it a replay.
    return isReplay
      ? [one, { ...hostile, isHostile: true }]
      : [{ ...hostile, isHostile: true }, one];
  });
}

/** One digit of the signature is another one. */
function forged(head: string): string {
  return head.replace(/(x-signature: (?:0x)?.{20})(.)/, (_, before: string, digit: string) => {
    return `${before}${digit === '0' ? '1' : '0'}`;
  });
}

function repeated<T>(all: readonly T[], count: number): T[] {
  if (all.length === 0) return [];
  return Array.from({ length: count }, (_, index) => all[index % all.length] as T);
}

interface Loop {
  readonly prepared: readonly Prepared[];
  readonly connections: readonly HttpConnection[];
  readonly tally: Tally;
}

/** Every connection asks again as soon as it was answered. */
async function closedLoop(
  stage: Stage,
  { prepared, connections, tally }: Loop,
): Promise<undefined> {
  const { seconds, auth } = stage;
  const endMs =
    seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1e3;
  // What a session proves it proves again and again; a signature only once.
  const isEndless = seconds !== undefined && auth !== 'signed' && mayRepeat(stage);
  let next = 0;
  const lane = async (connection: HttpConnection) => {
    while (performance.now() < endMs && (isEndless || next < prepared.length)) {
      const one = prepared[next++ % prepared.length];
      if (one === undefined) return;
      await tally.take(one, connection, performance.now());
    }
  };
  await Promise.all(connections.map(lane));
  return undefined;
}

/**
 * Sent when due, however the service fares; who finds no free connection waits, and that counts.
 * Answers how late it looked at what was due.
 */
async function openLoop(stage: Stage, { prepared, connections, tally }: Loop): Promise<number> {
  const { seconds = 1, rate = 1 } = stage;
  const free = [...connections];
  const due: { readonly one: Prepared; readonly atMs: number }[] = [];
  const underWay = new Set<Promise<void>>();
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  const latesMs: number[] = [];
  let nextMs = startedMs;
  let next = 0;

  const dispatch = () => {
    while (free.length > 0 && due.length > 0) {
      const [connection, first] = [free.pop(), due.shift()];
      if (connection === undefined || first === undefined) return;
      const sent = tally.take(first.one, connection, first.atMs).finally(() => {
        underWay.delete(sent);
        free.push(connection);
        dispatch();
      });
      underWay.add(sent);
    }
  };
  while (performance.now() < endMs) {
    for (; nextMs <= performance.now(); nextMs += (-Math.log(1 - Math.random()) * 1000) / rate) {
      latesMs.push(performance.now() - nextMs);
      const turn = next++;
      const one = prepared[mayRepeat(stage) ? turn % prepared.length : turn];
      if (one !== undefined) due.push({ one, atMs: nextMs });
    }
    dispatch();
    await sleep(1);
  }
  while (underWay.size > 0) await Promise.all(underWay);
  return percentile(Float64Array.from(latesMs).sort(), 0.99);
}

function codeOf(body: string): string {
  return /"error_code":"([A-Z_]+)"/.exec(body)?.[1] ?? body.slice(0, 80);
}
