import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The answers that are not out yet, by their connections. Requests may come before their turn. */
export class OpenAnswers {
  readonly #bySocket = new Map<Socket, Answers>();

  *[Symbol.iterator](): Iterator<ServerResponse> {
    for (const answers of this.#bySocket.values()) yield* inOrder(answers);
  }

  /** In the order of their requests. */
  on(socket: Socket): readonly ServerResponse[] {
    const answers = this.#bySocket.get(socket);
    return answers === undefined ? [] : inOrder(answers);
  }

  /** Answers how many are open on the connection now, this one among them. */
  add(response: ServerResponse): number {
    const { socket } = response.req;
    const answers = this.#bySocket.get(socket) ?? this.#begin(socket);
    if (answers.first === undefined && answers.others.size === 0) answers.first = response;
    else answers.others.add(response);
    response.once('close', () => {
      if (answers.first === response) answers.first = undefined;
      else answers.others.delete(response);
    });
    return answers.others.size + (answers.first === undefined ? 0 : 1);
  }

  #begin(socket: Socket): Answers {
    const answers: Answers = { first: undefined, others: new Set() };
    this.#bySocket.set(socket, answers);
    // Those that were not yet theirs to speak hear of no end of their own.
    socket.once('close', () => this.#bySocket.delete(socket));
    return answers;
  }
}

/** Most connections have one at a time, for which a set would be changed twice by each request. */
interface Answers {
  first: ServerResponse | undefined;
  readonly others: Set<ServerResponse>;
}

function inOrder({ first, others }: Answers): ServerResponse[] {
  return first === undefined ? [...others] : [first, ...others];
}
