import { sha256Hex } from '../ids/ids.ts';
import { StorageUnavailable } from './storage-unavailable.ts';

/** In the one folder where things are written over and over; what lies there was taken for something else. */
export const checksumTrialKey = 'history/checksum-trial';

const promised = Buffer.from('the bytes that were named');
const sent = Buffer.from('other bytes, just as long');

export const checksumTrial = {
  contentLength: sent.length,
  sha256: sha256Hex(promised),
  expiresInSeconds: 300,
} as const;

/** Of the bytes that are sent. No signature is over it, and whoever lies may add it all the same. */
const liarsHeader = {
  'x-amz-checksum-sha256': Buffer.from(sha256Hex(sent), 'hex').toString('base64'),
} as const;

/**
 * Whether a store refuses other bytes than `url` was signed for, for what they are. Throws where an answer
 * says neither: one of 403 may be of a right that is wanting.
 */
export async function refusesOtherBytes(url: string, signal: AbortSignal): Promise<boolean> {
  const plain = await answerTo(url, {}, signal);
  if (plain.isTaken) return false;
  if (!plain.isRefused || !/digest|checksum|sha256/i.test(plain.code)) throw undecided(plain);
  const masked = await answerTo(url, liarsHeader, signal);
  if (masked.isTaken) return false;
  if (!masked.isRefused) throw undecided(masked);
  return true;
}

type TrialAnswer = Awaited<ReturnType<typeof answerTo>>;

async function answerTo(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) {
  const { status, isTaken, text } = await sentTo(url, headers, signal);
  // The rest of a refusal may repeat the query, in which the checksum is named.
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
  const isRefused = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  return { status, code, isTaken, isRefused };
}

async function sentTo(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  try {
    const answer = await fetch(url, { method: 'PUT', headers, body: sent, signal });
    return { status: answer.status, isTaken: answer.ok, text: await answer.text() };
  } catch (error) {
    throw new StorageUnavailable('the object store cannot be used', { cause: error });
  }
}

function undecided({ status, code }: TrialAnswer): StorageUnavailable {
  return new StorageUnavailable(
    `the object store does not say whether it compares checksums: ${status} ${code}`,
  );
}
