import { z } from 'zod';
import { rootFolder, tasksPath } from '../../../infra/packs/pack-format.ts';
import { visitArchive } from '../../../infra/packs/read-archive.ts';
import { type Catalogue, cataloguePaths, parseCatalogue } from '../shop/catalogue.ts';
import { type Expectation, expectation } from '../shop/grade.ts';
import { isOfMachine } from '../transfer.ts';

/** One task with what only the verifier may know of it. */
export interface ShopTask {
  readonly taskId: string;
  readonly family: string;
  readonly goalText: string;
  readonly expected: Expectation;
}

export interface ShopPack {
  readonly catalogue: Catalogue;
  readonly tasks: ReadonlyMap<string, ShopTask>;
}

/** The pack is not what its versions promise; the message names the pack, as the service expects. */
export class PackUnusable extends Error {
  override name = 'PackUnusable';
}

const taskLine = z.object({
  task_id: z.string(),
  family: z.string(),
  goal_text: z.string(),
  expected: expectation,
});

/** @throws PackUnusable; what this machine could not read is no word about the pack */
export async function openPack(path: string): Promise<ShopPack> {
  try {
    const texts = await readTexts(path);
    const [products = '', vouchers = ''] = [cataloguePaths.products, cataloguePaths.vouchers].map(
      (name) => texts.get(`${rootFolder}/${name}`),
    );
    const lines = (texts.get(tasksPath) ?? '').split('\n').filter((line) => line.trim() !== '');
    const tasks = lines.map((line) => toTask(taskLine.parse(JSON.parse(line))));
    return {
      catalogue: parseCatalogue({ products, vouchers }),
      tasks: new Map(tasks.map((task) => [task.taskId, task])),
    };
  } catch (cause) {
    if (isOfMachine(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PackUnusable(`the pack cannot be used: ${why.slice(0, 500)}`, { cause });
  }
}

async function readTexts(path: string): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set<string>([
    tasksPath,
    `${rootFolder}/${cataloguePaths.products}`,
    `${rootFolder}/${cataloguePaths.vouchers}`,
  ]);
  const texts = new Map<string, string>();
  await visitArchive(path, async (file) => {
    if (wanted.has(file.path)) texts.set(file.path, await file.text());
  });
  for (const name of wanted) if (!texts.has(name)) throw new Error(`it has no ${name}`);
  return texts;
}

function toTask({
  task_id: taskId,
  family,
  goal_text: goalText,
  expected,
}: z.infer<typeof taskLine>) {
  return { taskId, family, goalText, expected };
}
