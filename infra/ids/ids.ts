import { createHash, hash, randomBytes, randomUUID } from 'node:crypto';

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
  const namespace = Buffer.from(namespaceUuid.replaceAll('-', ''), 'hex');
  if (namespace.length !== 16) throw new Error(`not a namespace UUID: ${namespaceUuid}`);
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ];
  return parts.join('-');
}
