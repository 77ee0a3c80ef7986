import type { Dice } from '../../fuzz/dice.ts';
import type { Category, HostileRequest } from '../hostile-request.ts';
import type { Material } from '../material.ts';

type Change = (url: URL, dice: Dice) => void;

const parameter =
  (name: string, of: (value: string, dice: Dice) => string): Change =>
  (url, dice) =>
    url.searchParams.set(name, of(url.searchParams.get(name) ?? '', dice));

/** Each makes the URL another one than was signed. */
const changes: readonly Change[] = [
  parameter('X-Amz-Signature', (value, dice) => {
    const at = dice.whole(0, 63);
    const digit = value[at] === '0' ? '1' : '0';
    return value.slice(0, at) + digit + value.slice(at + 1);
  }),
  parameter('X-Amz-Signature', (_, dice) => dice.hex(64)),
  parameter('X-Amz-Signature', () => ''),
  parameter('X-Amz-Expires', (value) => `${Number(value) + 1}`),
  parameter('X-Amz-Expires', () => '604800'),
  parameter('X-Amz-Date', () => '20300101T000000Z'),
  parameter('X-Amz-Credential', (value) => value.replace('s3', 'iam')),
  parameter('X-Amz-SignedHeaders', () => ''),
  parameter('response-content-type', () => 'text/html'),
  parameter('x-amz-checksum-sha256', () => 'AAAA'),
  parameter('versionId', () => '1'),
  parameter('X-Amz-Algorithm', () => 'AWS4-HMAC-SHA1'),
  (url, dice) => (url.pathname = `/paddock/code/${dice.hex(64)}.py`),
  (url) => (url.pathname = `${url.pathname}/../../bundles/x`),
  (url) => (url.pathname = '/paddock'),
  (url, dice) => (url.pathname = `/paddock/packs/${dice.hex(64)}.tar.gz`),
  (url) => url.searchParams.delete('X-Amz-Signature'),
  (url) => (url.search = ''),
];

/** Presigned URLs that were changed, or used with another method, length or header. */
export function objects({ objectUrls }: Material, share: number): Category {
  return { name: 'presigned URLs, changed', share, make };
  function make(dice: Dice): HostileRequest {
    const { method, url: signed } = dice.pick(objectUrls) ?? { method: 'GET', url: 'http://x/' };
    const url = new URL(signed);
    const others = ['GET', 'PUT', 'DELETE', 'POST'].filter((each) => each !== method);
    const isOtherMethod = dice.chance(0.2);
    if (!isOtherMethod) dice.pick(changes)?.(url, dice);
    const verb = isOtherMethod ? dice.pick(others) : method;
    const header = dice.chance(0.2) ? 'x-amz-acl: public-read\r\n' : '';
    const head = `${verb} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${header}`;
    const bytes = Buffer.from(`${head}Content-Length: 4\r\n\r\nevil`, 'latin1');
    return { bytes, lane: 'objects', expected: [0, 400, 403, 404, 405, 411, 501] };
  }
}
