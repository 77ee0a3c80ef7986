import { z } from 'zod';
import { readPage } from './public-page.ts';

const versionStatus = z.object({
  state: z.string(),
  timeline: z.array(z.object({ at: z.string(), event: z.string(), detail: z.string().nullable() })),
});
export type VersionStatus = z.infer<typeof versionStatus>;

/** What the public is told of a version: a discard with its time, not that one was taken back. */
export async function readStatus(url: string, versionId: string): Promise<VersionStatus> {
  return await readPage(`${url}/v1/public/agent-versions/${versionId}/status`, versionStatus);
}
