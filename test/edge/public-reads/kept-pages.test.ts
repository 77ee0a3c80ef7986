import test from 'ava';
import { KeptPages } from '../../../apps/edge/public-reads/kept-pages.ts';

test('a page is built once for each version, and is the same object until then', async (t) => {
  const pages = new KeptPages();
  let built = 0;
  const build = async () => ({ built: ++built });
  const first = await pages.get({ key: 'a', version: '1' }, build);
  t.is(first.toString(), '{"built":1}');
  t.is(await pages.get({ key: 'a', version: '1' }, build), first);
  t.is((await pages.get({ key: 'a', version: '2' }, build)).toString(), '{"built":2}');
  t.is((await pages.get({ key: 'b', version: '2' }, build)).toString(), '{"built":3}');
});

test('what is held is bounded, and the least used goes first', async (t) => {
  const pages = new KeptPages(30);
  const built: string[] = [];
  const get = (key: string) =>
    pages.get({ key, version: '1' }, async () => {
      built.push(key);
      return 'x'.repeat(8);
    });
  for (const key of ['a', 'b', 'c', 'a', 'd']) await get(key);
  t.is(pages.heldBytes, 30);
  await get('a');
  t.deepEqual(built, ['a', 'b', 'c', 'd'], 'a was used again');
  await get('b');
  t.deepEqual(built, ['a', 'b', 'c', 'd', 'b']);
  await pages.get({ key: 'large', version: '1' }, async () => 'x'.repeat(31));
  t.is(pages.heldBytes, 30);
});

test('a page that cannot be built is tried again', async (t) => {
  const pages = new KeptPages();
  const page = { key: 'a', version: '1' };
  await t.throwsAsync(
    pages.get(page, async () => {
      throw new Error('no database');
    }),
  );
  t.is((await pages.get(page, async () => 7)).toString(), '7');
});
