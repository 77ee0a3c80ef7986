/** What a text of at least this many bytes says of a secret is too much. */
export const windowBytes = 16;

/** The ways in which a secret may stand somewhere without anybody having meant to hide it. */
export function spellingsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret);
  const all: [string, string][] = [
    ['raw', secret],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    ...[0, 1, 2].flatMap((before): [string, string][] => {
      const text = base64At(bytes, before);
      const url = text.replaceAll('+', '-').replaceAll('/', '_');
      return [
        [`base64 at ${before}`, text],
        [`base64url at ${before}`, url],
      ];
    }),
    ['URL-encoded', encodeURIComponent(secret)],
    ['form-encoded', new URLSearchParams({ v: secret }).toString().slice('v='.length)],
    ['JSON', JSON.stringify(secret).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    ['UTF-16', Buffer.from(secret, 'utf16le').toString('latin1')],
  ];
  const known = new Set<string>();
  return new Map(
    all.filter(([, text]) => {
      const isNew = text.length >= windowBytes && !known.has(text);
      known.add(text);
      return isNew;
    }),
  );
}

/** The characters that depend on the secret alone, where `before` bytes stand in front of it. */
function base64At(bytes: Buffer, before: number): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const text = all.toString('base64').replace(/=+$/, '');
  const start = Math.ceil((before * 8) / 6);
  const end = all.length % 3 === 0 ? text.length : text.length - 1;
  return text.slice(start, end);
}
