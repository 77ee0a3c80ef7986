import assert from 'node:assert/strict';
import { taskLines, tasksPath } from './pack-format.ts';
import { visitArchive } from './read-archive.ts';
import { type WrittenArchive, writeArchive } from './write-archive.ts';

/**
 * The part of a pack that a validator may see: the tasks with these ids alone, every other file as
 * it is. Deterministic: the same pack and ids give the same bytes on every edge.
 */
export async function buildSubPack(plan: {
  readonly sourcePath: string;
  readonly taskIds: readonly string[];
  readonly targetPath: string;
}): Promise<WrittenArchive> {
  const wanted = new Set(plan.taskIds);
  return await writeArchive(plan.targetPath, async (writer) => {
    await visitArchive(plan.sourcePath, async (file) => {
      if (file.path === tasksPath) {
        await writer.addText(file.path, onlyTasks(await file.text(), wanted));
      } else {
        await writer.addStream(file.path, file.sizeBytes, file.stream);
      }
    });
  });
}

function onlyTasks(jsonl: string, wanted: ReadonlySet<string>): string {
  const kept = [...taskLines(jsonl)].filter(({ task }) => wanted.has(task.taskId));
  // A validator that gets fewer tasks than its roster names could never complete its run.
  assert(kept.length === wanted.size, 'every delivered task must be in the pack');
  return kept.map(({ line }) => `${line.trim()}\n`).join('');
}
