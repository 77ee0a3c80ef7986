import { familyCountsOf } from '../../machines/suite/family-counts.ts';
import {
  manifestPath,
  type PackManifest,
  type PackTask,
  parseManifest,
  parseTasks,
  tasksPath,
} from './pack-format.ts';
import { PackInvalid } from './pack-invalid.ts';
import { type ArchiveLimits, visitArchive } from './read-archive.ts';

export interface InspectedPack {
  readonly manifest: PackManifest;
  readonly tasks: readonly PackTask[];
  readonly familyCounts: Readonly<Record<string, number>>;
}

/**
 * Reads a whole pack on disk once, without unpacking it anywhere.
 *
 * @throws PackInvalid with a sentence for the operator
 */
export async function inspectPack(path: string, limits?: ArchiveLimits): Promise<InspectedPack> {
  let manifest: PackManifest | undefined;
  let tasks: readonly PackTask[] | undefined;
  await visitArchive(
    path,
    async (file) => {
      if (file.path === manifestPath) manifest = parseManifest(await file.text());
      if (file.path === tasksPath) tasks = parseTasks(await file.text());
    },
    limits,
  );
  if (manifest === undefined) throw new PackInvalid(`the pack has no ${manifestPath}`);
  if (tasks === undefined) throw new PackInvalid(`the pack has no ${tasksPath}`);
  return { manifest, tasks, familyCounts: familyCountsOf(tasks) };
}
