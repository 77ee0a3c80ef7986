import {
  type ChatCompletion,
  ProviderUnavailable,
  type UpstreamAnswer,
} from '../ports/inference.ts';
import { fetchFrom, type ProviderSite } from './provider-site.ts';

/** `POST /v1/chat/completions`; answers with the headers, and the body comes as it is read. */
export async function sendCompletion(
  site: Pick<ProviderSite, 'baseUrl'>,
  { accessKey, body, signal }: ChatCompletion,
): Promise<UpstreamAnswer> {
  const request = {
    method: 'POST',
    path: '/v1/chat/completions',
    bearer: accessKey,
    body,
  } as const;
  const response = await fetchFrom(site, request, signal).catch((cause: unknown) => {
    throw new ProviderUnavailable('no answer to a completion', { cause });
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? 'application/octet-stream',
    retryAfterSeconds: wholeSeconds(response.headers.get('retry-after')),
    body: chunksOf(response),
  };
}

/** The other form of Retry-After, a date, would need this host's clock to agree with theirs. */
function wholeSeconds(text: string | null): number | undefined {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** Ended early by its reader, it ends the request too. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) yield chunk;
  } catch (cause) {
    throw new ProviderUnavailable('the answer to a completion broke off', { cause });
  }
}
