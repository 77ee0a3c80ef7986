import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Callers } from '../../../apps/edge/auth/callers.ts';
import type { EdgeDeps } from '../../../apps/edge/deps.ts';
import { CurrentStandings } from '../../../apps/edge/emission/standings.ts';
import type { Caller, Endpoint, RequestContext } from '../../../apps/edge/endpoint.ts';
import { CodeDownloads } from '../../../apps/edge/evaluation/code-downloads.ts';
import { KnownTerms } from '../../../apps/edge/evaluation/known-terms.ts';
import { createRunLocator } from '../../../apps/edge/evaluation/run-locator.ts';
import { RunPace } from '../../../apps/edge/evaluation/run-pace.ts';
import { statusByCode, wireCodeOf } from '../../../apps/edge/faults.ts';
import { PreparedAnswer } from '../../../apps/edge/prepared-answer.ts';
import { createPresence } from '../../../apps/edge/presence.ts';
import { KeptPages } from '../../../apps/edge/public-reads/kept-pages.ts';
import { PublicReads } from '../../../apps/edge/public-reads/public-reads.ts';
import { AnalysisTurns } from '../../../apps/edge/submission/analysis-turns.ts';
import { createRejections } from '../../../apps/edge/submission/rejections.ts';
import { parsePart } from '../../../apps/edge/validation.ts';
import { faultOf } from '../../../apps/outage.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import { createEdgePeers } from '../../../infra/nats/edge-peers.ts';
import { Fault } from '../../../machines/fault.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import { edgeConfig } from './settings.ts';
import { connectProcess, type SimWorld } from './sim-world.ts';

export interface SimRequest {
  readonly caller: Caller;
  readonly commandId: string;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  /** A multipart body, with its content type. */
  readonly upload?: { readonly contentType: string; readonly bytes: Buffer };
  readonly idempotencyKey?: string;
}

export interface SimAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
}

export interface SimEdge {
  readonly process: SimProcess;
  /** What stands between a proven caller and the answer. Never rejects. */
  serve(endpoint: Endpoint, request: SimRequest): Promise<SimAnswer>;
  drain(): Promise<void>;
}

const budgetMs = { request: 10_000, completion: 15_000, submission: 60_000 } as const;

/** apps/edge below HTTP and the proof of callers. */
export async function startSimEdge(world: SimWorld, process: SimProcess): Promise<SimEdge> {
  const config = edgeConfig;
  const { clock } = process;
  const { bus, log, telemetry, sqlAs } = connectProcess(world, process);
  await bus.connection.opened();
  const sql = sqlAs('paddock_edge');
  const time = {
    nowMs: () => clock.nowMs() + world.kernel.domainOffsetUs / 1000,
    offsetMs: () => world.kernel.domainOffsetUs / 1000,
  };
  const connection = bus.connection.asNats();
  const peers = createEdgePeers({ connection, clock, log, name: process.name });
  await peers.start();
  const presence = createPresence({ bus: bus.commands, clock, time });
  await presence.start();
  const analyser = { analyse: async () => ({ kind: 'clean' }) as const };
  const { objects } = world;
  const parts = {
    ...{
      config,
      sql,
      claimsSql: sql,
      bus: bus.commands,
      objects,
      clock,
      time,
      log,
      telemetry,
      presence,
    },
    analyses: new AnalysisTurns(analyser),
    runs: createRunLocator(sql),
    pace: new RunPace(sql, clock),
    terms: new KnownTerms(sql),
    codeDownloads: new CodeDownloads(objects, clock, config.downloadUrlSeconds),
    seal: createCredentialSeal(config.credentialKeys),
    keptPages: new KeptPages(),
    rejections: createRejections({
      ...{ sql, bus: bus.commands, perHourMax: config.rejectedSubmissionsPerHour },
    }),
    standings: new CurrentStandings({
      ...{ sql, bus: bus.commands, log, epochBlocks: config.epochBlocks, chainEpoch: undefined },
    }),
  };
  // The routes of this world ask for nothing else of the edge.
  const deps = parts as unknown as EdgeDeps;
  const callers = new Callers(sql, clock);
  const publicReads = new PublicReads({
    ...{ clock, telemetry, addressOf: () => 'simulated' },
    patienceMs: config.requestSeconds * 1000,
    largestBytes: config.artifactBytesMax,
    bytesPerSecondMin: config.answerBytesPerSecondMin,
  });
  return {
    process,
    serve: (endpoint, request) => serve(endpoint, request, { deps, publicReads, callers }),
    drain: async () => {
      await presence.stop();
      await peers.stop();
      await bus.connection.drain();
    },
  };
}

interface Serving {
  readonly deps: EdgeDeps;
  readonly publicReads: PublicReads;
  readonly callers: Callers;
}

async function serve(
  endpoint: Endpoint,
  asked: SimRequest,
  { deps, publicReads, callers }: Serving,
): Promise<SimAnswer> {
  try {
    const isOfHotkey = endpoint.role === 'miner' || endpoint.role === 'validator';
    if (isOfHotkey && (await callers.isBanned(asked.caller.name))) {
      throw new Fault('BANNED', 'This hotkey is banned.');
    }
    const params = endpoint.params && parsePart(endpoint.params, asked.params ?? {}, 'path');
    const query = endpoint.query && parsePart(endpoint.query, asked.query ?? {}, 'query');
    const hasBody = endpoint.body !== undefined && endpoint.bodyKind === undefined;
    const body = hasBody ? parsePart(endpoint.body, asked.body, 'body') : undefined;
    const context = contextOf(endpoint, asked, deps);
    const { caller } = asked;
    const handle = () => endpoint.handle({ caller, params, query, body, context }, deps);
    if (endpoint.cache !== undefined) {
      const key = JSON.stringify([endpoint.path, params ?? null, query ?? null]);
      const text = String((await publicReads.read(key, handle)).content);
      return { status: 200, body: JSON.parse(text) as unknown, text };
    }
    const answer = await handle();
    if (answer === undefined) return { status: 204, body: undefined, text: '' };
    const text = answer instanceof PreparedAnswer ? String(answer.body) : JSON.stringify(answer);
    const status = answer instanceof PreparedAnswer ? answer.status : 200;
    return { status, body: JSON.parse(text) as unknown, text };
  } catch (error) {
    const fault = faultOf(error);
    if (fault.code === 'INTERNAL_ERROR') deps.log.error('a request failed', { error });
    const told = { detail: fault.message, error_code: wireCodeOf(fault.code), ...fault.extras };
    return { status: statusByCode[fault.code], body: told, text: JSON.stringify(told) };
  }
}

function headOf({ contentType, bytes }: NonNullable<SimRequest['upload']>) {
  return { 'content-type': contentType, 'content-length': String(bytes.length) };
}

function contextOf(endpoint: Endpoint, asked: SimRequest, { clock }: EdgeDeps): RequestContext {
  const { commandId, idempotencyKey, upload } = asked;
  const budget =
    endpoint.budget === 'completion' || endpoint.budget === 'submission'
      ? endpoint.budget
      : 'request';
  const stream = Readable.from(upload === undefined ? [] : [upload.bytes]);
  const headers = upload === undefined ? {} : headOf(upload);
  return {
    requestId: commandId,
    deadlineMs: clock.nowMs() + budgetMs[budget],
    remoteAddress: '192.0.2.1',
    isSecure: true,
    idempotencyKey,
    commandId,
    headers,
    bearerToken: undefined,
    signal: new AbortController().signal,
    // All that a handler reads of it is the body and its type.
    stream: Object.assign(stream, { headers }) as unknown as IncomingMessage,
  };
}
