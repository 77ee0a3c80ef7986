import { z } from 'zod';
import { PackInvalid } from './pack-invalid.ts';

/** Every path of a pack begins with its one root folder. */
export const rootFolder = 'epoch';
export const manifestPath = `${rootFolder}/manifest.json`;
export const tasksPath = `${rootFolder}/data/tasks/private_tasks.jsonl`;

/**
 * Ninety new tasks a day for seven months. All are gone through when a race starts: with this much of goals
 * that took 1.3 s of the statement's 3 on two busy cores, and to keep them 4 s of 10; with 64 MB 9 s and 24.
 */
const tasksMax = 20_000;
const goalBytesMax = 8 * 1024 ** 2;

const storable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // Neither has a place in a Postgres text.
    .refine(
      (given) => !given.includes('\0') && given.isWellFormed(),
      'must not hold a NUL or half of a surrogate pair',
    );
const text = storable(256);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** manifest.json as it stands in the pack; fields beyond these travel along and mean nothing here. */
export const packManifest = z.object({
  contract_version: text,
  runtime_version: text,
  tool_contract_version: text,
  verifier_version: text,
  result_schema_version: text,
  catalog_epoch: text,
  catalog_sha256: sha256,
  search_index_epoch: text.nullable(),
  search_index_sha256: sha256.nullable(),
  display_name: text,
  environment_revision: text,
});
export type PackManifest = z.infer<typeof packManifest>;

const taskLine = z.object({
  task_id: text,
  // Counts by family are an object on the wire, where this name means something else.
  family: text.refine((name) => name !== '__proto__', 'is no name for a family'),
  goal_text: storable(20_000),
});

export interface PackTask {
  readonly taskId: string;
  readonly family: string;
  readonly goalText: string;
}

function parseJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new PackInvalid(`${where} is not JSON`);
  }
}

function firstProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
}

export function parseManifest(json: string): PackManifest {
  const parsed = packManifest.safeParse(parseJson(json, manifestPath));
  if (parsed.success) return parsed.data;
  throw new PackInvalid(`${manifestPath}: ${firstProblem(parsed.error)}`);
}

/** The lines that hold a task, with the line as it stands; blank lines are none. */
export function* taskLines(jsonl: string): Generator<{ readonly line: string; task: PackTask }> {
  let number = 0;
  for (const line of jsonl.split('\n')) {
    number += 1;
    if (line.trim() === '') continue;
    const where = `${tasksPath}, line ${number}`;
    const parsed = taskLine.safeParse(parseJson(line, where));
    if (!parsed.success) throw new PackInvalid(`${where}: ${firstProblem(parsed.error)}`);
    const { task_id: taskId, family, goal_text: goalText } = parsed.data;
    yield { line, task: { taskId, family, goalText } };
  }
}

export function parseTasks(jsonl: string): readonly PackTask[] {
  const tasks = new Map<string, PackTask>();
  let goalBytes = 0;
  for (const { task } of taskLines(jsonl)) {
    const { taskId, goalText } = task;
    if (tasks.has(taskId)) throw new PackInvalid(`${tasksPath} names the task ${taskId} twice`);
    tasks.set(taskId, task);
    goalBytes += Buffer.byteLength(goalText);
    if (tasks.size > tasksMax) throw new PackInvalid(`a pack has at most ${tasksMax} tasks`);
    if (goalBytes > goalBytesMax) {
      throw new PackInvalid(
        `the goals of a pack's tasks have at most ${goalBytesMax} bytes together`,
      );
    }
  }
  if (tasks.size === 0) throw new PackInvalid(`${tasksPath} holds no task`);
  return [...tasks.values()];
}
