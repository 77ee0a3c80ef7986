import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../infra/ports/clock.ts';
import { bubblewrapCommand } from './bubblewrap.ts';
import type { SandboxCommand, SandboxPlan } from './command.ts';
import { findPython } from './find-python.ts';
import { limitsArgument, type TaskLimits } from './limits.ts';
import { seccompFilter } from './seccomp.ts';
import { letThrough, trial } from './trial.ts';
import { unshareCommand } from './unshare.ts';

export const sandboxKinds = ['bubblewrap', 'unshare'] as const;
export type SandboxKind = (typeof sandboxKinds)[number];

/** A way to run agents that was tried and held. */
export interface Sandbox {
  readonly kind: SandboxKind;
  readonly pythonVersion: string;
  commandFor(agent: Uint8Array): SandboxCommand;
  readonly limits: TaskLimits;
}

export interface SandboxWish {
  readonly limits: TaskLimits;
  /** Undefined: bubblewrap, or what the distribution has where it is missing. */
  readonly kind: SandboxKind | undefined;
  readonly python: string | undefined;
  /** Taken where we are root. */
  readonly userId: number;
  readonly isRoot: boolean;
  /** What this validator must not lose, by its paths: the trial tries to open them. */
  readonly secrets: readonly string[];
  readonly platform: string;
  readonly architecture: string;
  readonly clock: Clock;
}

/** There is no way to run an agent safely here; the message says why and what to do. */
export class NoSandbox extends Error {
  override name = 'NoSandbox';
}

const builders: Readonly<Record<SandboxKind, (plan: SandboxPlan) => SandboxCommand>> = {
  bubblewrap: bubblewrapCommand,
  unshare: unshareCommand,
};

const insideNames = ['linecache.py', 'runner.py', 'shop_channel.py', 'shop_tools.py'] as const;

/**
 * The first way that holds: an agent of our own is run in it which tries what no agent may do. Nothing
 * is ever run outside of one.
 *
 * @throws NoSandbox
 */
export async function findSandbox(wish: SandboxWish): Promise<Sandbox> {
  if (wish.platform !== 'linux') {
    throw new NoSandbox(
      `agents are run in Linux namespaces, and this machine runs ${wish.platform}`,
    );
  }
  const python = await findPython(wish.python);
  if (typeof python === 'string') throw new NoSandbox(python);
  const inside = await insideFiles();
  const failures: string[] = [];
  for (const kind of wish.kind === undefined ? sandboxKinds : [wish.kind]) {
    const commandFor = (agent: Uint8Array) =>
      builders[kind]({
        python: python.place,
        userId: wish.isRoot ? wish.userId : undefined,
        files: { ...inside, 'agent.py': agent },
        filter: seccompFilter(wish.architecture),
        argument: limitsArgument(wish.limits),
      });
    const sandbox = { kind, pythonVersion: python.version, commandFor, limits: wish.limits };
    const { secrets, clock } = wish;
    const failure = await trial(sandbox, { pythonHome: python.place.home, secrets, clock });
    if (failure === undefined) return sandbox;
    failures.push(`${kind}: ${failure}`);
  }
  throw new NoSandbox(
    `no sandbox works here, and agents are never run without one (${failures.join('; ')}). ${adviceFor(failures)}`,
  );
}

function adviceFor(failures: readonly string[]): string {
  const hasHole = failures.some((failure) => failure.includes(letThrough));
  const hole =
    'What the box lets through is /usr, the folder of VALIDATOR_PYTHON, and whatever the bwrap or unshare of your PATH adds: see that none of it holds what is named here';
  return hasHole ? `${hole}. ${install}` : install;
}

const install =
  'Install bubblewrap (Debian: apt-get install bubblewrap) and allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0; on Ubuntu 24.04 kernel.apparmor_restrict_unprivileged_userns=0; in a container, a profile that permits unshare and mount)';

async function insideFiles(): Promise<Record<string, Uint8Array>> {
  const read = async (name: string) =>
    [name, await readFile(join(import.meta.dirname, 'inside', name))] as const;
  return Object.fromEntries(await Promise.all(insideNames.map(read)));
}
