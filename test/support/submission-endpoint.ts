import { z } from 'zod';
import { type Endpoint, endpoint } from '../../apps/edge/endpoint.ts';
import { readSubmission } from '../../apps/edge/submission/multipart.ts';
import { Fault } from '../../machines/fault.ts';

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
    faults: ['INVALID_AGENT_NAME', 'FILE_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    async handle({ context }) {
      const { agentName, file } = await readSubmission(context.stream, { fileBytesMax, checkName });
      store(agentName);
      return { name: agentName, file: file.toString('latin1') };
    },
  });
}

/** Any name that is read whole will do. */
function checkName(name: string | undefined): string {
  if (name === undefined) throw new Fault('INVALID_AGENT_NAME', 'too long');
  return name;
}
