import type { Socket } from 'node:net';
import postgres from 'postgres';
import { type Address, dial, type Encryption } from './dial.ts';
import { NotConnected } from './not-connected.ts';

interface Place {
  readonly addresses: readonly Address[];
  readonly encryption: Encryption | undefined;
}

/** Asked over a connection of its own, which is gone again when the answer comes. */
type TakesWrites = (server: Servers) => Promise<boolean>;

/**
 * The servers that a URL names, as the client library reads it. Of several, the one that takes writes
 * is dialled, beginning with the one that was dialled last: after a failover that is another one.
 */
export class Servers {
  readonly #place: Place;
  readonly #takesWrites: TakesWrites;
  #lastIndex = 0;
  #choice: Promise<Address> | undefined;

  constructor(place: Place, takesWrites: TakesWrites) {
    this.#place = place;
    this.#takesWrites = takesWrites;
  }

  get first(): Address {
    const [first] = this.#place.addresses;
    if (first === undefined) throw new Error('the URL of the database names no server');
    return first;
  }

  /** Fails when a server keeps silent for so long. */
  async dial(silenceMs: number): Promise<Socket> {
    return dial(await this.#chosen(), this.#place.encryption, silenceMs);
  }

  /** Connections that are made at a time share the search. */
  async #chosen(): Promise<Address> {
    if (this.#place.addresses.length === 1) return this.first;
    this.#choice ??= this.#search().finally(() => {
      this.#choice = undefined;
    });
    return await this.#choice;
  }

  async #search(): Promise<Address> {
    const { addresses } = this.#place;
    const indexes = addresses.keys().toArray();
    let failure: unknown;
    for (const index of [...indexes.slice(this.#lastIndex), ...indexes.slice(0, this.#lastIndex)]) {
      try {
        const address = await this.#fit(addresses.slice(index, index + 1));
        this.#lastIndex = index;
        return address;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #fit(addresses: readonly Address[]): Promise<Address> {
    const server = new Servers({ ...this.#place, addresses }, this.#takesWrites);
    if (await this.#takesWrites(server)) return server.first;
    throw new NotConnected(`${server.first.host}:${server.first.port} takes no writes`);
  }
}

/** None for a socket file, whose other end cannot vanish unseen. */
export function placeOf(url: string): Place | undefined {
  const { host, port, path, ...read } = postgres(url).options;
  if (path) return undefined;
  const addresses = host.map((name, index) => ({ host: name, port: port[index] ?? 5432 }));
  const { ssl } = read;
  if (!ssl) return { addresses, encryption: undefined };
  const isDirect = 'sslnegotiation' in read && read.sslnegotiation === 'direct';
  return { addresses, encryption: { mode: String(ssl), isDirect } };
}
