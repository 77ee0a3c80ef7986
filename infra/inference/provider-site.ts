import { z } from 'zod';
import { parsedJson } from '../../machines/parsed-json.ts';
import { withDeadline } from '../chain/deadline.ts';
import type { Clock } from '../ports/clock.ts';
import { CredentialRejected, ProviderUnavailable } from '../ports/inference.ts';

/** Where a provider is, and how long it may take for anything but a completion. */
export interface ProviderSite {
  /** May hold a path of its own; requests go nowhere else. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface ProviderRequest {
  readonly method: 'DELETE' | 'GET' | 'POST';
  /** From the base URL on. */
  readonly path: string;
  readonly bearer?: string;
  /** Sent as JSON. */
  readonly json?: object;
  /** Sent as a form, as OAuth wants it. */
  readonly form?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly text: string;
}

/** Thousands of models with what each of them can do. */
const answerBytesMax = 8 * 1024 * 1024;

/** The whole answer, whatever its status. @throws ProviderUnavailable */
export async function askProvider(
  site: ProviderSite,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  try {
    return await withDeadline(site, async (deadline) => {
      const signals = request.signal === undefined ? [deadline] : [deadline, request.signal];
      const response = await fetchFrom(site, request, AbortSignal.any(signals));
      return { status: response.status, text: await readBounded(response) };
    });
  } catch (error) {
    // The cause may name an address, never a secret: those travel in headers and bodies.
    throw new ProviderUnavailable(`no usable answer to ${request.method} ${pathWord(request)}`, {
      cause: error,
    });
  }
}

/**
 * The answer's JSON, which the credential that was sent made it give.
 * @throws CredentialRejected, ProviderUnavailable
 */
export function acceptedJson(answer: ProviderAnswer, isRejection = refusesCredential): unknown {
  requireAccepted(answer, isRejection);
  const { status, text } = answer;
  const value = parsedJson(text);
  if (value === undefined)
    throw new ProviderUnavailable('the provider answers no JSON', { status });
  return value;
}

/** @throws CredentialRejected, ProviderUnavailable */
export function requireAccepted(answer: ProviderAnswer, isRejection = refusesCredential): void {
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  const text = `the provider answers ${status}`;
  if (isRejection(answer)) throw new CredentialRejected(text);
  throw new ProviderUnavailable(text, { status });
}

const errorAnswer = z.object({ error: z.union([z.string(), z.looseObject({})]) });

/**
 * Only what another credential would mend: 401, and 402 of an account out of credit. A 400 is of how we
 * ask. 403 counts in a provider's own words, since firewalls on the way say it too.
 */
export function refusesCredential({ status, text }: ProviderAnswer): boolean {
  if (status === 403) return isInOwnWords(text);
  return status === 401 || status === 402;
}

/** What providers answer has an `error` in JSON; what stands between has its own page, or other JSON. */
export function isInOwnWords(text: string): boolean {
  return errorAnswer.safeParse(parsedJson(text)).success;
}

/** Resolves with the headers; the body is the caller's to read or to cancel. */
export async function fetchFrom(
  site: Pick<ProviderSite, 'baseUrl'>,
  request: ProviderRequest & { readonly body?: string },
  signal: AbortSignal,
): Promise<Response> {
  const { method, path, bearer } = request;
  const [contentType, body] = bodyOf(request);
  return await fetch(`${site.baseUrl.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
      // Compressed chunks of a stream would wait for each other.
      'accept-encoding': 'identity',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ...(body !== undefined && { body }),
    signal,
    // Neither an answer from elsewhere counts, nor may a secret go there.
    redirect: 'error',
  });
}

function bodyOf(
  request: ProviderRequest & { readonly body?: string },
): [string | undefined, string | undefined] {
  const { json, form, body } = request;
  if (body !== undefined) return ['application/json', body];
  if (json !== undefined) return ['application/json', JSON.stringify(json)];
  if (form === undefined) return [undefined, undefined];
  return ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()];
}

/** Without ids, which stand for secrets at some providers. */
function pathWord({ path }: ProviderRequest): string {
  return path.split('/').slice(0, 3).join('/');
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Leaving the loop early cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > answerBytesMax) throw new Error(`an answer of over ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
