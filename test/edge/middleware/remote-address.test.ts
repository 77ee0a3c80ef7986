import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { remoteAddressReader } from '../../../apps/edge/middleware/remote-address.ts';

function request(peer: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  // The reader looks at these two fields alone.
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

test('without trusted proxies the peer is who asked, whatever a header says', (t) => {
  const read = remoteAddressReader([]);
  t.is(read(request('203.0.113.9', '198.51.100.1')), '203.0.113.9');
  t.is(read(request('::ffff:203.0.113.9')), '203.0.113.9');
});

test('behind trusted proxies it is the last address that none of them has', (t) => {
  const read = remoteAddressReader(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);
  t.is(read(request('10.1.2.3', '198.51.100.1')), '198.51.100.1');
  t.is(read(request('10.1.2.3', '1.1.1.1, 198.51.100.1, 192.0.2.7')), '198.51.100.1');
  t.is(read(request('fd00::1', '2001:db8::5')), '2001:db8::5');
  t.is(read(request('203.0.113.9', '198.51.100.1')), '203.0.113.9', 'no proxy of ours');
  t.is(read(request('10.1.2.3', 'nonsense')), '10.1.2.3');
  t.is(read(request('10.1.2.3')), '10.1.2.3');
});
