import type { Endpoint } from '../endpoint.ts';
import { describeApi, showApi } from './health/describe-api.ts';
import { getDeepHealth } from './health/get-deep-health.ts';
import { getHealth } from './health/get-health.ts';

/** Every route of the service; a test compares it with the specification. */
export const endpoints: readonly Endpoint[] = [
  getHealth,
  getDeepHealth,
  describeApi(() => endpoints),
  showApi,
];
