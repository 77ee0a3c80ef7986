import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { completionPartsMax, resultsPartsMax } from '../../machines/json-depth.ts';
import { faultOf } from '../outage.ts';
import {
  discardRest,
  letBodyCome,
  onceClosed,
  sendAnswer,
  sendFault,
  sendStream,
} from './answer.ts';
import { requestIdOf, settleHead } from './answer-head.ts';
import { AwaitedAnswer } from './awaited-answer.ts';
import { endSlowBody, endSlowFile } from './body-time.ts';
import type {
  AdmittedRequest,
  Caller,
  Deprecation,
  Endpoint,
  EndpointRequest,
} from './endpoint.ts';
import { isGivenUp } from './given-up.ts';
import type { Admission } from './middleware/admission.ts';
import type { ComingBodies } from './middleware/coming-bodies.ts';
import {
  announcesBody,
  ClientGone,
  hasWholeBody,
  readJsonBody,
  requireStorable,
} from './middleware/json-body.ts';
import type { LargeBodies } from './middleware/large-bodies.ts';
import { queryText } from './middleware/query-text.ts';
import type { UploadSlots } from './middleware/upload-slots.ts';
import { carriesWhatItShould } from './openapi/fault-extras.ts';
import { possibleFaults } from './openapi/possible-faults.ts';
import { PreparedAnswer } from './prepared-answer.ts';
import { type CallerProof, proveCaller } from './prove-caller.ts';
import type { PublicReads } from './public-reads/public-reads.ts';
import { Representation } from './public-reads/representation.ts';
import { liveRead, sendRepresentation } from './public-reads/send-representation.ts';
import { readOnly } from './read-only.ts';
import { AskedContext } from './request-context.ts';
import { tooMuch } from './shed-reads.ts';
import { noteRefusal, statusClassOf } from './status-class.ts';
import { StreamedAnswer } from './streamed-answer.ts';
import { parsePart } from './validation.ts';

/** What turning a request into an answer needs beside the endpoint itself. */
export interface Dispatch extends CallerProof {
  readonly admission: Admission;
  /** The database went back in time: nothing may be changed until operators have looked at it. */
  readonly isReadOnly: () => boolean;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count' | 'record'>;
  readonly limits: DispatchLimits;
  readonly uploads: UploadSlots;
  readonly comingBodies: ComingBodies;
  /** Agents take no room from results, and results none from the end of a run, which is asked for once. */
  readonly largeBodies: { readonly [Room in 'completion' | 'inference' | 'results']: LargeBodies };
  readonly publicReads: PublicReads;
  /** What the endpoint says before the body is read; undefined where it takes no place for it. */
  readonly admit: (endpoint: Endpoint, request: AdmittedRequest) => (() => void) | undefined;
  readonly invoke: (endpoint: Endpoint, request: EndpointRequest) => Promise<unknown>;
  readonly newCommandId: () => string;
  /** Whether the client spoke TLS, as far as anybody says so whom we trust. */
  readonly isSecure: (request: IncomingMessage) => boolean;
  readonly reportError: (error: unknown, about: ErrorContext) => void;
  /**
   * True in test runs: an answer that its own schema does not describe is a 500, so that drift is
   * caught. Production does not pay for it.
   */
  readonly checkResponses: boolean;
  /** Aborts when the edge begins to drain: ends what a client takes up again elsewhere. */
  readonly stopping?: AbortSignal;
}

export interface DispatchLimits {
  readonly bodyBytesPerSecondMin: number;
  readonly bodyBytesMax: Readonly<Record<NonNullable<Endpoint['bodyLimit']>, number>>;
  readonly budgetMs: Readonly<Record<NonNullable<Endpoint['budget']>, number>>;
}

export interface ErrorContext {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly code: string;
}

/** Answers one request on `endpoint`. Never rejects. */
export async function dispatch(
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  params: unknown,
  by: Dispatch,
): Promise<void> {
  const startedMs = by.clock.monotonicMs();
  await admitted(endpoint, http, params, by);
  by.telemetry.record('paddock.edge.request.duration', by.clock.monotonicMs() - startedMs, {
    method: endpoint.method,
    route: endpoint.path,
    status: statusClassOf(http.response),
  });
}

