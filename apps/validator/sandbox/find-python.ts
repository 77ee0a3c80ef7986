import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { PythonPlace } from './command.ts';

const run = promisify(execFile);

/** A submission is checked as CPython 3.11 would read it, so an older one would refuse good files. */
const minorMin = 11;

export interface FoundPython {
  readonly place: PythonPlace;
  readonly version: string;
}

const facts = z.object({
  executable: z.string().min(1),
  prefix: z.string().min(1),
  version: z.tuple([z.number(), z.number(), z.number()]),
});

const question =
  'import json,os,sys; print(json.dumps({"executable": os.path.realpath(sys.executable), "prefix": os.path.realpath(sys.base_prefix), "version": sys.version_info[:3]}))';

/** The system's own first: every user may read it, which is not so of one in somebody's home. */
const candidates = ['/usr/bin/python3', '/usr/local/bin/python3', 'python3'] as const;

/** The first Python that is new enough, or a sentence that says what was found and what to install. */
export async function findPython(asked: string | undefined): Promise<FoundPython | string> {
  const seen: string[] = [];
  for (const candidate of asked === undefined ? candidates : [asked]) {
    const found = await ask(candidate);
    if (found === undefined) continue;
    const [major, minor] = found.version;
    if (major === 3 && minor >= minorMin) return toPlace(found);
    seen.push(`${candidate} is ${found.version.join('.')}`);
  }
  const what = seen.length === 0 ? 'no python3 was found' : seen.join(', ');
  const named =
    asked === undefined ? 'or name one in VALIDATOR_PYTHON' : 'as VALIDATOR_PYTHON says';
  return `agents need CPython 3.${minorMin} or newer, and ${what}: install it (Debian: apt-get install python3), ${named}`;
}

async function ask(path: string): Promise<z.infer<typeof facts> | undefined> {
  try {
    const { stdout } = await run(path, ['-I', '-S', '-c', question]);
    return facts.parse(JSON.parse(stdout));
  } catch {
    return undefined;
  }
}

function toPlace({ executable, prefix, version }: z.infer<typeof facts>): FoundPython {
  const home = `${prefix}/`.startsWith('/usr/') ? undefined : prefix;
  return { place: { path: executable, home }, version: version.join('.') };
}
