import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { UsageError } from '../options.ts';

// The width of the model that titles are compared with; another width would never match.
const embeddingLength = 1024;

const wanted = z.looseObject({ product_id: z.string(), title: z.array(z.string()) });

const problem = z.looseObject({
  query: z.string().min(1),
  // A shop problem wants several products at once.
  reward: z.union([wanted, z.array(wanted).min(1)]),
  category: z.string(),
  difficulty: z.string(),
  title: z.string(),
  reward_title_embeddings: z
    .record(z.string(), z.array(z.number()).length(embeddingLength))
    .optional(),
});

export interface LegacySuite {
  /** Follows from the file's name and content: the same file is the same suite. */
  readonly benchmarkName: string;
  readonly problems: readonly Readonly<Record<string, unknown>>[];
}

/** Reads a JSON array of legacy problems, or says in one sentence what is wrong with the file. */
export async function readLegacySuite(path: string): Promise<LegacySuite> {
  const text = await readText(path);
  const parsed = z.array(problem).min(1).safeParse(parseJson(path, text));
  if (!parsed.success) throw new UsageError(`--suite ${path}: ${firstProblem(parsed.error)}`);
  const name = basename(path).replace(/\.json$/i, '');
  return {
    benchmarkName: `${name} ${sha256Hex(text).slice(0, 8)}`,
    problems: parsed.data,
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(`--suite ${path}: ${isMissing ? 'no such file' : 'cannot be read'}`);
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--suite ${path}: is not JSON; it must be an array of problems`);
  }
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'must be an array of problems';
  const [index, ...field] = issue.path;
  if (index === undefined) return `must be an array of problems (${issue.message})`;
  return `problem ${Number(index) + 1}, ${field.join('.')}: ${issue.message}`;
}
