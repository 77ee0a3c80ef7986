import test from 'ava';
import { demoAgents } from '../../../apps/world/demo/demo-agents.ts';
import { agentTraits } from '../../../apps/world/participants/seeded-rule.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { referenceProfile } from '../../../infra/python/reference-profile.ts';

const analyser = createCodeAnalyser(referenceProfile);
test.after.always(() => analyser.stop());

const expected: Readonly<Record<string, RegExp | 'clean'>> = {
  'careful-shopper': 'clean',
  'half-typed': /expected ':'/,
  'keyword-match': 'clean',
  'eager-start': 'clean',
  'budget-hound': 'clean',
  'shell-out': /insecure library 'subprocess'/,
  'first-hit': 'clean',
};

test('seven miners bring one file of each kind', async (t) => {
  const names = (await demoAgents(7)).map(({ agentName }) => agentName);

  t.deepEqual(names.toSorted(), Object.keys(expected).toSorted());
});

for (const [name, wanted] of Object.entries(expected)) {
  test(`the analysis finds ${name} as the demo means it`, async (t) => {
    const file = (await demoAgents(7)).find(({ agentName }) => agentName === name);
    const verdict = await analyser.analyse(Buffer.from(file?.code ?? ''));

    if (wanted === 'clean') t.deepEqual(verdict, { kind: 'clean' });
    else t.regex(verdict.kind === 'invalid' ? verdict.detail : verdict.kind, wanted);
  });
}

test('only the eager one raises at its start', async (t) => {
  const raising = (await demoAgents(12))
    .filter(({ code }) => agentTraits(Buffer.from(code), '').raisesAtStart)
    .map(({ agentName }) => agentName);

  t.deepEqual(raising, ['eager-start']);
});

test('further miners bring sound files, each a little less careful than the last', async (t) => {
  const files = await demoAgents(16);
  const care = (name: string) => {
    const code = files.find(({ agentName }) => agentName === name)?.code ?? '';
    return agentTraits(Buffer.from(code), '').care;
  };

  t.is(new Set(files.map(({ code }) => code)).size, 16);
  t.deepEqual(
    ['careful-shopper', 'careful-shopper-2', 'careful-shopper-3'].map(care),
    [0.95, 0.93, 0.91],
  );
});
