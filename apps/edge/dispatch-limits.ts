import type { Config } from '../../infra/config/config.ts';
import type { Dispatch } from './dispatch.ts';
import { requestMs } from './server-limits.ts';

/** A megabyte at 20 kB/s, with room for the analysis; clients wait longer (apps/cli/client/submission-limit.ts). */
const submissionMs = 60_000;
/** A year of races; a repeat goes on where this ends. */
const advanceMs = 600_000;
/** Of which the length is not known; the same as the server's own limit on a request. */
const uploadMs = requestMs;

/** How large a body may be and how long a request may take, by the kind of its endpoint. */
export function dispatchLimits(config: Config): Dispatch['limits'] {
  return {
    bodyBytesPerSecondMin: config.bodyBytesPerSecondMin,
    bodyBytesMax: {
      json: config.jsonBodyBytesMax,
      results: config.resultsBodyBytesMax,
      operator: config.operatorBodyBytesMax,
      inference: config.inferenceBodyBytesMax,
    },
    budgetMs: {
      request: config.requestSeconds * 1000,
      completion: config.completionRetrySeconds * 1000,
      submission: submissionMs,
      upload: uploadMs,
      advance: advanceMs,
      inference: config.inferenceTimeoutSeconds * 1000,
    },
  };
}
