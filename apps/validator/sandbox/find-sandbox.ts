import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../../infra/ports/clock.ts';
import { bubblewrapCommand } from './bubblewrap.ts';
import type { SandboxCommand, SandboxPlan } from './command.ts';
import { findPython } from './find-python.ts';
import { limitsArgument, type TaskLimits } from './limits.ts';
import { runAgent } from './run-agent.ts';
import { seccompFilter } from './seccomp.ts';
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

const insideNames = ['runner.py', 'shop_channel.py', 'shop_tools.py'] as const;

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
    const failure = await trial(sandbox, wish.clock);
    if (failure === undefined) return sandbox;
    failures.push(`${kind}: ${failure}`);
  }
  throw new NoSandbox(
    `no sandbox works here, and agents are never run without one (${failures.join('; ')}). Install bubblewrap (Debian: apt-get install bubblewrap) and allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0; on Ubuntu 24.04 kernel.apparmor_restrict_unprivileged_userns=0; in a container, a profile that permits unshare and mount)`,
  );
}

async function insideFiles(): Promise<Record<string, Uint8Array>> {
  const read = async (name: string) =>
    [name, await readFile(join(import.meta.dirname, 'inside', name))] as const;
  return Object.fromEntries(await Promise.all(insideNames.map(read)));
}

/** What an agent of our own says that it was kept from; each must fail for a sandbox to be one. */
const prisoner = `
import os
import socket
from shop_tools import product

def tried(what, attempt):
    try:
        attempt()
    except OSError:
        return
    product(what)

def agent_main(problem):
    tried("write to the root", lambda: os.mkdir("/mark"))
    tried("write to /tmp", lambda: os.mkdir("/tmp/mark"))
    tried("write to /usr", lambda: os.mkdir("/usr/mark"))
    tried("read the validator's files", lambda: os.listdir(problem["folder"]))
    tried("reach the machine's network", lambda: socket.create_connection(("127.0.0.1", problem["port"]), 5))
    tried("see other processes", lambda: os.kill(problem["pid"], 0))
`;

/** Undefined when it held; else what went wrong. */
export async function trial(sandbox: Sandbox, clock: Clock): Promise<string | undefined> {
  const escapes: string[] = [];
  // Somebody answers there: a connection that is refused would say nothing of the box.
  const door = createServer().listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo;
  const ending = await runAgent({
    command: sandbox.commandFor(Buffer.from(prisoner)),
    limits: { ...sandbox.limits, wallSeconds: trialSeconds },
    problem: { folder: import.meta.dirname, port, pid: process.pid },
    onCall: (_tool, { product_id: what }) => {
      escapes.push(String(what));
      return { result: null };
    },
    clock,
    signal: new AbortController().signal,
  });
  door.close();
  if (escapes.length > 0) return `it did not keep an agent from this: ${escapes.join(', ')}`;
  if (ending.reason === 'finished') return undefined;
  const said = ending.stderrTail.trim().split('\n').at(-1) ?? '';
  return [`it ended as ${ending.reason}`, ending.detail, said]
    .filter((text) => text !== '')
    .join(', ');
}

const trialSeconds = 20;
