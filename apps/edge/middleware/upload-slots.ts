import { refusal } from '../../../machines/refusal.ts';
import { type PlaceLimits, SharedPlaces } from './shared-places.ts';

/** How many uploads are read at once. Each holds a place in the edge for as long as its bytes come. */
export class UploadSlots extends SharedPlaces {
  constructor(limits: PlaceLimits) {
    super(limits, {
      tooManyOfKey: (perKeyMax) =>
        refusal('RATE_LIMITED', {
          says: `At most ${perKeyMax} uploads of a hotkey may be under way at once.`,
          next: 'Wait until one of them has ended.',
        }),
      tooMany: () => refusal('OVERLOADED', { says: 'Too many uploads are under way.' }),
    });
  }
}
