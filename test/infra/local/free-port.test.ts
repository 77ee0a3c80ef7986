import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../../infra/local/free-port.ts';
import { until } from '../../support/until.ts';

test('no port is one that the system lends to outgoing connections', async (t) => {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  const lowest = existsSync(file) ? Number(readFileSync(file, 'utf8').split(/\s+/)[0]) : 32_768;
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));

  t.true(Math.max(...ports) < lowest);
  t.is(new Set(ports).size, 200);
});

test('what one was told is told to nobody else before a server can have started there', async (t) => {
  const given = await freePort();
  await t.throwsAsync(
    freePort(() => given),
    { message: /was free/ },
  );

  // As after the two minutes, of which nobody listened at the end.
  const file = join(tmpdir(), `paddock-ports-${userInfo().uid}`, String(given));
  await utimes(file, new Date(), new Date(Date.now() - 121_000));
  t.is(await freePort(() => given), given);
});

test('a port that is listened on is not told', async (t) => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await until(() => server.listening);
  t.teardown(() => void server.close());

  const proposed = [port, port];
  t.not(await freePort(() => proposed.shift() ?? randomInt(20_000, 32_768)), port);
  t.deepEqual(proposed, []);
  await t.throwsAsync(
    freePort(() => port),
    { message: /was free/ },
  );
});
