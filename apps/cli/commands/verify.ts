import { onTrust, onTrustAlone, type VerifyOptions } from '../../verify/options.ts';
import { Refusal, Unanswered } from '../client/refusal.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { Failed } from '../failure.ts';
import { raceOf } from '../race-of.ts';
import { plainText } from '../show/plain-text.ts';
import { UsageError } from '../usage-error.ts';

export const verify: Command = {
  name: 'verify',
  says: 'Compute a race again from what it published',
  places: [
    { name: 'RACE', says: 'id of a completed race whose detail is released', isOptional: true },
  ],
  options: {
    bundle: {
      value: 'FILE',
      says: 'a saved bundle instead of a race of the service',
      isFile: true,
    },
    'public-key': { value: 'HEX', says: 'the service’s Ed25519 key, if you know it' },
    save: { value: 'FILE', says: 'keep the bundle and its manifest', isFile: true },
  },
  more: `Scores, anchor, ranks, elimination, promotion and the split of the emissions are computed on this machine
from what validators sent, and compared to the last bit with what the service says; earlier races, reigns and
discards are compared with its public pages. What may have a reason that is not public is told as a doubt.
${onTrust}
${onTrustAlone}`,
  examples: [
    ['paddock verify 019a…', 'one race of the service'],
    ['paddock verify --bundle race.json.gz', 'without the service'],
  ],
  async run(asked, { baseUrl, out, isJson, clock }) {
    const [raceId, bundle] = [asked.placeOr('RACE'), asked.text('bundle')];
    if ((raceId === undefined) === (bundle === undefined)) {
      throw new UsageError('verify needs the id of a race, or --bundle FILE');
    }
    const id = raceId === undefined ? undefined : raceOf(raceId);
    const publicKey = asked.text('public-key')?.toLowerCase();
    if (publicKey !== undefined && !/^[0-9a-f]{64}$/.test(publicKey)) {
      throw new UsageError('--public-key must be 64 hex digits');
    }
    const [program, refusals] = await Promise.all([
      import('../../verify/verify.ts'),
      import('../../verify/sealed-bundle.ts'),
    ]);
    const options: VerifyOptions = {
      url: id === undefined ? undefined : baseUrl,
      ...{ raceId: id, bundle, save: asked.text('save'), publicKey },
    };
    const lines: string[] = [];
    const silent = {
      line: (text = '') => void lines.push(text),
      style: (_: string, text: string) => text,
    };
    const terminal = isJson ? silent : out;
    const isSame = await program.verify({ options, terminal, clock }).catch((error: unknown) => {
      throw told(error, refusals);
    });
    if (isJson) out.line(JSON.stringify({ agrees: isSame, lines }, null, 2));
    return isSame ? exitCodes.done : exitCodes.refused;
  },
};

/** What the service itself said is told as of any other command; the code 1 is of the race alone. */
function told(error: unknown, { BundleRefused, BundleUnread }: Refusals): unknown {
  if (!(error instanceof BundleRefused)) return error;
  const { cause } = error;
  const message = plainText(error.message);
  if (!(error instanceof BundleUnread)) return new Failed(message, exitCodes.refused);
  if (cause instanceof Refusal || cause instanceof Unanswered) return cause;
  return new Failed(message, exitCodes.later, 'Try again in a moment.');
}

type Refusals = typeof import('../../verify/sealed-bundle.ts');
