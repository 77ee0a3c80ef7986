import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The answers that are not out yet, by their connections. Requests may come before their turn. */
export class OpenAnswers {
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();

  *[Symbol.iterator](): Iterator<ServerResponse> {
    for (const answers of this.#bySocket.values()) yield* answers;
  }

  /** In the order of their requests. */
  on(socket: Socket): readonly ServerResponse[] {
    return [...(this.#bySocket.get(socket) ?? [])];
  }

  /** Answers how many are open on the connection now, this one among them. */
  add(response: ServerResponse): number {
    const { socket } = response.req;
    const answers = this.#bySocket.get(socket) ?? this.#begin(socket);
    answers.add(response);
    response.once('close', () => answers.delete(response));
    return answers.size;
  }

  #begin(socket: Socket): Set<ServerResponse> {
    const answers = new Set<ServerResponse>();
    this.#bySocket.set(socket, answers);
    // Those that were not yet theirs to speak hear of no end of their own.
    socket.once('close', () => this.#bySocket.delete(socket));
    return answers;
  }
}
