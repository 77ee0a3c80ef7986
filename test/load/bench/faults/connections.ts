import { HttpConnection, type WireAnswer } from '../../http-connection.ts';
import type { WireRequest } from './streams.ts';

/** As many connections as are needed at a time; one that is free is used again. */
export class Connections {
  readonly #baseUrls: readonly string[];
  readonly #free: HttpConnection[][];
  readonly #all = new Set<HttpConnection>();
  #turn = 0;

  constructor(baseUrls: readonly string[]) {
    this.#baseUrls = baseUrls;
    this.#free = baseUrls.map(() => []);
  }

  /** Rejects when the connection ends before an answer. */
  async send(request: Omit<WireRequest, 'key'>): Promise<WireAnswer> {
    const edge = request.edge ?? this.#turn++ % this.#baseUrls.length;
    const free = this.#free[edge] ?? [];
    const connection = free.pop() ?? this.#open(edge);
    const { method, path, head, body, withheldBytes } = request;
    try {
      const answer = await connection.send(method, path, {
        ...{ head, body },
        ...(withheldBytes !== undefined && { withheldBytes }),
      });
      // Behind a head without its body nothing else may be sent.
      if (withheldBytes === undefined) free.push(connection);
      else this.#end(connection);
      return answer;
    } catch (error) {
      this.#end(connection);
      throw error;
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #open(edge: number): HttpConnection {
    const connection = new HttpConnection(this.#baseUrls[edge] ?? '');
    this.#all.add(connection);
    return connection;
  }

  #end(connection: HttpConnection): void {
    this.#all.delete(connection);
    connection.close();
  }
}
