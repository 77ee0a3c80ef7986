import { command, names } from './command-line.ts';

export const drillsCommand = command({
  script: 'drills',
  says: 'Each fault of RUNBOOK.md: seen as it says, mended as it says.',
  options: { only: names('drills that RUNBOOK.md names') },
});
