import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemEnv } from '../../support/system-env.ts';
import { until } from '../../support/until.ts';
import type { ChaosProcess, ChaosWorld } from '../world/chaos-world.ts';

export interface Answer {
  readonly status: number;
  /** Parsed; a document without fields where there was none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Outcome {
  readonly code: number;
  readonly text: string;
}

/** As an operator asks: the path as the page has it, and what stands in for its braces. */
export interface Order {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Health {
  readonly probes: Readonly<
    Record<string, { readonly status: string; readonly reason?: string } | undefined>
  >;
}

const seenWithinMs = 45_000;
const answeredWithinMs = 12_000;

/**
 * What an operator sees and does. Every name that is looked at here is kept, for the page has to name it
 * too (see main.ts).
 */
export class Panel {
  readonly names = new Set<string>();
  readonly #world: ChaosWorld;
  readonly #token: string;
  /** Lengths of the logs when the drill began: older lines are of other faults. */
  #logsBefore = new Map<string, number>();

  constructor(world: ChaosWorld, token: string) {
    this.#world = world;
    this.#token = token;
  }

  async begin(): Promise<void> {
    this.names.clear();
    for (const { name } of this.#world.processes) {
      this.#logsBefore.set(name, (await this.#log(name)).length);
    }
  }

  /** Over all processes of the service that answer. */
  async metric(name: string, labels = ''): Promise<number> {
    this.names.add(name);
    const pages = await Promise.all(this.#world.processes.map(pageOfMetrics));
    const lines = pages.flatMap((page) => page.split('\n'));
    return sumOf(lines.filter((line) => isSeries(line, name) && line.includes(labels)));
  }

  /** Of one process, which must answer. */
  async metricOf(process: ChaosProcess, name: string): Promise<number> {
    this.names.add(name);
    let page = '';
    await seen(`metrics of ${process.name}`, async () => {
      page = await pageOfMetrics(process);
      return page !== '';
    });
    return sumOf(page.split('\n').filter((line) => isSeries(line, name)));
  }

  async seesMetric(
    name: string,
    isSo: (value: number) => boolean,
    { labels = '', ms = seenWithinMs } = {},
  ): Promise<void> {
    await seen(`${name} ${labels}`, async () => isSo(await this.metric(name, labels)), ms);
  }

  /** A line of any process since the drill began. */
  async seesLog(text: string): Promise<void> {
    this.names.add(text);
    await seen(`the log line “${text}”`, async () => {
      const logs = await Promise.all(this.#world.processes.map(({ name }) => this.#news(name)));
      return logs.some((log) => log.includes(text));
    });
  }

  async seesRed(probe: string, reason = ''): Promise<void> {
    this.names.add('/health/deep').add(`\`${probe}\``);
    if (reason !== '') this.names.add(reason);
    await seen(`probe ${probe} red: ${reason}`, async () => {
      const { status, body } = await this.ask('GET', '/health/deep');
      const found = (body as unknown as Health).probes?.[probe];
      return status === 503 && found?.status === 'failed' && (found.reason ?? '').includes(reason);
    });
  }

  /** Every edge would take a write, and nothing is stuck. */
  async seesAllWell(ms = 90_000): Promise<void> {
    await seen('all well', () => this.#isWell(), ms);
  }

  async seesStuck(kind: string, why: string): Promise<readonly { readonly id: string }[]> {
    this.names.add(`\`${kind}\``).add(why).add('paddock_stuck').add('GET /v1/admin/stuck');
    let found: readonly Stuck[] = [];
    await seen(`stuck ${kind}: ${why}`, async () => {
      const { body } = await this.ask('GET', '/v1/admin/stuck');
      const all = (body['stuck'] ?? []) as readonly Stuck[];
      found = all.filter((each) => each.kind === kind && each.why.includes(why));
      return found.length > 0;
    });
    return found;
  }

  /** Until the request is refused so. */
  async seesRefusal(code: string, ask: () => Promise<{ readonly body: unknown }>): Promise<void> {
    this.names.add(`\`${code}\``);
    let last: unknown;
    await seen(`a refusal ${code}`, async () => {
      const answer = await ask().catch((error: unknown) => ({ body: { error: String(error) } }));
      last = answer.body;
      return (answer.body as { error_code?: string } | null)?.error_code === code;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; the last answer was ${JSON.stringify(last)}`);
    });
  }

  /** `METHOD /path/{with}/{params}` as the page has it; answered 2xx, or it throws. */
  async order(route: string, { params = {}, body }: Order = {}): Promise<Answer['body']> {
    this.names.add(route);
    const [method = '', template = ''] = route.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '');
    const answer = await this.ask(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${route} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  /** Once, of the first edge that answers at all. */
  async ask(method: string, path: string, json?: unknown): Promise<Answer> {
    for (const url of this.#world.baseUrls) {
      const answer = await this.askOf(url, { method, path, json }).catch(() => undefined);
      if (answer !== undefined) return answer;
    }
    return { status: 0, body: {} };
  }

  async askOf(
    url: string,
    { method, path, json }: { method: string; path: string; json?: unknown },
  ): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(answeredWithinMs),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  }

  /** `npm run NAME -- …` as the page has it, without npm; `command` is what the page names. */
  async runs(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.names.add(command);
    const [, name = ''] = /^npm run (\w+)/.exec(command) ?? [];
    const script = fileURLToPath(new URL(`../../../apps/${name}/main.ts`, import.meta.url));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const options = { env: { ...systemEnv(), ...env }, maxBuffer: 2 ** 24 };
    const child = execFile(process.execPath, [script, ...args], options, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, text: out + err }),
    );
    return await promise;
  }

  async #isWell(): Promise<boolean> {
    for (const url of this.#world.baseUrls) {
      const health = await this.askOf(url, { method: 'GET', path: '/health/deep' }).catch(nobody);
      if (health.status !== 200) return false;
    }
    const { body } = await this.ask('GET', '/v1/admin/stuck');
    return body['total'] === 0;
  }

  async #news(name: string): Promise<string> {
    return (await this.#log(name)).slice(this.#logsBefore.get(name) ?? 0);
  }

  async #log(name: string): Promise<string> {
    return await readFile(join(this.#world.dataDir, 'logs', `${name}.log`), 'utf8');
  }
}

interface Stuck {
  readonly kind: string;
  readonly id: string;
  readonly why: string;
}

const nobody = (): Answer => ({ status: 0, body: {} });

async function pageOfMetrics({ metricsPort }: ChaosProcess): Promise<string> {
  const signal = AbortSignal.timeout(800);
  return await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal }).then(
    (answer) => answer.text(),
    () => '',
  );
}

function isSeries(line: string, name: string): boolean {
  return line.startsWith(`${name}{`) || line.startsWith(`${name} `);
}

function sumOf(lines: readonly string[]): number {
  const valueIn = (line: string) => Number(line.slice(line.lastIndexOf('}') + 1).split(' ')[1]);
  return lines.reduce((sum, line) => sum + valueIn(line), 0);
}

async function seen(what: string, probe: () => Promise<boolean>, ms = seenWithinMs): Promise<void> {
  await until(() => probe().catch(() => false), ms).catch(() => {
    throw new Error(`not seen within ${ms / 1000} s: ${what}`);
  });
}
