import { createHmac } from 'node:crypto';

/** How secrets are written: the key itself follows in base64. */
export const secretPrefix = 'whsec_';
export const secretBytesMin = 24;
export const secretBytesMax = 64;

/** The key of a secret; undefined for a text that is none. */
export function secretKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(secretPrefix)) return undefined;
  const text = secret.slice(secretPrefix.length);
  const key = Buffer.from(text, 'base64');
  if (key.toString('base64') !== text) return undefined;
  return key.length >= secretBytesMin && key.length <= secretBytesMax ? key : undefined;
}

/** What the secret of a webhook is sealed for. */
export const secretContext = (webhookId: string) => `webhook:${webhookId}`;

export interface Signed {
  /** The same for every attempt, so that receivers know a repeat. */
  readonly id: string;
  /** Unix seconds of this attempt, so that receivers can refuse what is played back to them. */
  readonly timestamp: number;
  readonly body: string;
}

/** HMAC-SHA256 over id, timestamp and body, in the form of the Standard Webhooks convention. */
export function signature(secret: string, { id, timestamp, body }: Signed): string {
  const key = secretKey(secret);
  if (key === undefined) throw new Error('not the secret of a webhook');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
