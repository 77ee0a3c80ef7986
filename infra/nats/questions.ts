/** So many travel at once: an answer to each is looked up in about a microsecond. */
const togetherMax = 500;

interface Waiting {
  readonly question: string;
  readonly resolve: (answer: string | undefined) => void;
}

/**
 * Questions to one other edge, of which one round trip is under way at a time: those that come
 * meanwhile travel together in the next. So a question waits for two round trips at most, and a
 * flood of them costs the broker and both edges a message for many.
 */
export class Questions {
  readonly #send: (text: string) => Promise<string | undefined>;
  #waiting: Waiting[] = [];
  #isAsking = false;

  /** @param send one question a line, answered by as many lines; undefined when nobody answers */
  constructor(send: (text: string) => Promise<string | undefined>) {
    this.#send = send;
  }

  /** Of one line. Undefined when it is not answered. */
  ask(question: string): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting.push({ question, resolve });
    if (!this.#isAsking) void this.#askAll();
    return promise;
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, togetherMax);
      const text = await this.#send(batch.map(({ question }) => question).join('\n'));
      const answers = text?.split('\n') ?? [];
      // Who came while nobody answered has waited long enough.
      if (text === undefined) batch.push(...this.#waiting.splice(0));
      const isWhole = answers.length === batch.length;
      for (const [index, { resolve }] of batch.entries()) {
        resolve(isWhole ? answers[index] : undefined);
      }
    }
    this.#isAsking = false;
  }
}

/** The answers to questions that came together; undefined when there is none to any. */
export function answersTo(
  text: string,
  reply: (question: string) => string | undefined,
): string | undefined {
  const answers = text.split('\n').map(reply);
  if (answers.every((answer) => answer === undefined)) return undefined;
  return answers.map((answer) => answer ?? '').join('\n');
}
