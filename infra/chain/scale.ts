/** The five shapes of SCALE, Substrate's encoding, that this project reads: little-endian, no tags. */

export class ScaleInvalid extends Error {
  override name = 'ScaleInvalid';
}

export const accountIdBytes = 32;

export function encodeU16(value: number): Uint8Array {
  const bytes = new Uint8Array(2);
  new DataView(bytes.buffer).setUint16(0, value, true);
  return bytes;
}

export function decodeU16(bytes: Uint8Array): number {
  return viewOf(bytes, 2).getUint16(0, true);
}

export function encodeU64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

export function decodeU64(bytes: Uint8Array): bigint {
  return viewOf(bytes, 8).getBigUint64(0, true);
}

export function decodeAccountId(bytes: Uint8Array): Uint8Array {
  viewOf(bytes, accountIdBytes);
  return bytes;
}

/** A compact length, then the account ids one after another. */
export function encodeAccountIds(accountIds: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.from(encodeLength(accountIds.length)), ...accountIds]);
}

export function decodeAccountIds(bytes: Uint8Array): readonly Uint8Array[] {
  const { length, sizeBytes } = decodeLength(bytes);
  const ids = bytes.subarray(sizeBytes);
  if (ids.length !== length * accountIdBytes) {
    throw new ScaleInvalid(`a list of ${length} account ids has ${ids.length} bytes`);
  }
  return Array.from({ length }, (_, at) =>
    ids.subarray(at * accountIdBytes, (at + 1) * accountIdBytes),
  );
}

/** A compact length, then one byte per element. */
export function encodeBools(values: readonly boolean[]): Uint8Array {
  return Uint8Array.from([...encodeLength(values.length), ...values.map(Number)]);
}

export function decodeBools(bytes: Uint8Array): readonly boolean[] {
  const { length, sizeBytes } = decodeLength(bytes);
  const elements = bytes.subarray(sizeBytes);
  if (elements.length !== length) {
    throw new ScaleInvalid(`a list of ${length} has ${elements.length} elements`);
  }
  return Array.from(elements, (byte) => {
    if (byte > 1) throw new ScaleInvalid(`${byte} is no bool`);
    return byte === 1;
  });
}

/** Nothing here has more than 2^30 - 1 elements, so the mode for those never comes. */
function encodeLength(length: number): number[] {
  const shifted = length * 4;
  if (length < 2 ** 6) return [shifted];
  if (length < 2 ** 14) return [...encodeU16(shifted + 1)];
  return [...encodeU16((shifted + 2) & 0xffff), ...encodeU16(shifted >>> 16)];
}

function decodeLength(bytes: Uint8Array): { readonly length: number; readonly sizeBytes: number } {
  const sizeBytes = [1, 2, 4][(bytes[0] ?? 3) & 3];
  if (sizeBytes === undefined || bytes.length < sizeBytes) {
    throw new ScaleInvalid('a list has no readable length');
  }
  const padded = Uint8Array.from({ length: 4 }, (_, at) => (at < sizeBytes ? bytes[at] : 0) ?? 0);
  return { length: viewOf(padded, 4).getUint32(0, true) >>> 2, sizeBytes };
}

function viewOf(bytes: Uint8Array, sizeBytes: number): DataView {
  if (bytes.length !== sizeBytes) {
    throw new ScaleInvalid(`${bytes.length} bytes where ${sizeBytes} belong`);
  }
  return new DataView(bytes.buffer, bytes.byteOffset, sizeBytes);
}
