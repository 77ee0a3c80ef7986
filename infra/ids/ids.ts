import { hash, randomBytes, randomUUID } from 'node:crypto';

/** A fresh version 4 UUID in lower case. */
export function randomId(): string {
  return randomUUID();
}

/** `sizeBytes` bytes from the system's secure source, as lower-case hex. */
export function randomHex(sizeBytes: number): string {
  return randomBytes(sizeBytes).toString('hex');
}

export function sha256Hex(input: string | Uint8Array): string {
  return hash('sha256', input, 'hex');
}

/** The version 5 UUID of `name` in a namespace (RFC 9562, section 5.5): same input, same id. */
export function uuidV5(namespaceUuid: string, name: string): string {
  return uuidOf(hash('sha1', Buffer.concat([namespaceOf(namespaceUuid), Buffer.from(name)])), '5');
}

let lastNamespace: { readonly uuid: string; readonly bytes: Buffer } | undefined;

/** Nearly always the same one. */
function namespaceOf(uuid: string): Buffer {
  if (lastNamespace?.uuid === uuid) return lastNamespace.bytes;
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  if (bytes.length !== 16) throw new Error(`not a namespace UUID: ${uuid}`);
  lastNamespace = { uuid, bytes };
  return bytes;
}

/**
 * Ids of what belongs to one thing: the first halves are the same, so that an index finds room for all
 * of them in one place. The same two names give the same id, of version 8 (RFC 9562, section 5.8).
 */
export function idsWithin(outer: string): (inner: string) => string {
  const shared = hash('sha256', outer).slice(0, 16);
  return (inner) => uuidOf(shared + hash('sha256', `${outer}/${inner}`).slice(0, 16), '8');
}

/** Of all ids that `idsWithin` gives for whatever this one belongs to, the least and the greatest. */
export function idsBeside(id: string): { readonly first: string; readonly last: string } {
  const shared = id.slice(0, 'xxxxxxxx-xxxx-xxxx'.length);
  return { first: `${shared}-0000-000000000000`, last: `${shared}-ffff-ffffffffffff` };
}

/**
 * The hex digits with which all ids begin that `idsWithin` gives for whatever this one belongs to: those of
 * the SHA-256 of its name, with the version in the place of one. Undefined for an id of other making.
 */
export function sharedByIds(id: string): string | undefined {
  return id.charAt('xxxxxxxx-xxxx-'.length) === '8'
    ? id.slice(0, 18).replaceAll('-', '')
    : undefined;
}

/** From at least 32 hex digits, of which six bits say version and variant. */
function uuidOf(hex: string, version: '5' | '8'): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return (
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}` +
    `-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  );
}
