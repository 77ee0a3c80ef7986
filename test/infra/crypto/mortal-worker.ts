import { judgeClaims } from '../../../infra/crypto/judge-claims.ts';
import { loadJudge } from '../../../infra/crypto/sr25519-judge.ts';
import { deadlyMessage } from './deadly-message.ts';

// The verifier's own thread, except that one message ends it on the spot.
const judge = await loadJudge();
judgeClaims({
  traps: 0,
  isGood: (claim) => {
    if (Buffer.from(claim.message).toString() === deadlyMessage) process.exit(3);
    return judge.isGood(claim);
  },
});
