import { followGuides } from './follow-guide.ts';

// A service of processes of its own, as the guide starts it: what a new miner types is typed here, from
// a file to a race that is computed again.
followGuides([{ name: 'miners.md' }]);
