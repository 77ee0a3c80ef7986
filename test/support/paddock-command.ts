import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

const main = fileURLToPath(new URL('../../apps/cli/main.ts', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Of standard input; nothing unless told. */
  readonly input?: string | Uint8Array;
}

/** The `paddock` command as a process of its own, in a folder of its own, as one user of one machine. */
export async function paddockUser(
  t: ExecutionContext,
  user: { readonly url?: string; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-user-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const env: Record<string, string> = {
    PATH,
    // Of this user's commands, as `npx paddock` keeps it of all: else each compiles anew.
    NODE_COMPILE_CACHE: NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
    HOME: folder,
    TZ: 'UTC',
    ...(user.url !== undefined && { PADDOCK_URL: user.url }),
    ...user.env,
  };
  const start = (args: readonly string[], options: CommandOptions = {}) =>
    spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: { ...env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  const withOptions = async (
    options: CommandOptions,
    ...args: readonly string[]
  ): Promise<CommandResult> => {
    const child = start(args, options);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    // A command that reads nothing may be gone before it is given anything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
    const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, out, error };
  };
  const run = (...args: readonly string[]) => withOptions({}, ...args);
  return {
    folder,
    /** Where sessions are kept. */
    sessionFile: join(folder, '.config/paddock/session.json'),
    start,
    run,
    withOptions,
    /** Must end well; what it wrote as JSON. */
    json: async <T = Record<string, unknown>>(...args: readonly string[]): Promise<T> => {
      const { code, out, error } = await run(...args, '--json');
      if (code !== 0) throw new Error(`paddock ${args.join(' ')} ended with ${code}: ${error}`);
      return JSON.parse(out) as T;
    },
  };
}

export type PaddockUser = Awaited<ReturnType<typeof paddockUser>>;
