import { HttpConnection, type WireAnswer } from '../../http-connection.ts';
import type { WireRequest } from './streams.ts';

const warmAtOnce = 50;

/**
 * As many connections as are needed at a time; one that is free is used again. Of a crowd that comes at
 * once the kernel forgets some for seconds, so who means many opens them before.
 */
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

  /** Opens so many at each edge, a few at a time. */
  async warm(count: number): Promise<void> {
    const request = { method: 'GET', path: '/health', head: '', body: '' };
    for (const edge of this.#baseUrls.keys()) {
      for (let opened = 0; opened < count; opened += warmAtOnce) {
        const opening = Array.from({ length: warmAtOnce }, () => this.#open(edge));
        await Promise.all(opening.map((one) => one.send('GET', request.path, request)));
        this.#free[edge]?.push(...opening);
      }
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
