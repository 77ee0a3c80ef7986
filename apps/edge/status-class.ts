import type { ServerResponse } from 'node:http';
import type { FaultCode } from '../../machines/fault.ts';

/** Refused for what a provider of models does or does not do. */
const forProvider = new WeakSet<ServerResponse>();

export function noteRefusal(response: ServerResponse, code: FaultCode): void {
  if (code === 'PROVIDER_UNAVAILABLE') forProvider.add(response);
}

/**
 * As metrics name it. A 503 for a provider is nothing of ours, and any agent can ask for a model that
 * nobody serves, as often as it likes: among our own failures these would hide them, and wake somebody.
 */
export function statusClassOf(response: ServerResponse): string {
  const plain = `${Math.trunc(response.statusCode / 100)}xx`;
  return plain === '5xx' && forProvider.has(response) ? '5xx-provider' : plain;
}
