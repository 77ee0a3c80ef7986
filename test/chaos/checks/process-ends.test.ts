import test from 'ava';
import { type EndedProcess, endsByThemselves } from './process-ends.ts';

const end = (pid: number, how: Pick<EndedProcess, 'code' | 'signal'>): EndedProcess => {
  return { name: 'edge-1', pid, ...how };
};
const known = { toldToEnd: new Set([1, 2]), ready: new Set([1, 3]) };

test('a process that was ready and that nobody ended may not end', (t) => {
  const failed = end(3, { code: 1, signal: null });
  t.deepEqual(endsByThemselves([failed], known), ['edge-1 (3) ended by itself with code 1']);

  const left = end(3, { code: 0, signal: null });
  t.is(endsByThemselves([left], known).length, 1);
});

test('a signal of nobody is found, before it was ready too', (t) => {
  const crashed = end(4, { code: null, signal: 'SIGSEGV' });
  const found = ['edge-1 (4) ended by itself with SIGSEGV before it was ready'];
  t.deepEqual(endsByThemselves([crashed], known), found);
});

test('who was killed or stopped, asks to be started anew or could not start is as it should be', (t) => {
  const right = [
    end(1, { code: null, signal: 'SIGKILL' }),
    end(2, { code: 0, signal: null }),
    end(3, { code: 75, signal: null }),
    end(4, { code: 1, signal: null }),
  ];
  t.deepEqual(endsByThemselves(right, known), []);
});
