import test from 'ava';
import { type Letter, Mailbox } from '../../../actors/runtime/mailbox.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import type { WireReply } from '../../../infra/ports/bus.ts';

const letter = (id: string, changes: Partial<Letter> & { budgetMs?: number } = {}): Letter => {
  const { budgetMs, ...rest } = changes;
  const command = { id, type: 'add', body: {}, account: 'tester', trace: {} };
  return {
    command: budgetMs === undefined ? command : { ...command, budgetMs },
    source: 'request',
    sizeBytes: 100,
    arrivedMs: 0,
    arrivedAtMs: 0,
    answers: [],
    ...rest,
  };
};
const ids = (letters: readonly Letter[]) => letters.map(({ command }) => command.id);

test('requests beyond the bound of commands are refused, timers and messages are not', (t) => {
  const mailbox = new Mailbox({ ...defaultPolicy, mailboxCommandsMax: 2 });
  t.true(mailbox.offer(letter('1')));
  t.true(mailbox.offer(letter('2')));

  t.false(mailbox.offer(letter('3')));
  t.true(mailbox.offer(letter('4', { source: 'timer' })));
  t.true(mailbox.offer(letter('5', { source: 'message' })));
});

test('requests beyond the bound of bytes are refused', (t) => {
  const mailbox = new Mailbox({ ...defaultPolicy, mailboxBytesMax: 250 });
  mailbox.offer(letter('1'));
  mailbox.offer(letter('2'));

  t.false(mailbox.offer(letter('3')));
  mailbox.take(0);
  t.true(mailbox.offer(letter('4')));
});

test('a batch ends before it grows too heavy for one commit, but is never empty', (t) => {
  const mailbox = new Mailbox({ ...defaultPolicy, batchBytesMax: 250 });
  mailbox.offer(letter('1', { sizeBytes: 400 }));
  for (const id of ['2', '3', '4']) mailbox.offer(letter(id));

  t.deepEqual(ids(mailbox.take(0)), ['1']);
  t.deepEqual(ids(mailbox.take(0)), ['2', '3']);
  t.deepEqual(ids(mailbox.take(0)), ['4']);
});

for (const [waitMs, isTaken] of [
  [500, true],
  [501, false],
] as const) {
  test(`a request behind one that waited ${waitMs} ms is ${isTaken ? 'taken' : 'refused'}`, (t) => {
    const mailbox = new Mailbox(defaultPolicy);
    mailbox.offer(letter('1', { arrivedMs: 1_000 }));

    t.is(mailbox.offer(letter('2', { arrivedMs: 1_000 + waitMs })), isTaken);
  });
}

test('what nobody waits for any more is not taken', (t) => {
  const mailbox = new Mailbox(defaultPolicy);
  mailbox.offer(letter('late', { budgetMs: 999 }));
  mailbox.offer(letter('in time', { budgetMs: 1_000 }));

  t.deepEqual(ids(mailbox.take(1_000)), ['in time']);
  t.true(mailbox.offer(letter('late', { arrivedMs: 1_000, budgetMs: 1 })));
  t.is(mailbox.size, 1);
});

for (const [nowMs, kept] of [
  [1_000, ['once', 'longer', 'shorter', 'for ever']],
  [1_900, ['longer', 'for ever']],
  [1_901, ['for ever']],
] as const) {
  test(`who asked again is answered while one of both still waits: ${kept.join(', ')}`, (t) => {
    const mailbox = new Mailbox(defaultPolicy);
    for (const id of ['once', 'longer', 'shorter', 'for ever']) {
      mailbox.offer(letter(id, { budgetMs: 1_000 }));
    }
    mailbox.offer(letter('longer', { arrivedMs: 900, budgetMs: 1_000 }));
    mailbox.offer(letter('shorter', { arrivedMs: 900, budgetMs: 10 }));
    mailbox.offer(letter('for ever', { arrivedMs: 900 }));

    t.deepEqual(ids(mailbox.take(nowMs)), kept);
  });
}

test('what was asked again and put back waits as long as before', (t) => {
  const mailbox = new Mailbox(defaultPolicy);
  mailbox.offer(letter('1', { budgetMs: 1_000 }));
  const batch = mailbox.take(0);
  mailbox.offer(letter('1', { arrivedMs: 900, budgetMs: 1_000 }));
  mailbox.putBack(batch);

  t.deepEqual(ids(mailbox.take(1_900)), ['1']);
});

test('a batch has its bound, and what is put back comes first', (t) => {
  const mailbox = new Mailbox({ ...defaultPolicy, batchSizeMax: 2 });
  for (const id of ['1', '2', '3']) mailbox.offer(letter(id));

  const batch = mailbox.take(0);
  t.deepEqual(ids(batch), ['1', '2']);
  mailbox.putBack(batch);
  t.deepEqual(ids(mailbox.take(0)), ['1', '2']);
});

test('a repeat of an open command shares its answer', (t) => {
  const heard: WireReply[] = [];
  const answers = [(reply: WireReply) => heard.push(reply)];
  const mailbox = new Mailbox(defaultPolicy);
  mailbox.offer(letter('1', { answers: [...answers] }));
  const [taken] = mailbox.take(0);
  mailbox.offer(letter('1', { answers: [...answers] }));

  t.is(mailbox.size, 0);
  if (taken !== undefined) mailbox.settle(taken, { kind: 'ok', body: 7 });
  t.deepEqual(heard, [
    { kind: 'ok', body: 7 },
    { kind: 'ok', body: 7 },
  ]);
});
