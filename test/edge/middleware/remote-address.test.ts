import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { remoteAddressReader, secureReader } from '../../../apps/edge/middleware/remote-address.ts';

function request(peer: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  // The reader looks at these two fields alone.
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

test('without trusted proxies the peer is who asked, whatever a header says', (t) => {
  const read = remoteAddressReader([]);
  t.is(read(request('203.0.113.9', '198.51.100.1')), '203.0.113.9');
  t.is(read(request('::ffff:203.0.113.9')), '203.0.113.9');
  t.is(read(request('2001:db8::5', '198.51.100.1')), '2001:db8:0:0::/64');
});

test('behind trusted proxies it is the last address that none of them has', (t) => {
  const read = remoteAddressReader(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);
  t.is(read(request('10.1.2.3', '198.51.100.1')), '198.51.100.1');
  t.is(read(request('::ffff:10.1.2.3', '198.51.100.1')), '198.51.100.1');
  t.is(read(request('10.1.2.3', '1.1.1.1, 198.51.100.1, 192.0.2.7')), '198.51.100.1');
  t.is(read(request('10.1.2.3', '198.51.100.1,, 192.0.2.7 ,')), '198.51.100.1');
  t.is(read(request('fd00::1', '2001:db8::5')), '2001:db8:0:0::/64');
  t.is(read(request('203.0.113.9', '198.51.100.1')), '203.0.113.9', 'no proxy of ours');
});

test('who forwards without being trusted is heard of, nobody else is', (t) => {
  const heard: string[] = [];
  for (const trusted of [[], ['10.0.0.0/8']]) {
    const read = remoteAddressReader(trusted, (peer) => heard.push(peer));
    read(request('172.18.0.1'));
    t.is(read(request('::ffff:172.18.0.1', '198.51.100.1')), '172.18.0.1');
  }
  remoteAddressReader(['10.0.0.0/8'], (peer) => heard.push(peer))(request('10.1.2.3', '1.1.1.1'));
  t.deepEqual(heard, ['172.18.0.1', '172.18.0.1']);
});

test('a proxy is trusted in whatever spelling it is configured', (t) => {
  const read = remoteAddressReader(['::ffff:10.1.2.3', '2001:DB8:0:0::1']);
  t.is(read(request('10.1.2.3', '198.51.100.1')), '198.51.100.1');
  t.is(read(request('::ffff:10.1.2.3', '198.51.100.1')), '198.51.100.1');
  t.is(read(request('2001:db8::1', '198.51.100.1')), '198.51.100.1');
});

test('where no stranger is named, it is the farthest of the proxies', (t) => {
  const read = remoteAddressReader(['10.0.0.0/8']);
  t.is(read(request('10.1.2.3')), '10.1.2.3');
  t.is(read(request('10.1.2.3', '')), '10.1.2.3');
  t.is(read(request('10.1.2.3', '10.9.9.9, 10.4.5.6')), '10.9.9.9', 'a client of our own network');
  for (const nonsense of [
    'unknown',
    '_hidden',
    'nonsense',
    '"198.51.100.1"',
    '1.2.3',
    '[::1',
    '::1]',
  ]) {
    t.is(read(request('10.1.2.3', nonsense)), '10.1.2.3', nonsense);
    t.is(read(request('10.1.2.3', `1.1.1.1, ${nonsense}, 10.4.5.6`)), '10.4.5.6', nonsense);
  }
});

test('a proxy may add the port, and put IPv6 in brackets', (t) => {
  const read = remoteAddressReader(['10.0.0.0/8']);
  t.is(read(request('10.1.2.3', '198.51.100.1:50123')), '198.51.100.1');
  t.is(read(request('10.1.2.3', '[2001:db8::5]:50123')), '2001:db8:0:0::/64');
  t.is(read(request('10.1.2.3', '[2001:db8::5]')), '2001:db8:0:0::/64');
  t.is(read(request('10.1.2.3', '2001:db8::5')), '2001:db8:0:0::/64');
});

test('who writes more entries than any proxy adds still speaks for itself alone', (t) => {
  const read = remoteAddressReader(['10.0.0.0/8']);
  const claims = Array.from({ length: 500 }, (_, at) => `10.0.${at % 250}.1`).join(', ');
  t.is(read(request('203.0.113.9', claims)), '203.0.113.9', 'no proxy of ours');
  t.is(read(request('10.0.0.1', `${claims}, 198.51.100.1`)), '198.51.100.1');
  t.is(read(request('10.0.0.1', '198.51.100.1, 127.0.0.1')), '127.0.0.1', 'loopback is a stranger');
  t.is(read(request('10.0.0.1', '203.0.113.9, ::1')), '0:0:0:0::/64');
});

test('TLS is believed of a trusted proxy alone, by its own last word', (t) => {
  const spoke = (peer: string | undefined, proto?: string, socket: object = {}) => {
    const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto };
    const asked = { socket: { remoteAddress: peer, ...socket }, headers };
    return secureReader(['10.0.0.0/8', '::1'])(asked as unknown as IncomingMessage);
  };
  t.true(spoke('10.1.2.3', 'https'));
  t.true(spoke('::ffff:10.1.2.3', 'HTTPS'));
  t.true(spoke('::1', 'http, https'));
  t.true(spoke('203.0.113.9', undefined, { encrypted: true }), 'to us');
  for (const proto of [undefined, '', 'http', 'https, http', 'httpsx', 'https,']) {
    t.false(spoke('10.1.2.3', proto), proto);
  }
  t.false(spoke('203.0.113.9', 'https'));
  t.false(spoke(undefined, 'https'));
});
