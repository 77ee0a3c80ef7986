import { randomBytes } from 'node:crypto';
import test from 'ava';
import { signature } from '../../../actors/services/webhooks/signature.ts';
import { eventText } from '../../../machines/feed/public-event.ts';
import { trialId } from '../../support/trial-races.ts';
import { type Embargoes, embargoFlaws, hookFlaws, listenerFlaws } from './event-flaws.ts';
import type { Delivery, HeardEvent, HookRecord } from './records.ts';

// A check that cannot see a fault proves nothing: each fault is planted here.

const startMs = Date.parse('2026-01-01T12:00:00.000Z');
const race = trialId('race');
const cancelledRace = trialId('cancelled race');
const version = { agent_name: 'agent', miner_hotkey: 'miner', suite_id: 1 };

function event(cursor: number, type = 'submission-accepted', body: object = {}): string {
  const usual = { agent_version_id: trialId(`version ${cursor}`), ...version };
  return eventText({ cursor, type, atMs: startMs, body: { ...usual, ...body } });
}

const feed = Array.from({ length: 9 }, (_, index) =>
  event(index + 1, index % 2 === 0 ? 'submission-accepted' : 'version-eligible', {
    ...(index % 2 === 1 && { qualifying_score: 0.5 }),
  }),
);

const heardOf = (cursors: readonly number[]): HeardEvent[] =>
  cursors.map((cursor) => {
    const text = feed[cursor - 1] ?? event(cursor);
    const name = /"type":"([a-z-]+)"/.exec(text)?.[1] ?? '';
    return { id: String(cursor), name, text, atMs: startMs };
  });
const ofListener = (after: number | undefined, heard: HeardEvent[], refusals: string[] = []) =>
  listenerFlaws(feed, { name: 'one', after, heard, refusals }, feed.length);

test('a listener that has everything from where it began has no flaw', (t) => {
  t.deepEqual(ofListener(0, heardOf([1, 2, 3, 4, 5, 6, 7, 8, 9])), []);
  t.deepEqual(ofListener(6, heardOf([7, 8, 9])), []);
  t.deepEqual(ofListener(9, []), []);
});

const [first, ...later] = heardOf([7, 8, 9]);
for (const [fault, after, heard] of [
  ['skips a cursor', 0, heardOf([1, 2, 4, 5, 6, 7, 8, 9])],
  ['begins one later', 5, heardOf([7, 8, 9])],
  ['begins one earlier', 7, heardOf([7, 8, 9])],
  ['has one twice', 6, heardOf([7, 8, 8, 9])],
  ['has two the wrong way round', 6, heardOf([8, 7, 9])],
  ['goes back and says all again', 6, heardOf([7, 8, 9, 7, 8, 9])],
  ['ends one too early', 6, heardOf([7, 8])],
  ['has an event that never was', 6, heardOf([7, 8, 9, 10])],
  ['was never told where it began', undefined, []],
  ['has other words', 6, [{ ...first, text: event(7, 'run-claimed') } as HeardEvent, ...later]],
  ['has another name', 6, [{ ...first, name: 'run-ended' } as HeardEvent, ...later]],
] as const) {
  test(`a listener that ${fault} is seen`, (t) => {
    t.not(ofListener(after, [...heard]).length, 0);
  });
}

test('a listener whose own cursor was refused is seen', (t) => {
  t.deepEqual(ofListener(9, [], ['422 after 9']), ['one: refused: 422 after 9']);
});

const secret = `whsec_${randomBytes(32).toString('base64')}`;

function delivery(cursor: number, outcome: Delivery['outcome'] = 'taken'): Delivery {
  const timestamp = startMs / 1000;
  const signed = { id: `evt_${cursor}`, timestamp, body: feed[cursor - 1] ?? event(cursor) };
  return { ...signed, signature: signature(secret, signed), atMs: startMs + 3, outcome };
}
const ofHook = (deliveries: Delivery[], types: HookRecord['types'] = null) =>
  hookFlaws(feed, { name: 'hook', secret, after: 5, types, deliveries }, feed.length);
const rest = [delivery(7), delivery(8), delivery(9)];

test('a webhook that is told of everything in order has no flaw, with repeats and failures', (t) => {
  t.deepEqual(ofHook([delivery(6), ...rest]), []);
  t.deepEqual(ofHook([delivery(6, 'refused'), delivery(6), ...rest]), []);
  t.deepEqual(ofHook([delivery(6, 'unsure'), ...rest]), []);
  t.deepEqual(ofHook([delivery(6), delivery(6), ...rest, delivery(7)]), []);
  t.deepEqual(ofHook([delivery(6), delivery(8)], ['version-eligible']), []);
});

