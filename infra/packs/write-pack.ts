import { manifestPath, type PackManifest, rootFolder, tasksPath } from './pack-format.ts';
import { type WrittenArchive, writeArchive } from './write-archive.ts';

export interface PackContent {
  readonly manifest: PackManifest;
  /** With `task_id`, `family`, `goal_text` and whatever else an environment needs. */
  readonly tasks: readonly Readonly<Record<string, unknown>>[];
  /** Further files by their path below the root folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Makes a pack file; the same content gives the same bytes. */
export async function writePack(targetPath: string, content: PackContent): Promise<WrittenArchive> {
  return await writeArchive(targetPath, async (writer) => {
    await writer.addText(manifestPath, `${JSON.stringify(content.manifest, null, 2)}\n`);
    const lines = content.tasks.map((task) => `${JSON.stringify(task)}\n`);
    await writer.addText(tasksPath, lines.join(''));
    for (const [path, text] of Object.entries(content.files ?? {})) {
      await writer.addText(`${rootFolder}/${path}`, text);
    }
  });
}