async function admitted(
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  params: unknown,
  by: Dispatch,
): Promise<void> {
  const { request, response } = http;
  if (endpoint.deprecated !== undefined) sayDeprecated(response, endpoint.deprecated);
  if (endpoint.method !== 'get' && by.isReadOnly()) {
    sendFault(response, readOnly());
    discardRest(request);
    return;
  }
  if (!by.admission.enter(endpoint.trafficClass)) {
    by.telemetry.count('paddock.edge.shed', 1, { lane: 'admission' });
    sendFault(response, tooMuch);
    discardRest(request);
    return;
  }
  let later: AwaitedAnswer | StreamedAnswer | undefined;
  try {
    const answer = await answerOf(endpoint, http, params, by);
    if (answer instanceof AwaitedAnswer || answer instanceof StreamedAnswer) later = answer;
    else if (answer instanceof Representation) {
      const policy = endpoint.cache ?? liveRead;
      const sending = sendRepresentation(response, answer, policy, by.publicReads.large);
      if (sending !== undefined) await sending;
    } else sendAnswer(response, answer);
  } catch (error) {
    refuse(endpoint, http, error, by);
  } finally {
    by.admission.leave();
    discardRest(request);
  }
  // Outside the count of what is in flight: these wait more than they work. Whoever opens one bounds
  // how many there are.
  const stream = later instanceof AwaitedAnswer ? await awaited(later, endpoint, http, by) : later;
  if (stream !== undefined) await streamed(stream, endpoint, http, by);
}

/** The stream that it turned out to be; undefined when it is answered. */
async function awaited(
  later: AwaitedAnswer,
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  by: Dispatch,
): Promise<StreamedAnswer | undefined> {
  try {
    const answer = await later.settle();
    if (answer instanceof StreamedAnswer) return answer;
    sendAnswer(http.response, answer);
  } catch (error) {
    refuse(endpoint, http, error, by);
  }
  return undefined;
}

async function streamed(
  stream: StreamedAnswer,
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  by: Dispatch,
): Promise<void> {
  const { response } = http;
  const cut = () => response.end();
  const isOver = stream.isResumable && by.stopping?.aborted === true;
  if (stream.isResumable) by.stopping?.addEventListener('abort', cut, { once: true });
  try {
    await sendStream(response, isOver ? emptied(stream) : stream);
  } catch (error) {
    // The client went away, or what was streamed broke off: the connection has ended either way.
    if (!isGone(error)) refuse(endpoint, http, error, by);
    response.destroy();
  } finally {
    by.stopping?.removeEventListener('abort', cut);
  }
}

/** Whoever opened it while the edge was stopping takes it up elsewhere, as those before. */
function emptied({ status, headers }: StreamedAnswer): StreamedAnswer {
  const chunks = (async function* () {})();
  return new StreamedAnswer({ status, headers, chunks });
}

const goneCodes = [
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
  'ECONNRESET',
  'EPIPE',
];

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && goneCodes.includes(String(error.code));
}

/** RFC 9745, on every answer of the route, refusals too. */
function sayDeprecated(response: ServerResponse, { since, successor }: Deprecation): void {
  settleHead(response);
  response.setHeader('Deprecation', `@${since}`);
  response.setHeader('Link', `<${successor}>; rel="successor-version"`);
}

async function answerOf(
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  rawParams: unknown,
  by: Dispatch,
): Promise<unknown> {
  const { request, response } = http;
  const deadlineMs = by.clock.nowMs() + by.limits.budgetMs[endpoint.budget ?? 'request'];
  // A public read waits for nothing but its load: each promise on the way costs it a hundredth.
  const proof = proveCaller(endpoint, request, by, deadlineMs);
  const caller = proof instanceof Promise ? await proof : proof;
  // A proof may wait among many others, and nobody waits for what is done now.
  if (response.destroyed || isGivenUp(response)) throw new ClientGone();
  const params = endpoint.params && parsePart(endpoint.params, rawParams, 'path');
  const given = queryText(request.url ?? '');
  const query = endpoint.query && parsePart(endpoint.query, given, 'query');
  const context = new AskedContext(endpoint, http, { caller, params, deadlineMs }, by);
  const leave = by.admit(endpoint, { caller, params, query, context });
  if (leave !== undefined) onceClosed(response, leave);
  const hasBody = endpoint.body !== undefined || endpoint.bodyKind !== undefined;
  const body = hasBody ? await bodyOf(endpoint, http, caller, by) : undefined;
  const asked = { caller, params, query, body, context };
  if (endpoint.cache !== undefined) return await readPublicly(endpoint, asked, by);
  const invoke = () => by.invoke(endpoint, asked);
  const isUpload = endpoint.bodyKind === 'multipart';
  const answer = await (isUpload ? by.uploads.during(caller.name, invoke) : invoke());
  if (by.checkResponses) requireDescribed(endpoint, answer);
  return response.destroyed ? undefined : answer;
}

/**
 * One load serves all who ask the same, so it knows nothing of the one who began it: it goes on when
 * that client leaves. What was understood is the key, and not how it was spelled.
 */
