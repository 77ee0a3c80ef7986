import test from 'ava';
import { createCodeAnalyser } from '../../../../infra/python/python-analyser.ts';
import { composedAgents, writtenAgents } from './agents.ts';

// Not about speed: a busy machine makes every second of processor time shorter.
const analyser = createCodeAnalyser({ agentPackages: ['shop_tools'], deadlineMs: 20_000 });
test.before(() => analyser.start());
test.after.always(() => analyser.stop());

// Those above are part of `npm run proof:honest`, which asks CPython about all of them too.
const composedBytesMax = 30_000;

test('honest agents of many styles are accepted', async (t) => {
  const composed = composedAgents(60).filter(({ file }) => file.byteLength < composedBytesMax);
  const agents = [...writtenAgents(), ...composed];
  t.true(agents.length > 60);

  for (const { name, file } of agents) {
    t.deepEqual(await analyser.analyse(file), { kind: 'clean' }, name);
  }
});
