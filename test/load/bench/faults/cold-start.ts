import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { alternate } from '../alternate.ts';
import type { FaultWorld } from './fault-world.ts';

/** Milliseconds from the start of a process to its first answer, round by round. */
export interface ColdStarts {
  readonly bare: number;
  readonly edge: number;
  readonly coordinator: number;
}

const apps = new URL('../../../../apps/', import.meta.url);
const register = new URL('../../../../infra/otel/register.ts', import.meta.url);
const bareServer = `const server = require('node:http')
  .createServer((_, response) => response.end('ok'))
  .listen(0, '127.0.0.1', () => process.send({ ready: true, port: server.address().port }));`;

/** Beside the running ones, whose environment they get; each is stopped before the next one starts. */
export async function measureColdStarts(
  { service: { coordinators, edges } }: FaultWorld,
  rounds: number,
): Promise<readonly ColdStarts[]> {
  const sides = {
    bare: () => untilAnswered(bare),
    edge: () => untilAnswered(like('edge', edges[0]?.pid)),
    coordinator: () => untilAnswered(like('coordinator', coordinators[0]?.pid)),
  };
  // Once for nothing: files come into the cache of the system.
  await alternate(1, sides);
  return await alternate(rounds, sides);
}

type Start = () => Promise<() => ChildProcess>;

const bare: Start = async () => () =>
  spawn(process.execPath, ['-e', bareServer], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });

function like(kind: 'coordinator' | 'edge', pid: number | undefined): Start {
  return async () => {
    const text = await readFile(`/proc/${pid}/environ`, 'utf8');
    const variables = text.split('\0').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    });
    const own = { PORT: '0', PROCESS_NAME: `${kind}-cold` };
    const env = { ...Object.fromEntries(variables), ...own };
    const execArgv = ['--report-exclude-env', ...flagsOf[kind], '--import', register.href];
    const main = new URL(`${kind}/main.ts`, apps);
    return () => fork(main, { env, execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  };
}

/** As everybody starts them. */
const flagsOf = { edge: ['--max-semi-space-size=8'], coordinator: [] } as const;

interface Ready {
  readonly port?: number;
}

/** A coordinator has no port: its word that it serves is its first answer. */
async function untilAnswered(prepare: Start): Promise<number> {
  const start = await prepare();
  const startedMs = performance.now();
  const child = start();
  const exited = once(child, 'exit');
  const gone = exited.then(() => {
    throw new Error('a process ended at its start');
  });
  gone.catch(() => undefined);
  const [{ port }] = (await Promise.race([once(child, 'message'), gone])) as [Ready];
  if (port !== undefined) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`);
    await answer.body?.cancel();
    if (answer.status !== 200) throw new Error(`a started edge answered ${answer.status}`);
  }
  const tookMs = performance.now() - startedMs;
  child.kill('SIGTERM');
  await exited;
  return tookMs;
}
