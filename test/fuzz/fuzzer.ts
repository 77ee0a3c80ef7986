import type { Sql } from '../../infra/ports/sql.ts';
import { DescribedApi, type SeenAnswer } from './described-api.ts';
import { Dice } from './dice.ts';
import { differenceOf, fingerprint, untilStill } from './fingerprint.ts';
import { People, somePacks, type Target } from './people.ts';
import { type MadeRequest, RequestMaker } from './request-maker.ts';
import { KnownValues, Values } from './values.ts';

export interface FuzzPlan extends Target {
  readonly seed: number;
  readonly count: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** As superuser. */
  readonly sql: Sql;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzReport {
  readonly sent: number;
  readonly byStatus: ReadonlyMap<number, number>;
  /** Operations that answered below 300 at least once. */
  readonly accepted: ReadonlySet<string>;
  /** Those that refused every request. */
  readonly neverAccepted: readonly string[];
  /** How many refused requests were sent again to see that they change nothing. */
  readonly repeated: number;
  readonly problems: readonly string[];
}

/** Requests between two rounds of putting the world right. */
const roundSize = 2_000;
/** Refused requests that are sent between two looks at the whole database. */
const windowSize = 200;
const problemsMax = 50;
const answerMs = 40_000;
const stillMs = 60_000;
const shownMax = 300;

/** Ends the fleet of coordinators, which is what it is for. */
const leftOut = ['/v1/admin/actors/{id}/drain', '/v1/admin/clock/advance'];
const rare = ['/v1/admin/suites/{suite_id}/activate', '/v1/auth/logout', '/v1/admin/packs'];

/** Sends requests at random, right and wrong ones, and holds each answer against the description. */
export async function fuzz(plan: FuzzPlan): Promise<FuzzReport> {
  const run = new FuzzRun(plan, await describedBy(plan));
  return await run.toEnd(await somePacks());
}

async function describedBy({ baseUrls }: Target): Promise<DescribedApi> {
  return new DescribedApi(await (await fetch(`${baseUrls[0]}/openapi.json`)).json());
}

class FuzzRun {
  readonly #plan: FuzzPlan;
  readonly #api: DescribedApi;
  readonly #dice: Dice;
  readonly #known = new KnownValues();
  readonly #people: People;
  readonly #byStatus = new Map<number, number>();
  readonly #accepted = new Set<string>();
  readonly #problems: string[] = [];
  /** One of each kind is enough to read. */
  readonly #kinds = new Set<string>();
  #refused: MadeRequest[] = [];
  #repeated = 0;
  #turn = 0;

  constructor(plan: FuzzPlan, api: DescribedApi) {
    this.#plan = plan;
    this.#api = api;
    this.#dice = new Dice(plan.seed);
    this.#people = new People(plan, this.#dice, this.#known);
  }