const [seventh] = rest;
const stolen = { ...seventh, signature: delivery(8).signature } as Delivery;
for (const [fault, deliveries] of [
  ['misses one', [delivery(6), delivery(8), delivery(9)]],
  ['begins one later', rest],
  ['misses the last', [delivery(6), delivery(7), delivery(8)]],
  ['overtakes one that failed', [delivery(6, 'refused'), ...rest]],
  ['gives the last one up', [delivery(6), delivery(7), delivery(8), delivery(9, 'refused')]],
  ['has an event that never was', [delivery(6), ...rest, delivery(10)]],
  ['has the signature of another', [delivery(6), stolen, delivery(8), delivery(9)]],
  ['has the id of another', [delivery(6), { ...delivery(7), id: 'evt_8' }, ...rest]],
  ['is a day old', [delivery(6), ...rest.map((each) => ({ ...each, atMs: startMs + 86_400_000 }))]],
  ['comes from the future', [delivery(6), ...rest.map((each) => ({ ...each, atMs: 0 }))]],
] as const) {
  test(`a webhook that ${fault} is seen`, (t) => {
    t.not(ofHook([...deliveries]).length, 0);
  });
}

test('a webhook that is told what it did not ask for is seen', (t) => {
  t.not(ofHook([delivery(6), delivery(7), delivery(8)], ['version-eligible']).length, 0);
});

const codeDueMs = startMs + 5_000;
const raceDueMs = startMs + 9_000;
const released = trialId('released');
const embargoes: Embargoes = {
  code: new Map([[released, codeDueMs]]),
  races: new Map([
    [race, { dueMs: raceDueMs, isCancelled: false }],
    [cancelledRace, { dueMs: startMs + 1_000, isCancelled: true }],
  ]),
  sealedNumbers: new Map([
    ['0.712345', raceDueMs],
    ['0.623456', Number.POSITIVE_INFINITY],
  ]),
};
const code = event(3, 'code-released', {
  agent_version_id: released,
  version_number: 1,
  code_sha256: 'a'.repeat(64),
  release_reason: 'AGED',
});
const raceEnd = (body: object = {}) =>
  eventText({
    ...{ cursor: 4, type: 'run-ended', atMs: startMs },
    body: {
      eval_run_id: trialId('run'),
      agent_version_id: released,
      suite_id: 1,
      phase: 'RACE',
      race_id: race,
      validator_hotkey: 'validator',
      status: 'SUCCESS',
      validator_score: 0.712345,
      ...body,
    },
  });
const ofCancelled = (body: object) => raceEnd({ race_id: cancelledRace, ...body });
const told = (text: string, atMs: number) => embargoFlaws(embargoes, [{ text, atMs }]);

test('what is told at its time, and of its kind alone, breaks no embargo', (t) => {
  t.deepEqual(told(feed[0] ?? '', startMs), []);
  t.deepEqual(told(code, codeDueMs), []);
  t.deepEqual(told(raceEnd(), raceDueMs), []);
  const cancelled = ofCancelled({ status: 'CANCELLED', validator_score: null });
  t.deepEqual(told(cancelled, startMs + 1_000), []);
});

for (const [leak, text, atMs] of [
  ['an event before it happened', feed[0] ?? '', startMs - 1],
  ['code a millisecond early', code, codeDueMs - 1],
  ['code of a version that nobody knows', event(1, 'code-released'), codeDueMs * 2],
  ['the end of a race run a millisecond early', raceEnd(), raceDueMs - 1],
  ['even that a race run ended', raceEnd({ validator_score: null }), raceDueMs - 1],
  ['the end of a run of no race', raceEnd({ race_id: trialId('no race') }), raceDueMs * 2],
  ['a sealed score in a name', event(1, undefined, { agent_name: '0.712345' }), startMs],
  [
    'the score of a cancelled race',
    ofCancelled({ status: 'CANCELLED', validator_score: 0.5 }),
    raceDueMs,
  ],
  ['who was judged in a cancelled race', ofCancelled({ validator_score: null }), raceDueMs],
  ['a score of a cancelled race, ever', raceEnd({ validator_score: 0.623456 }), raceDueMs * 2],
  ['a task', event(1, undefined, { agent_name: 'task-7' }), startMs],
  ['more than its kind may say', event(1, undefined, { qualifying_score: 0.5 }), startMs],
  ['what is no event', '{"cursor":1}', startMs],
] as const) {
  test(`a leak of ${leak} is seen`, (t) => {
    t.not(told(text, atMs).length, 0);
  });
}
