import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import { listening } from '../../support/listening.ts';
import { paddockUser } from '../../support/paddock-command.ts';
import { sealed, trialBundle } from '../../support/trial-bundle.ts';

const verifyMain = fileURLToPath(new URL('../../../apps/verify/main.ts', import.meta.url));

/** As of `| true`: nobody reads what it says. */
async function unread(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'close');
  child.stdout?.destroy();
  child.stderr?.resume();
  const [code] = await ended;
  return code;
}

test('a race that differs is no agreement where nobody reads what differs', async (t) => {
  const user = await paddockUser(t);
  const honest = trialBundle();
  const path = join(user.folder, 'race.json.gz');
  const save = async (top50_mean: string | null) => {
    const bundle = { ...honest, race: { ...honest.race, top50_mean } };
    const { bytes, seal } = sealed(bundle, createEd25519Signer(new Uint8Array(32).fill(1)));
    await writeFile(path, bytes);
    await writeFile(`${path}.manifest.json`, JSON.stringify(seal));
  };
  const byCommand = () => unread(user.start(['verify', '--bundle', path]));
  const byScript = () =>
    unread(spawn(process.execPath, [verifyMain, '--bundle', path], { stdio: 'pipe' }));
  await save('0.0001');
  t.is(await byCommand(), 1);
  t.is(await byScript(), 1);
  await save(honest.race.top50_mean);
  t.is(await byCommand(), 0);
  t.is(await byScript(), 0);
});

test('whoever has read enough of what goes on ends it, and that is no error', async (t) => {
  const { origin: url } = await listening(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const data = JSON.stringify({ at: '2026-07-08T20:00:00.000Z', type: 'race-closed' });
    const timer = setInterval(() => response.write(`event: race-closed\ndata: ${data}\n\n`), 50);
    response.once('close', () => clearInterval(timer));
  });
  const user = await paddockUser(t, { url });
  t.timeout(60_000);
  t.is(await unread(user.start(['events'])), 0);
});
