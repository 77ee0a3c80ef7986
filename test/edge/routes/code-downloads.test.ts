import test from 'ava';
import { CodeDownloads } from '../../../apps/edge/evaluation/code-downloads.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function downloads(presign: (key: string) => Promise<string>) {
  const clock = new ManualClock();
  return { clock, urls: new CodeDownloads({ presignGet: presign }, clock, 600) };
}

test('whoever gets a URL that was signed before has five sixths of its life left', async (t) => {
  let signed = 0;
  const { clock, urls } = downloads(async (key) => `${key}?${++signed}`);

  t.is(await urls.urlOf('aa'), 'code/aa.py?1');
  t.is(await urls.urlOf('bb'), 'code/bb.py?2');
  await clock.advance(99_000);
  t.is(await urls.urlOf('aa'), 'code/aa.py?1');
  await clock.advance(1_000);
  t.is(await urls.urlOf('aa'), 'code/aa.py?3');
});

test('a signature that could not be made is asked for again', async (t) => {
  let isDown = true;
  const { urls } = downloads(async (key) => {
    if (isDown) throw new Error('no key');
    return key;
  });

  await t.throwsAsync(urls.urlOf('aa'));
  isDown = false;
  t.is(await urls.urlOf('aa'), 'code/aa.py');
});
