import { refusal } from '../../../machines/refusal.ts';
import type { Endpoint } from '../endpoint.ts';
import { type PlaceLimits, SharedPlaces } from './shared-places.ts';

/**
 * Whoever fills a room fills that one alone: orders and strangers shed no heartbeat, and no miner a login. With all
 * uploads (256) they are what public reads are let in for, so that who drips leaves claims and heartbeats alone.
 */
const limits = {
  heartbeats: { perKeyMax: 24, max: 128 },
  inference: { perKeyMax: 12, max: 48 },
  claims: { perKeyMax: 8, max: 32 },
  orders: { perKeyMax: 6, max: 24 },
  strangers: { perKeyMax: 6, max: 24 },
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
      ...{ heartbeats: room('heartbeats'), inference: room('inference') },
      ...{ claims: room('claims'), orders: room('orders'), strangers: room('strangers') },
    };
  }

  /** @throws OVERLOADED */
  async during<R>(endpoint: Endpoint, key: string, read: () => Promise<R>): Promise<R> {
    return await this.#rooms[roomOf(endpoint)].during(key, read);
  }
}

function roomOf({ bodyLimit, role, trafficClass }: Endpoint): Room {
  if (bodyLimit === 'inference') return 'inference';
  if (role === 'public') return 'strangers';
  return (['heartbeats', 'claims', 'orders'] as const)[trafficClass];
}
