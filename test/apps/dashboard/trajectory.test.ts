import test from 'ava';
import { Trajectory } from '../../../apps/dashboard/browser/trajectory/trajectory.ts';

/** In pieces that are given one by one, for what is drawn meanwhile is drawn of what is there. */
function held(text: string, pieceBytes: number) {
  const bytes = new TextEncoder().encode(text);
  const trajectory = new Trajectory(bytes.length);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const read = trajectory.read(readable, new AbortController().signal);
  let at = 0;
  return {
    trajectory,
    piece: async () => {
      await writer.write(bytes.subarray(at, at + pieceBytes));
      at += pieceBytes;
      // What was written is taken up in a later step.
      await new Promise((resolve) => setImmediate(resolve));
    },
    rest: async () => {
      await writer.write(bytes.subarray(at));
      await writer.close();
      await read;
    },
  };
}

const firstLine = JSON.stringify({
  task: 'buy',
  error: 'a word of the task',
  text: 'x'.repeat(40_000),
});

test('records of an episode of lines have labels of their own', async (t) => {
  const { trajectory, piece, rest } = held(`${firstLine}\n{"type":"click","ok":true}\n`, 16_384);
  await piece();
  // As rows that are drawn before the first line has ended.
  t.is(trajectory.label(1).failure, 'a word of the task');
  const { generation } = trajectory;

  await rest();
  t.is(trajectory.count, 2);
  t.deepEqual(trajectory.label(1), { kind: 'click', failure: undefined });
  t.is(trajectory.label(0).failure, 'a word of the task');
  t.is(await trajectory.nextFailure(0), 0, 'the one failure, again');
  t.not(trajectory.generation, generation, 'what was drawn is drawn anew');
});

test('records that stay what they were are not drawn anew', async (t) => {
  const { trajectory, piece, rest } = held(`[${firstLine},{"type":"click"}]`, 16_384);
  await piece();
  const { generation } = trajectory;

  await rest();
  t.is(trajectory.count, 2);
  t.is(trajectory.generation, generation);
});
