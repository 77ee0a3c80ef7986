import { z } from 'zod';
import { readPage } from './public-page.ts';
import type { Service } from './whole-answer.ts';

const versionStatus = z.object({
  timeline: z.array(z.object({ at: z.string(), event: z.string(), detail: z.string().nullable() })),
});
export type VersionStatus = z.infer<typeof versionStatus>;

/** What the public is told of a version: each discard, and that it was taken back, with its time. */
export async function readStatus(service: Service, versionId: string): Promise<VersionStatus> {
  return await readPage(service, `/v1/public/agent-versions/${versionId}/status`, versionStatus);
}
