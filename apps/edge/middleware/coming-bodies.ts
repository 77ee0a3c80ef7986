import { refusal } from '../../../machines/refusal.ts';
import type { Endpoint } from '../endpoint.ts';
import { type PlaceLimits, SharedPlaces } from './shared-places.ts';

/**
 * Each room has its own, so that models' questions and a miner's orders shed no heartbeat. With all uploads
 * (256) they are what public reads are let in for, so that callers who drip leave claims and heartbeats alone.
 */
const limits = {
  punctual: { perKeyMax: 32, max: 160 },
  inference: { perKeyMax: 16, max: 64 },
  other: { perKeyMax: 8, max: 32 },
} as const satisfies Record<string, PlaceLimits>;

type Room = keyof typeof limits;

/**
 * How many JSON bodies are waited for at once, in all and of each key or address. Whoever announces one and
 * sends it byte by byte would hold a place among all requests for as long as an answer may take. Almost all
 * honest bodies are there when their caller is proved, and take none of these.
 *
 * 503 in any case: deployed validators drop their work at a 429.
 */
export class ComingBodies {
  readonly #rooms: Readonly<Record<Room, SharedPlaces>>;

  constructor(onRefused: () => void) {
    const tooMany = () => {
      onRefused();
      return refusal('OVERLOADED', { says: 'Too many bodies are on their way.' });
    };
    const room = (of: Room) => new SharedPlaces(limits[of], { tooManyOfKey: tooMany, tooMany });
    this.#rooms = {
      punctual: room('punctual'),
      inference: room('inference'),
      other: room('other'),
    };
  }

  /** @throws OVERLOADED */
  async during<R>(endpoint: Endpoint, key: string, read: () => Promise<R>): Promise<R> {
    return await this.#rooms[roomOf(endpoint)].during(key, read);
  }
}

function roomOf({ bodyLimit, trafficClass }: Endpoint): Room {
  if (bodyLimit === 'inference') return 'inference';
  return trafficClass === 0 ? 'punctual' : 'other';
}
