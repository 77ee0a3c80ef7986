import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { worldSecrets } from '../../../apps/world/secrets.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import type { ServiceWorld } from '../service-world.ts';
import type { Leak } from './secret-scanner.ts';
import { spellingsOf } from './spellings.ts';

export const leakKind = 'planted leak';

/** Folders of the world in which a leak is planted, each as a process would have left it there. */
const places = ['postgres', 'nats', 'objects', 'logs'] as const;

/** What a search must find, or it has proved nothing. */
export async function plantLeaks(
  { dataDir, sql, neighbours }: ServiceWorld,
  secret: string,
): Promise<void> {
  await sql`create table planted_leak (text text)`;
  await sql`insert into planted_leak (text) values (${secret})`;
  // Gone from the table, and still in its pages and in the log.
  await sql`delete from planted_leak`;
  const connection = await connectNats({ url: neighbours.natsUrl, name: 'planting' });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'PLANTED_LEAK', subjects: ['planted.leak'] });
  await jetstream(connection).publish('planted.leak', Buffer.from(secret).toString('base64'));
  await connection.close();
  const { s3AccessKeyId, s3SecretAccessKey } = await worldSecrets(dataDir);
  const store = createS3Store({
    endpoint: neighbours.s3Endpoint,
    bucket: 'paddock',
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
  });
  const body = Buffer.from(JSON.stringify({ secret }));
  await store.putOnce('planted/leak.json', body, {
    contentType: 'application/json',
    sha256: sha256Hex(body.toString('utf8')),
  });
  await appendFile(join(dataDir, 'logs', 'edge-1.log'), `${encodeURIComponent(secret)}\n`);
  // Every spelling, of which no more than a window, between bytes of no meaning.
  for (const [spelling, text] of spellingsOf(secret)) {
    const part = Buffer.from(text.slice(3, 19), spelling === 'UTF-16' ? 'latin1' : 'utf8');
    const noise = [randomBytes(1 << 18), part, randomBytes(999)];
    await appendFile(join(dataDir, leakFile), Buffer.concat(noise));
  }
}

const leakFile = 'planted-leak.bin';

/** What the search should have found of the planted leaks and did not. */
export function blindSpots(
  leaks: readonly Leak[],
  { dataDir, secret }: { readonly dataDir: string; readonly secret: string },
): readonly string[] {
  const own = leaks.filter(({ kind }) => kind === leakKind);
  const spelt = own.filter(({ place }) => place === join(dataDir, leakFile));
  const found = new Set(spelt.map(({ spelling }) => spelling));
  return [
    ...places.filter((name) => own.every(({ place }) => !place.startsWith(join(dataDir, name)))),
    ...[...spellingsOf(secret).keys()].filter((spelling) => !found.has(spelling)),
  ];
}
