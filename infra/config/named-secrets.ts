import { z } from 'zod';

/** An operator's Bearer token, under the name that the audit log shows. */
export interface OperatorToken {
  readonly name: string;
  readonly token: string;
}

/** An AES-256 key for the miners' provider credentials. The first of the list seals, all open. */
export interface CredentialKey {
  readonly id: string;
  readonly key: Uint8Array;
}

const tokenLengthMin = 32;
const credentialKeyBytes = 32;
/** What can stand in a log line, a metric and a sealed text without quotes. */
const keyIdPattern = /^[A-Za-z0-9][A-Za-z0-9._@/+-]{0,63}$/;
const secretSizeBytes = 32;

/** `name:token,…`; the messages name the position, never the text. */
export const operatorTokens: z.ZodType<OperatorToken[], string> = z
  .string()
  .transform((text, context) =>
    pairs(text).map(([name, token], index) => {
      if (name === '' || token.length < tokenLengthMin) {
        const message = `entry ${index + 1} must be name:token with a token of ${tokenLengthMin} characters or more`;
        context.addIssue({ code: 'custom', message });
      }
      return { name, token };
    }),
  )
  .refine((tokens) => allDiffer(tokens.map(({ name }) => name)), 'must not repeat a name');

/** `id:base64,…` */
export const credentialKeys: z.ZodType<CredentialKey[], string> = z
  .string()
  .transform((text, context) =>
    pairs(text).map(([id, base64], index) => {
      const key = new Uint8Array(Buffer.from(base64, 'base64'));
      if (id === '' || key.length !== credentialKeyBytes || !isBase64(base64)) {
        const message = `entry ${index + 1} must be id:base64 of ${credentialKeyBytes} bytes`;
        context.addIssue({ code: 'custom', message });
      } else if (!keyIdPattern.test(id)) {
        const message = `entry ${index + 1} must have an id of 1 to 64 letters, digits and ._@/+-`;
        context.addIssue({ code: 'custom', message });
      }
      return { id, key };
    }),
  )
  .refine((keys) => allDiffer(keys.map(({ id }) => id)), 'must not repeat an id')
  .refine(
    (keys) => allDiffer(keys.map(({ key }) => Buffer.from(key).toString('hex'))),
    'must not hold one key under two ids',
  );

/** A key of 32 bytes, or the seed of one, as base64. */
export const secretBytes: z.ZodType<Uint8Array, string> = z
  .string()
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
  .refine(({ length }) => length === secretSizeBytes, `must be ${secretSizeBytes} bytes in base64`);

/** Node reads over characters that are none of it, so that a typing error would be another key. */
function isBase64(text: string): boolean {
  const plain = (spelt: string) =>
    spelt.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  return plain(Buffer.from(text, 'base64').toString('base64')) === plain(text);
}

function pairs(text: string): [string, string][] {
  return text.split(',').map((entry) => {
    const colon = entry.indexOf(':');
    if (colon < 0) return ['', ''];
    return [entry.slice(0, colon).trim(), entry.slice(colon + 1).trim()];
  });
}

function allDiffer(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
