import { isInOwnWords } from '../../../infra/inference/provider-site.ts';
import type { UpstreamAnswer } from '../../../infra/ports/inference.ts';
import { parsedJson } from '../../../machines/parsed-json.ts';
import { refusal } from '../../../machines/refusal.ts';
import { PreparedAnswer } from '../prepared-answer.ts';
import type { Sent } from './send-to-provider.ts';

/** What a provider may say to an agent; any other refusal is told as 400. */
export const passedStatuses: readonly number[] = [400, 402, 403, 413, 422, 429];

/** More than any explanation needs. */
const refusalBytesMax = 64 * 1024;

/**
 * The provider's refusal as the agent gets it: its status and its JSON, and nothing of the key that it
 * was asked with. It has no `error_code`, by which ours are known.
 *
 * @throws PROVIDER_UNAVAILABLE for what is no word on the question: a conflict (409), which clients of such
 *   providers repeat, and a 403 of whatever stands between. An agent may have brought both about, so that
 *   they are no outage: the run's tasks count, and only the blame for a run without any success is saved.
 */
export async function passRefusal({ answer, key }: Sent, from: string): Promise<PreparedAnswer> {
  const status = passedStatuses.includes(answer.status) ? answer.status : 400;
  const text = withoutKey(await refusalText(answer), key.accessKey);
  if (answer.status === 409 || (status === 403 && !isInOwnWords(text))) {
    throw refusal('PROVIDER_UNAVAILABLE', {
      says: `The provider, or what stands before it, answers ${answer.status}.`,
    });
  }
  const said = parsedJson(text);
  const isObject = typeof said === 'object' && said !== null && !Array.isArray(said);
  const body = isObject ? said : { error: { message: text.slice(0, 1000), code: answer.status } };
  return new PreparedAnswer({
    status,
    body: JSON.stringify(body),
    headers: {
      'X-Inference-Provider': from,
      ...(status === 429 && { 'Retry-After': String(answer.retryAfterSeconds ?? 1) }),
    },
  });
}

/** To its end where nothing closes it, so that no text is looked at twice. */
const jsonTexts = /"(?:[^"\\]|\\.?)*(?:"|$)/gs;

/** A text of JSON may be spelt in many ways, and is the same to whoever reads it. */
function withoutKey(text: string, accessKey: string): string {
  const plain = text.replace(jsonTexts, (spelt) => {
    const said = parsedJson(spelt);
    if (typeof said !== 'string' || !said.includes(accessKey)) return spelt;
    return JSON.stringify(said.replaceAll(accessKey, '[key]'));
  });
  return plain.replaceAll(accessKey, '[key]');
}

async function refusalText({ body }: UpstreamAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > refusalBytesMax) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
