import { gzipSync } from 'node:zlib';
import { type Call, caller, TestKey } from '../support/edge-client.ts';
import { packBytes, trialTasks } from '../support/trial-suite.ts';
import type { Operation } from './described-api.ts';
import type { Dice } from './dice.ts';
import type { KnownValues } from './values.ts';

export interface Target {
  readonly baseUrls: readonly string[];
  readonly operatorToken: string;
}

/**
 * Who asks: miners and validators with open sessions, and an operator. Requests made at random ban
 * them, end their sessions and close their suite; `tend` puts that right again, so that later ones
 * still find something.
 */
export class People {
  readonly #target: Target;
  readonly #dice: Dice;
  readonly #known: KnownValues;
  readonly #call: Call;
  readonly #miners: readonly TestKey[];
  readonly #validators: readonly TestKey[];
  readonly #sessions = new Map<string, string>();
  #rounds = 0;

  constructor(target: Target, dice: Dice, known: KnownValues) {
    this.#target = target;
    this.#dice = dice;
    this.#known = known;
    this.#call = caller(target.baseUrls[0] ?? '');
    const keys = (role: string, count: number) =>
      Array.from({ length: count }, (_, index) => new TestKey(`fuzz-${role}-${index}`, this.#call));
    this.#miners = keys('miner', 6);
    this.#validators = keys('validator', 6);
  }

  credentialsFor(operation: Operation, isWrong: boolean): Record<string, string> {
    const { security } = operation;
    if (security.length === 0) return {};
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    if (isWrong) {
      const wrong = [undefined, 'x', `ses_${this.#dice.hex(64)}`];
      const token = this.#dice.pick(wrong);
      return token === undefined ? {} : bearer(token);
    }
    if (security.includes('operator')) return bearer(this.#target.operatorToken);
    if (security.includes('run'))
      return bearer(String(this.#dice.pick(this.#known.named('inference_access_token')) ?? 'x'));
    const isValidators = operation.path.startsWith('/v1/validator/');
    const keys = isValidators ? this.#validators : this.#miners;
    // The first of them holds what is alive, so that some requests come from its owner.
    const key = this.#dice.chance(0.5) ? keys[0] : this.#dice.pick(keys);
    if (key === undefined) return {};
    const session = this.#sessions.get(key.hotkey);
    return session === undefined || this.#dice.chance(0.05) ? key.headers() : bearer(session);
  }

  async operator(method: string, path: string, body?: unknown): Promise<Response> {
    const isBytes = body instanceof Uint8Array;
    return await this.#call(method, path, {
      body,
      headers: {
        authorization: `Bearer ${this.#target.operatorToken}`,
        ...(isBytes && { 'content-type': 'application/gzip' }),
      },
    });
  }

  /** Registered, not banned, signed in, with an active suite, work on the way and results. */
  async tend(): Promise<void> {
    this.#rounds += 1;
    for (const [role, keys] of [
      ['miner', this.#miners],
      ['validator', this.#validators],
    ] as const) {
      for (const key of keys) {
        await this.operator('DELETE', `/v1/admin/hotkeys/${key.hotkey}/ban`);
        const path = `/v1/admin/chain/registrations/${key.hotkey}`;
        await this.operator('PUT', path, { role, stake: 1000 });
        this.#known.note('hotkey', key.hotkey);
        const answer = await key.exchange(await key.challenge());
        if (answer.ok)
          this.#sessions.set(
            key.hotkey,
            ((await answer.json()) as { session_token: string }).session_token,
          );
      }
    }
    await this.#openSuite();
    for (const key of this.#miners) await this.#submit(key);
    for (const key of this.#validators.toReversed()) await this.#evaluate(key);
    await this.#learnWords();
    for (const path of readPaths) await this.#learn(await this.operator('GET', path));
  }

  async #openSuite(): Promise<void> {
    const tasks = trialTasks(4);
    const pack = await this.#learn(
      await this.operator('POST', '/v1/admin/packs', await packBytes(tasks)),
    );
    const isLegacy = this.#rounds % 4 === 0;
    const suite = await this.#learn(
      await this.operator('POST', '/v1/admin/suites', {
        benchmark_name: 'Fuzz',
        benchmark_number: this.#rounds,
        required_successes_qualifying: 1,
        ...(isLegacy
          ? { execution_kind: 'legacy_benchmark', problems: [{ metadata: { title: 'one' } }] }
          : { execution_kind: 'envpack', env_pack_sha256: field(pack, 'pack_sha256') }),
      }),
    );
    await this.operator('POST', `/v1/admin/suites/${field(suite, 'suite_id')}/activate`);
  }

  async #submit(key: TestKey): Promise<void> {
    const form = new FormData();
    form.append('agent_name', 'shopper');
    const code = 'def agent(task):\n    return {"order": task["goal_text"]}\n';
    form.append('file', new Blob([code]), 'agent.py');
    const credential = { credential: `demo-${key.hotkey}` };
    await this.#learn(await key.post('/v1/miner/inference-auth/providera', credential));
    await this.#learn(await key.request('POST', '/v1/miner/submit', { body: form }));
  }

  /** Some runs are completed, some left alive for requests at random. */
  async #evaluate(key: TestKey): Promise<void> {
    const claim = await this.#learn(await key.post('/v1/validator/work/claim'));
    const run = String(field(claim, 'eval_run_id') ?? '');
    if (run === '') return;
    this.#learnToken(claim);
    const path = `/v1/validator/evaluation-runs/${run}`;
    const problems = await this.#learn(await key.get(`${path}/problems`));
    await key.post(`${path}/heartbeat`, {});
    if (key === this.#validators[0] || this.#dice.chance(0.5)) return;
    const results = tasksOf(problems).map(({ task_id, family }) => ({
      ...{ eval_run_id: run, task_id, family, env_pack_sha256: field(claim, 'env_pack_sha256') },
      ...{ outcome: 'completed', verdict_correct: true, verdict_checks: {}, reward_components: {} },
      ...{ aggregate_reward: '0.8', wall_seconds: 1, terminal_state_hash: 'a'.repeat(64) },
      ...{ ledger_uri: null, step_count: 1 },
    }));
    await this.#learn(await key.post('/v1/validator/episode-results', { results }));
    const body = { terminal_status: 'SUCCESS', validator_score: 0.8 };
    await this.#learn(await key.post(`${path}/complete`, body));
    await this.#learn(await this.#call('GET', `/v1/public/evaluation-runs/${run}`));
  }

  /** What the stand-ins of the providers take, and what a receiver's address looks like. */
  async #learnWords(): Promise<void> {
    for (const name of ['credential', 'refresh_token']) this.#known.note(name, 'demo-anybody');
    this.#known.note('url', 'http://127.0.0.1:9/told');
    const listed = await this.#learn(await this.#call('GET', '/v1/public/inference/models'));
    const models = field(listed, 'models');
    for (const model of Array.isArray(models) ? models : []) this.#known.note('model', model);
  }

  /** By a name of its own: sessions are not what agents speak with. */
  #learnToken(claim: unknown): void {
    const token = field(field(claim, 'inference_token'), 'access_token');
    if (typeof token === 'string') this.#known.note('inference_access_token', token);
  }

  async #learn(answer: Response): Promise<unknown> {
    const text = await answer.text();
    if (!answer.ok || text === '') return undefined;
    const body: unknown = JSON.parse(text);
    this.#known.harvest(body);
    return body;
  }
}

const readPaths = [
  ...['/v1/public/suites', '/v1/public/evaluations/pending', '/v1/public/evaluations/running'],
  ...['/v1/public/races/current', '/v1/public/races/history', '/v1/public/leaderboard'],
];

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** What an operator might take for a pack. */
export async function somePacks(): Promise<readonly Uint8Array[]> {
  return [await packBytes(trialTasks(2)), gzipSync('no archive'), new Uint8Array()];
}

interface Task {
  readonly task_id: unknown;
  readonly family: unknown;
}

/** Of a run with a pack; others have none. */
function tasksOf(problems: unknown): readonly Task[] {
  const listed = field(problems, 'problems');
  if (!Array.isArray(listed)) return [];
  const tasks = listed.map((problem: unknown) => field(problem, 'metadata'));
  return tasks.filter((task): task is Task => field(task, 'task_id') !== undefined);
}