  async toEnd(packs: readonly Uint8Array[]): Promise<FuzzReport> {
    const { count } = this.#plan;
    const maker = new RequestMaker({
      api: this.#api,
      dice: this.#dice,
      values: new Values(this.#api, this.#dice, { known: this.#known }),
      weightOf: ({ path }) => (leftOut.includes(path) ? 0 : rare.includes(path) ? 1 : 8),
      credentialsFor: (operation, isWrong) => this.#people.credentialsFor(operation, isWrong),
      packs,
    });
    let sent = 0;
    while (sent < count && this.#problems.length < problemsMax) {
      await this.#people.tend();
      const round = Math.min(roundSize, count - sent);
      await this.#sendAll(Array.from({ length: round }, () => maker.next()));
      sent += round;
      await this.#repeatRefused();
      this.#plan.onProgress?.(sent);
    }
    return {
      sent,
      byStatus: this.#byStatus,
      accepted: this.#accepted,
      neverAccepted: this.#api.operations
        .map(({ id }) => id)
        .filter((id) => !this.#accepted.has(id)),
      repeated: this.#repeated,
      problems: this.#problems,
    };
  }

  async #sendAll(requests: readonly MadeRequest[]): Promise<void> {
    const queue = requests.values();
    const worker = async () => {
      for (const request of queue) await this.#judge(request);
    };
    await Promise.all(Array.from({ length: this.#plan.concurrency }, worker));
  }

  async #judge(request: MadeRequest): Promise<void> {
    const answer = await this.#send(request);
    if (answer === undefined) return;
    const { status } = answer;
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    const objection =
      status === 500 ? 'is a defect' : this.#api.objection(request.operation, answer);
    if (objection !== undefined) this.#report(request, answer, objection);
    if (status < 300) {
      this.#accepted.add(request.operation.id);
      if (answer.contentType.startsWith('application/json') && answer.text !== '') {
        this.#known.harvest(JSON.parse(answer.text));
      }
    } else if (status < 500 && request.method !== 'GET' && this.#refused.length < windowSize) {
      this.#refused.push(request);
    }
  }

  /** All that is still refused comes once more while nothing else happens: no row may change. */
  async #repeatRefused(): Promise<void> {
    const requests = await this.#stillRefused(this.#refused);
    this.#refused = [];
    this.#repeated += requests.length;
    await untilStill(this.#plan.sql, stillMs);
    for (const { request, table } of await this.#changers(requests)) {
      this.#report(request, undefined, `was refused and changed ${table}`);
    }
  }

  /** Those of the refused requests that change a row; found by halves. */
  async #changers(
    requests: readonly MadeRequest[],
  ): Promise<readonly { readonly request: MadeRequest; readonly table: string }[]> {
    const { sql } = this.#plan;
    const before = await fingerprint(sql);
    const refused = await this.#stillRefused(requests);
    await untilStill(sql, stillMs);
    const table = differenceOf(before, await fingerprint(sql));
    const [request] = requests;
    // One that is accepted now may change what it likes.
    if (table === undefined || request === undefined) return [];
    if (requests.length === 1) return refused.length === 1 ? [{ request, table }] : [];
    const half = Math.ceil(refused.length / 2);
    return [
      ...(await this.#changers(refused.slice(0, half))),
      ...(await this.#changers(refused.slice(half))),
    ];
  }

  async #stillRefused(requests: readonly MadeRequest[]): Promise<readonly MadeRequest[]> {
    const refused: MadeRequest[] = [];
    for (const request of requests) {
      const answer = await this.#send(request);
      if (answer !== undefined && answer.status >= 400) refused.push(request);
    }
    return refused;
  }

  async #send(request: MadeRequest): Promise<SeenAnswer | undefined> {
    const { baseUrls } = this.#plan;
    const base = baseUrls[this.#turn++ % baseUrls.length];
    const { method, headers, body } = request;
    try {
      const init: RequestInit = { method, headers: sendable(headers), redirect: 'manual' };
      if (body !== undefined) init.body = body;
      init.signal = AbortSignal.timeout(answerMs);
      const answer = await fetch(`${base}${request.target}`, init);
      const contentType = answer.headers.get('content-type') ?? '';
      const isEndless = contentType.startsWith('text/event-stream');
      const text = isEndless ? 'events' : await answer.text();
      if (isEndless) await answer.body?.cancel();
      return { status: answer.status, contentType, text };
    } catch (error) {
      this.#report(request, undefined, `was not answered: ${String(error)}`);
      return undefined;
    }
  }

  #report(request: MadeRequest, answer: SeenAnswer | undefined, why: string): void {
    const { method, operation, target, body } = request;
    const kind = `${operation.id} ${answer?.status} ${why}`;
    if (this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    const sent = typeof body === 'string' ? body.slice(0, shownMax) : typeof body;
    const got = answer && `${answer.status} ${answer.text.slice(0, shownMax)}`;
    this.#problems.push(
      `${method} ${target.slice(0, shownMax)}\n    sent ${sent}\n    got ${got}\n    ${why}`,
    );
  }
}

/** Node's client refuses to send what no header may hold. */
function sendable(headers: Readonly<Record<string, string>>): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      all.set(name, value);
    } catch {
      all.set(name, 'x');
    }
  }
  return all;
}
