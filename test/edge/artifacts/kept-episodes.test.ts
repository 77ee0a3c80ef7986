import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import test from 'ava';
import { FirstCopies } from '../../../apps/edge/artifacts/first-copies.ts';
import { KeptEpisodes } from '../../../apps/edge/artifacts/kept-episodes.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';

const text = '{"an": "episode"}';
const sha256 = sha256Hex(text);
const [uploadedKey, copiedKey] = [`episodes/${sha256}`, `kept/episodes/${sha256}`];

/** A store of one episode, whose trials end as told, one after the other, and which says what it was asked. */
function episodesIn(trials: (() => Promise<boolean>)[], content = text) {
  const asked: string[] = [];
  const warned: string[] = [];
  const kept = new Set<string>();
  const objects = {
    comparesUploads: () => {
      asked.push('trial');
      return (trials.shift() as () => Promise<boolean>)();
    },
    size: async (key: string) => {
      asked.push(`size ${key}`);
      return kept.has(key) ? 1 : undefined;
    },
    getStream: async (key: string) => {
      asked.push(`get ${key}`);
      return Readable.from([Buffer.from(content)]);
    },
    putFileOnce: async (key: string) => {
      asked.push(`put ${key}`);
      kept.add(key);
      return true;
    },
  };
  const log = { warn: (message: string) => void warned.push(message) };
  const copies = new FirstCopies(objects);
  const episodes = new KeptEpisodes({ objects, copies, scratch: tmpdir(), log });
  return { episodes, asked, warned };
}

const compares = async () => true;
const comparesNot = async () => false;
const fails = () => Promise.reject(new Error('no answer'));

const copied = [`size ${copiedKey}`, `get ${uploadedKey}`, `put ${copiedKey}`];

test('a store that compares is asked once, and for nothing else', async (t) => {
  const { episodes, asked, warned } = episodesIn([compares]);

  const keys = await Promise.all([1, 2, 3].map(() => episodes.keyOf(sha256)));

  t.deepEqual([...keys, await episodes.keyOf(sha256)], Array(4).fill(uploadedKey));
  t.deepEqual(asked, ['trial']);
  t.deepEqual(warned, []);
});

test('of one that does not an episode is copied once, however many ask', async (t) => {
  const { episodes, asked, warned } = episodesIn([comparesNot]);

  const keys = await Promise.all([1, 2, 3].map(() => episodes.keyOf(sha256)));

  t.deepEqual([...keys, await episodes.keyOf(sha256)], Array(4).fill(copiedKey));
  t.deepEqual(
    asked.filter((line) => line.startsWith('get')),
    [`get ${uploadedKey}`],
  );
  t.is(asked.filter((line) => line === 'trial').length, 1);
  t.is(warned.length, 1);
});

test('one that does not say is asked again, and nothing is believed meanwhile', async (t) => {
  const { episodes, asked, warned } = episodesIn([fails, fails, compares]);

  t.is(await episodes.keyOf(sha256), copiedKey);
  t.is(await episodes.keyOf(sha256), copiedKey);
  t.is(await episodes.keyOf(sha256), uploadedKey);
  t.is(await episodes.keyOf(sha256), uploadedKey);

  t.deepEqual(asked, ['trial', ...copied, 'trial', `size ${copiedKey}`, 'trial']);
  t.is(warned.length, 1, 'its silence is told once');
});

test('other bytes are copied nowhere, and told of once', async (t) => {
  const { episodes, asked, warned } = episodesIn([comparesNot], text.toUpperCase());

  for (let read = 0; read < 2; read += 1) {
    await t.throwsAsync(episodes.keyOf(sha256), { code: 'ARTIFACT_NOT_FOUND' });
  }

  t.false(asked.some((line) => line.startsWith('put')));
  t.is(warned.filter((line) => line.includes('another SHA-256')).length, 1);
});
