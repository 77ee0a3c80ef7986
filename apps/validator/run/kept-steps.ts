import type { Step } from '../shop/shopping.ts';

/**
 * Of the JSON of all steps of a task, but for their names and times. Each of an agent's questions to a model may
 * repeat the whole conversation: 200 of 4 MB would fit neither our memory nor the one text that an episode is, and
 * the run could never be told. A service takes 64 MiB (`ARTIFACT_BYTES_MAX`), and this goes over a line of
 * 20 kB/s in the ten minutes that an upload may take.
 */
export const stepsBytesMax = 8 * 1024 ** 2;

/** As the episode has it: what was left out is null, and its bytes are told in its place. */
export interface KeptStep {
  readonly tool: string;
  readonly arguments: Step['arguments'] | null;
  readonly answer: Step['answer'] | null;
  readonly at_ms: number;
  readonly left_out_bytes?: { readonly arguments?: number; readonly answer?: number };
}

/**
 * What an agent did, step by step: all steps are here, and their parts for as long as there is room. A part may
 * take half of the room that is left. So the first long conversation is kept, later ones are left out, and the
 * short calls between them, which show what the agent did in the shop, nearly always have a place.
 */
export class KeptSteps {
  readonly #steps: KeptStep[] = [];
  #room: number;

  constructor(bytesMax: number = stepsBytesMax) {
    this.#room = bytesMax;
  }

  get all(): readonly KeptStep[] {
    return this.#steps;
  }

  add({ tool, arguments: given, answer, at_ms }: Step): void {
    const leftOut = { ...this.#leftOut('arguments', given), ...this.#leftOut('answer', answer) };
    this.#steps.push({
      tool,
      arguments: leftOut.arguments === undefined ? given : null,
      answer: leftOut.answer === undefined ? answer : null,
      at_ms,
      ...(Object.keys(leftOut).length > 0 && { left_out_bytes: leftOut }),
    });
  }

  /** How many bytes it takes where it has no place; nothing where it got one. */
  #leftOut(name: 'answer' | 'arguments', part: object): KeptStep['left_out_bytes'] {
    const bytes = Buffer.byteLength(JSON.stringify(part));
    if (bytes > this.#room / 2) return { [name]: bytes };
    this.#room -= bytes;
    return undefined;
  }
}
