import type { FileHandle } from 'node:fs/promises';

/** What is known of an object besides its bytes. */
export interface BlobRecord {
  readonly key: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly md5Hex: string;
  readonly sha256Base64: string;
  /** Unix milliseconds. */
  readonly modifiedAtMs: number;
}

const magic = 'PDK1';
const endBytes = 8;
/** A key and a content type are at most a few kilobytes. */
const recordBytesMax = 65_536;

/**
 * An object is one file, so that one rename makes it visible whole: its bytes, then this record in
 * JSON, the JSON's length (32 bits, big-endian) and a magic word.
 */
export function encodeRecord(record: BlobRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record));
  const end = Buffer.alloc(endBytes);
  end.writeUInt32BE(json.length);
  end.write(magic, 4, 'latin1');
  return Buffer.concat([json, end]);
}

/** Throws for a file that this server did not finish. */
export async function readRecord(file: FileHandle): Promise<BlobRecord> {
  const { size } = await file.stat();
  const end = await readAt(file, size - endBytes, endBytes);
  const recordBytes = end.readUInt32BE(0);
  if (end.toString('latin1', 4) !== magic || recordBytes > recordBytesMax) throw damaged();
  const json = await readAt(file, size - endBytes - recordBytes, recordBytes);
  const record: BlobRecord = JSON.parse(json.toString());
  if (record.sizeBytes !== size - endBytes - recordBytes) throw damaged();
  return record;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0) throw damaged();
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead !== length) throw damaged();
  return bytes;
}

function damaged(): Error {
  return new Error('an object file is damaged');
}
