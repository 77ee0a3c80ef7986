import { z } from 'zod';
import { type Endpoint, endpoint } from '../../apps/edge/endpoint.ts';
import { readSubmission } from '../../apps/edge/submission/multipart.ts';

/** Of a submission that `submissionEndpoint` reads. */
export const fileBytesMax = 1_000;

/** Reads a submission as miners send it, and answers what it read; `store` is what a handler does. */
export function submissionEndpoint(store: (name: string) => void = () => undefined): Endpoint {
  return endpoint({
    method: 'post',
    path: '/upload',
    role: 'miner',
    summary: 'Reads a submission',
    trafficClass: 1,
    bodyKind: 'multipart',
    budget: 'submission',
    response: z.object({ name: z.string(), file: z.string() }),
    faults: ['FILE_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    async handle({ context }) {
      const limits = { fileBytesMax, checkName: (name: string) => name };
      const { agentName, file } = await readSubmission(context.stream, limits);
      store(agentName);
      return { name: agentName, file: file.toString('latin1') };
    },
  });
}