function readPublicly(
  endpoint: Endpoint,
  asked: EndpointRequest,
  by: Dispatch,
): Promise<Representation> {
  const isAll = asked.params === undefined && asked.query === undefined;
  const key = isAll
    ? endpoint.path
    : JSON.stringify([endpoint.path, asked.params ?? null, asked.query ?? null]);
  return by.publicReads.read(key, async () => {
    const answer = await by.invoke(endpoint, asked);
    if (by.checkResponses) requireDescribed(endpoint, answer);
    return answer;
  });
}

async function bodyOf(
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  caller: Caller,
  by: Dispatch,
): Promise<unknown> {
  if (endpoint.bodyKind === 'multipart' || endpoint.bodyKind === 'raw') {
    letBodyCome(http.request, http.response);
    const withinMs = by.limits.budgetMs[endpoint.budget ?? 'request'];
    const bytesPerSecondMin = by.limits.bodyBytesPerSecondMin;
    if (endpoint.bodyKind === 'raw') endSlowFile(http, { withinMs, bytesPerSecondMin }, by.clock);
    else endSlowBody(http, withinMs, by.clock);
    return undefined;
  }
  if (endpoint.body === undefined) return undefined;
  const limit = endpoint.bodyLimit ?? 'json';
  const room = roomOf(endpoint);
  const onCame = room && by.largeBodies[room].hold(http.request, http.response, caller.name);
  const bytesMax = by.limits.bodyBytesMax[limit];
  const isCut = endpoint.mend !== undefined;
  const limits = { bytesMax, partsMax: partsMax[limit], onCame, isCut };
  const read = () => readJsonBody(http.request, http.response, limits);
  const { value, mayBeOdd } = await (hasWholeBody(http.request) || !announcesBody(http.request)
    ? read()
    : by.comingBodies.during(endpoint, caller.name || by.remoteAddress(http.request), () => {
        endSlowBody(http, by.limits.budgetMs.request, by.clock);
        return read();
      }));
  const body = parsePart(endpoint.body, value, 'body');
  if (!mayBeOdd) return body;
  return endpoint.mend === undefined ? requireStorable(body) : endpoint.mend(body);
}

/** Few fit into 64 KiB, and operators may send suites of ten thousand problems. */
const partsMax = {
  ...{ json: undefined, results: resultsPartsMax },
  ...{ operator: undefined, inference: completionPartsMax },
} satisfies Record<NonNullable<Endpoint['bodyLimit']>, number | undefined>;

function roomOf({ bodyLimit, budget }: Endpoint): keyof Dispatch['largeBodies'] | undefined {
  if (bodyLimit === 'inference') return 'inference';
  if (bodyLimit !== 'results') return undefined;
  return budget === 'completion' ? 'completion' : 'results';
}

function requireDescribed(endpoint: Endpoint, answer: unknown): void {
  if (answer instanceof AwaitedAnswer || answer instanceof StreamedAnswer) return;
  if (answer instanceof PreparedAnswer) return;
  if (answer === undefined && endpoint.mayBeEmpty === true) return;
  // A round through JSON first: what the client reads counts, not what the handler holds.
  const parsed = endpoint.response.safeParse(JSON.parse(JSON.stringify(answer) ?? 'null'));
  if (!parsed.success) {
    const problem = parsed.error.issues[0];
    const where = problem?.path.join('.') ?? '';
    throw new Error(
      `${endpoint.path} answers what it does not describe: ${where} ${problem?.message}`,
    );
  }
}

function requireDescribedFault(endpoint: Endpoint, error: unknown): unknown {
  const fault = faultOf(error);
  if (possibleFaults(endpoint).has(fault.code) && carriesWhatItShould(fault)) return error;
  const said = `${fault.code} with ${JSON.stringify(fault.extras)}`;
  return new Error(`${endpoint.path} refuses as it does not describe: ${said}`, { cause: error });
}

function refuse(
  endpoint: Endpoint,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  error: unknown,
  by: Dispatch,
): void {
  const { response } = http;
  if (error instanceof ClientGone || response.destroyed || isGivenUp(response)) return;
  const known = by.checkResponses ? requireDescribedFault(endpoint, error) : error;
  const fault = faultOf(known);
  // An error that another process reported has its log line there; the trace leads to it.
  if (fault !== known || fault.code === 'INTERNAL_ERROR') {
    by.reportError(known, {
      requestId: requestIdOf(response) ?? '',
      method: endpoint.method,
      path: endpoint.path,
      code: fault.code,
    });
  }
  noteRefusal(response, fault.code);
  sendFault(response, fault);
}
