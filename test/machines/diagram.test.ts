import test from 'ava';
import { machineDiagrams } from '../../machines/diagram.ts';

test('the diagrams show every machine, from its first fact to its ends', (t) => {
  const markdown = machineDiagrams();

  t.is(markdown.match(/```mermaid\nstateDiagram-v2/g)?.length, 5);
  t.regex(markdown, /\[\*\] --> claimed: CLAIMED/);
  t.regex(markdown, /claimed --> success: SUCCEEDED/);
  t.regex(markdown, /closed --> open: REOPENED/);
  t.regex(markdown, /running --> eligible: BECAME_ELIGIBLE/);
  t.regex(markdown, /raceRunning --> raceComplete: RACE_COMPLETED/);
  t.notRegex(markdown, /unclaimed|unopened|unsubmitted|unmade/);
});
