import test from 'ava';
import { codeReleaseOf, isCodeReleased } from '../../../machines/agent-version/code-release.ts';

const fiveDaysMs = 432_000_000;
const submittedAtMs = Date.parse('2026-07-08T12:00:00.000Z');

test('code is released exactly five days after its submission', (t) => {
  t.deepEqual(codeReleaseOf({ submittedAtMs, topAtMs: null }, fiveDaysMs), {
    atMs: Date.parse('2026-07-13T12:00:00.000Z'),
    reason: 'AGED',
  });
});

test('a top’s code is released when it became top', (t) => {
  const topAtMs = submittedAtMs + 1;
  t.deepEqual(codeReleaseOf({ submittedAtMs, topAtMs }, fiveDaysMs), {
    atMs: topAtMs,
    reason: 'TOP',
  });
});

test('who became top after the five days was released already', (t) => {
  for (const lateMs of [0, 1]) {
    const topAtMs = submittedAtMs + fiveDaysMs + lateMs;
    t.deepEqual(codeReleaseOf({ submittedAtMs, topAtMs }, fiveDaysMs), {
      atMs: submittedAtMs + fiveDaysMs,
      reason: 'AGED',
    });
  }
});

test('code is released from the millisecond on at which it is due', (t) => {
  const release = codeReleaseOf({ submittedAtMs, topAtMs: null }, fiveDaysMs);

  t.false(isCodeReleased(release, submittedAtMs + fiveDaysMs - 1));
  t.true(isCodeReleased(release, submittedAtMs + fiveDaysMs));
});
