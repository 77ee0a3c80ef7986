import type { EvalRequest } from './messages.ts';

/**
 * The text that equal completions share and others do not: the order of object keys is free, and a
 * score means nothing unless the run succeeded.
 */
export function completionDigest(request: EvalRequest<'complete-run'>): string {
  const { terminalStatus, scoreMicro, scoreComponents, resultsS3Key } = request;
  const { failureReason, failureClass, sandboxMetadata } = request;
  const score = terminalStatus === 'SUCCESS' ? scoreMicro : null;
  const named = { scoreComponents, sandboxMetadata };
  const plain = [terminalStatus, score, resultsS3Key, failureReason, failureClass];
  return JSON.stringify([plain, canonical(named)]);
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, each]) => [key, canonical(each)]);
}
