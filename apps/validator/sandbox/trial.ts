import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { bystander } from './bystander.ts';
import type { Ending } from './ending.ts';
import type { Sandbox } from './find-sandbox.ts';
import { runAgent } from './run-agent.ts';

export interface TrialOptions {
  /** The folder beside /usr that the box shows for Python's sake. */
  readonly pythonHome: string | undefined;
  /** Files and folders of this machine that no agent may open, whoever may read them outside. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** What to take for the number of this process, which is small in a container. */
  readonly ownPid?: number;
}

/** How a failure begins that is a hole in the box, and not a box that does not come up. */
export const letThrough = 'it did not keep an agent from this';

/**
 * Runs an agent of our own that tries to get out, and says what went wrong; undefined when the box
 * held. What is tried leaves nothing behind, so a box with a hole is found out at each start.
 */
export async function trial(sandbox: Sandbox, options: TrialOptions): Promise<string | undefined> {
  const escapes = new Set<string>();
  // Somebody answers there: a connection that is refused would say nothing of the box.
  const door = createServer().listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo;
  await using stander = await bystander(options.ownPid);
  const ending = await runAgent({
    command: sandbox.commandFor(await readFile(join(import.meta.dirname, 'prisoner.py'))),
    limits: { ...sandbox.limits, wallSeconds: trialSeconds, toolCalls: callsMax },
    problem: {
      ...{ folder: import.meta.dirname, mark: `mark-${randomId()}`, pid: stander.pid, port },
      ...{ python_home: options.pythonHome ?? null, secrets: options.secrets },
    },
    onCall: (_tool, { product_id: what }) => {
      escapes.add(String(what));
      return { result: null };
    },
    clock: options.clock,
    signal: new AbortController().signal,
  });
  door.close();
  if (escapes.size > 0) return `${letThrough}: ${[...escapes].join(', ')}`;
  return ending.reason === 'finished' ? undefined : sayEnding(ending);
}

const trialSeconds = 20;
/** More than it can find: how many a task has is no matter of the box. */
const callsMax = 1000;

function sayEnding({ reason, detail, stderrTail }: Ending): string {
  const said = stderrTail.trim().split('\n').at(-1) ?? '';
  return [`it ended as ${reason}`, detail, said].filter((text) => text !== '').join(', ');
}
