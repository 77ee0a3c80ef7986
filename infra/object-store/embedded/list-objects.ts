import type { BlobRecord } from './blob-record.ts';
import type { Exchange, S3Response } from './exchange.ts';
import { S3Error } from './s3-error.ts';
import { xmlElement, xmlHeader } from './xml.ts';

/** S3's own limit for one page. */
const pageMax = 1000;

/** ListObjectsV2, in the order of the keys' bytes. A token is the last key of the page before. */
export async function listObjects({ request, files }: Exchange): Promise<S3Response> {
  const read = (name: string) => request.query.get(name)?.value;
  if (read('list-type') !== '2') throw new S3Error('NotImplemented', 'Only ListObjectsV2 is.');
  const prefix = read('prefix') ?? '';
  const token = read('continuation-token');
  const after = token === undefined ? read('start-after') : decodeToken(token);
  const limit = readLimit(read('max-keys'));
  const found = await matching(files.records(request.bucket), prefix, after ?? '');
  const page = found.slice(0, limit);
  const last = found.length > page.length ? page.at(-1) : undefined;
  const encode = read('encoding-type') === 'url' ? encodeURIComponent : (key: string) => key;
  const body = xmlElement('ListBucketResult', [
    xmlElement('Name', request.bucket),
    xmlElement('Prefix', encode(prefix)),
    xmlElement('KeyCount', String(page.length)),
    xmlElement('MaxKeys', String(limit)),
    xmlElement('IsTruncated', String(last !== undefined)),
    last === undefined ? '' : xmlElement('NextContinuationToken', encodeToken(last.key)),
    ...page.map((record) => contents(record, encode)),
  ]);
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: xmlHeader + body };
}

async function matching(
  records: AsyncIterable<BlobRecord>,
  prefix: string,
  after: string,
): Promise<BlobRecord[]> {
  const found: BlobRecord[] = [];
  for await (const record of records) {
    if (record.key.startsWith(prefix) && compareBytes(record.key, after) > 0) found.push(record);
  }
  return found.sort((left, right) => compareBytes(left.key, right.key));
}

function contents(record: BlobRecord, encode: (key: string) => string): string {
  return xmlElement('Contents', [
    xmlElement('Key', encode(record.key)),
    xmlElement('LastModified', new Date(record.modifiedAtMs).toISOString()),
    xmlElement('ETag', `"${record.md5Hex}"`),
    xmlElement('Size', String(record.sizeBytes)),
    xmlElement('StorageClass', 'STANDARD'),
  ]);
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return pageMax;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new S3Error('InvalidArgument', 'max-keys is a positive integer.');
  }
  return Math.min(Number(text), pageMax);
}

function encodeToken(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function decodeToken(token: string): string {
  return Buffer.from(token, 'base64url').toString();
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
