import { judgeClaims } from './judge-claims.ts';
import { loadJudge } from './sr25519-judge.ts';

judgeClaims(await loadJudge());
