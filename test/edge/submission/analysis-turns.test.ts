import test from 'ava';
import { AnalysisTurns } from '../../../apps/edge/submission/analysis-turns.ts';
import type { CodeVerdict } from '../../../infra/ports/code-analysis.ts';

const clean = { kind: 'clean' } as const;

/** An analyser whose verdicts are given by hand, in the order in which it was asked. */
function byHand() {
  const asked: { readonly name: string; readonly verdict: PromiseWithResolvers<CodeVerdict> }[] =
    [];
  const turns = new AnalysisTurns({
    analyse: (file) => {
      const verdict = Promise.withResolvers<CodeVerdict>();
      asked.push({ name: Buffer.from(file).toString(), verdict });
      return verdict.promise;
    },
  });
  const ask = (hotkey: string, name: string, signal = new AbortController().signal) =>
    turns.during({ hotkey, signal }, (analyse) => analyse(Buffer.from(name)));
  const names = () => asked.map(({ name }) => name);
  return { ask, asked, names };
}

test('a hotkey with many files keeps nobody else waiting', async (t) => {
  const { ask, asked, names } = byHand();
  const mine = ['a1', 'a2', 'a3'].map((name) => ask('a', name));
  const others = ask('b', 'b1');
  await Promise.resolve();
  t.deepEqual(names(), ['a1', 'b1']);
  asked[1]?.verdict.resolve(clean);
  t.is((await others).kind, 'clean');
  asked[0]?.verdict.reject(new Error('it broke'));
  await t.throwsAsync(() => mine[0] ?? others, { message: 'it broke' });
  t.deepEqual(names(), ['a1', 'b1', 'a2']);
  asked[2]?.verdict.resolve(clean);
  await mine[1];
  asked[3]?.verdict.resolve(clean);
  t.is((await mine[2])?.kind, 'clean');
});

test('nobody analyses for a client that is gone', async (t) => {
  const { ask, asked, names } = byHand();
  const gone = new AbortController();
  const first = ask('a', 'first');
  const abandoned = ask('a', 'abandoned', gone.signal);
  const last = ask('a', 'last');
  await Promise.resolve();
  gone.abort();
  asked[0]?.verdict.resolve(clean);
  await first;
  await t.throwsAsync(abandoned, { name: 'ClientGone' });
  asked[1]?.verdict.resolve(clean);
  await last;
  t.deepEqual(names(), ['first', 'last']);
});
