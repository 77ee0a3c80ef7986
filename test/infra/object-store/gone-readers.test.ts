import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { until } from '../../support/until.ts';
import { embeddedStore, targetOf, uploadOf } from './store-under-test.ts';

/** Of this process, which the embedded store runs in. Only Linux shows them. */
function openFilesUnder(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test('a reader that leaves before its first byte leaves no file open', async (t) => {
  const tested = await embeddedStore();
  t.teardown(() => tested.stop());
  const store = createS3Store(tested.options);
  await store.ensureBucket();
  await store.putOnce('a/key', Buffer.from('some bytes'), uploadOf('some bytes'));
  const { endpoint } = tested.options;
  const target = targetOf(await store.presignGet('a/key', 60), endpoint);
  const { hostname, port, host } = new URL(endpoint);

  // Each a little later than the one before: somewhere in between the file was just opened.
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await new Promise((resolve) => socket.once('ready', resolve));
    await sleep(attempt / 20);
    socket.destroy();
  }

  // The collector would close it, and end the process.
  await t.notThrowsAsync(until(async () => openFilesUnder(tested.folder).length === 0));
});
