import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeDeps } from '../../apps/edge/deps.ts';
import type { Endpoint } from '../../apps/edge/endpoint.ts';
import { Admission, type AdmissionLimits } from '../../apps/edge/middleware/admission.ts';
import { ComingBodies } from '../../apps/edge/middleware/coming-bodies.ts';
import { LargeBodies } from '../../apps/edge/middleware/large-bodies.ts';
import { remoteAddressReader, secureReader } from '../../apps/edge/middleware/remote-address.ts';
import { StrangersQueue } from '../../apps/edge/middleware/strangers-queue.ts';
import { UploadSlots } from '../../apps/edge/middleware/upload-slots.ts';
import type { Pages } from '../../apps/edge/pages/pages.ts';
import { PublicReads } from '../../apps/edge/public-reads/public-reads.ts';
import { createEdgeServer, type ServerLimits } from '../../apps/edge/server.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { until } from './until.ts';

const realClock: Clock = {
  every: systemClock.every,
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal, ref: false });
  },
};

const unlimited = { take: async () => undefined };

/** Of a refusal, coded or in the array form. */
export interface RefusalBody {
  readonly error_code?: string;
  readonly detail: string | readonly { readonly loc: readonly string[] }[];
}

export async function refusal(answer: Response): Promise<RefusalBody> {
  return (await answer.json()) as RefusalBody;
}

/** Where the first problem of a 422 lies; the empty list when it is not in the array form. */
export async function firstIssue(answer: Response) {
  const { detail } = await refusal(answer);
  return typeof detail === 'string' ? undefined : detail[0];
}

/** The HTTP framework alone, on a real socket, around endpoints that need no neighbour. */
export async function startFramework(
  endpoints: readonly Endpoint[],
  options: {
    readonly admission?: AdmissionLimits;
    readonly limits?: Partial<ServerLimits>;
    readonly trustedProxies?: readonly string[];
    readonly corsOrigins?: readonly string[];
    readonly stopping?: AbortSignal;
    readonly drainMs?: number;
    /** Of a public answer. */
    readonly largestBytes?: number;
    readonly answerBytesPerSecondMin?: number;
    /** The system's unless told. */
    readonly monotonicMs?: () => number;
    readonly budgetMs?: {
      readonly request?: number;
      readonly completion?: number;
      readonly submission?: number;
      readonly upload?: number;
    };
    /** Awaited by every proof of a caller. */
    readonly proving?: Promise<void>;
    readonly pages?: Pages;
    readonly strangers?: StrangersQueue;
    /** By address. */
    readonly anonymous?: { readonly take: (address: string) => Promise<void> };
  } = {},
) {
  const admission = new Admission(options.admission);
  const reported: unknown[] = [];
  const measured: unknown[] = [];
  const counted: unknown[] = [];
  const addressOf = remoteAddressReader(options.trustedProxies ?? []);
  const clock = { ...realClock, monotonicMs: options.monotonicMs ?? realClock.monotonicMs };
  const telemetry: Pick<Telemetry, 'count' | 'record'> = {
    count: (name, _by, attributes) => void counted.push({ name, ...attributes }),
    record: (name, _tookMs, attributes) => void measured.push({ name, ...attributes }),
  };
  const publicReads = new PublicReads({
    ...{ clock, telemetry, addressOf, patienceMs: 10_000 },
    bytesPerSecondMin: options.answerBytesPerSecondMin ?? 1_000,
    largestBytes: options.largestBytes ?? 64 * 1024 * 1024,
  });
  const server = createEdgeServer({
    endpoints,
    newTraceId: () => randomBytes(16).toString('hex'),
    nameRoute: () => undefined,
    drainMs: options.drainMs ?? 5_000,
    isFamiliar: () => false,
    strangers: options.strangers ?? new StrangersQueue(() => systemClock.monotonicMs()),
    limits: {
      headerMs: 15_000,
      bodyBytesPerSecondMin: 1_000,
      requestMs: 600_000,
      idleConnectionMs: 75_000,
      unreadMs: 30_000,
      connectionsMax: 8_000,
      connectionsPerAddressMax: 2_000,
      ...options.limits,
    },
    trustedProxies: options.trustedProxies ?? [],
    corsOrigins: options.corsOrigins ?? [],
    pages: options.pages,
    dispatch: {
      isReadOnly: () => false,
      admission,
      clock,
      telemetry,
      limits: {
        bodyBytesPerSecondMin: options.limits?.bodyBytesPerSecondMin ?? 1_000,
        bodyBytesMax: {
          json: 65_536,
          results: 2_097_152,
          operator: 16_777_216,
          inference: 4_194_304,
        },
        budgetMs: {
          request: 10_000,
          completion: 25_000,
          submission: 60_000,
          upload: 600_000,
          advance: 600_000,
          inference: 300_000,
          ...options.budgetMs,
        },
      },
      rates: {
        ...{ anonymous: options.anonymous ?? unlimited, hotkey: unlimited, unproven: unlimited },
        ...{ challenge: unlimited, session: unlimited },
      },
      uploads: new UploadSlots({ perKeyMax: 2, max: 100 }),
      comingBodies: new ComingBodies(() => undefined),
      largeBodies: {
        completion: new LargeBodies(2_097_152, () => undefined),
        inference: new LargeBodies(4_194_304, () => undefined),
        results: new LargeBodies(2_097_152, () => undefined),
      },
      publicReads,
      authenticate: async ({ role, headers }) => {
        await options.proving;
        return {
          name: String(headers['x-hotkey'] ?? ''),
          role: role === 'hotkey' ? 'miner' : role,
          publicKeyHex: '',
          coldkey: null,
          ownedHotkeys: [],
        };
      },
      // These endpoints are made for the test and ask for no neighbour.
      admit: (endpoint, request) => endpoint.admit?.(request, {} as EdgeDeps),
      invoke: (endpoint, request) => endpoint.handle(request, {} as EdgeDeps),
      newCommandId: () => randomUUID(),
      remoteAddress: addressOf,
      isSecure: secureReader(options.trustedProxies ?? []),
      reportError: (error) => reported.push(error),
      checkResponses: true,
      ...(options.stopping !== undefined && { stopping: options.stopping }),
    },
  });
  const port = await server.listen(0, '127.0.0.1');
  const request = (method: string, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, ...init });
  return {
    port,
    reported,
    measured,
    counted,
    request,
    inFlight: () => admission.inFlight,
    heldBytes: () => publicReads.large.heldBytes,
    get: (path: string, headers: Record<string, string> = {}) => request('GET', path, { headers }),
    post: (path: string, body: unknown) =>
      request('POST', path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    until: (holds: () => boolean) => until(holds),
    drain: () => server.drain(),
    [Symbol.asyncDispose]: () => server.drain(),
  };
}
