import { UsageError } from '../usage-error.ts';

/** Ctrl-C while somebody was asked. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Standard input, as far as asking needs it. */
export type Keyboard = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
};

export interface Asking {
  /** What a person types without its being shown. Throws UsageError where nobody can be asked. */
  hidden(question: string, otherwise: string): Promise<string>;
  /** All of standard input; for files named `-`. */
  everything(): Promise<Uint8Array>;
}

export interface AskingOptions {
  readonly keyboard: Keyboard;
  readonly screen: { write(text: string): unknown };
}

export function asking({ keyboard, screen }: AskingOptions): Asking {
  return {
    hidden: async (question, otherwise) => {
      if (keyboard.isTTY !== true || keyboard.setRawMode === undefined) {
        throw new UsageError(`there is no terminal to ask on: ${otherwise}`);
      }
      screen.write(question);
      keyboard.setRawMode(true);
      try {
        return await typed(keyboard);
      } finally {
        keyboard.setRawMode(false);
        screen.write('\n');
      }
    },
    everything: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of keyboard) chunks.push(Buffer.from(chunk as Uint8Array));
      return Buffer.concat(chunks);
    },
  };
}

const ctrlC = '\u0003';
const ctrlD = '\u0004';
const ctrlU = '\u0015';
const backspaces = new Set(['\b', '\u007f']);

/** Keys up to Enter. Lets go of the keyboard afterwards: a process that reads does not end. */
function typed(keyboard: Keyboard): Promise<string> {
  const line = new TypedLine();
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      keyboard.off('data', hear).off('end', close);
      keyboard.pause();
      end();
    };
    const close = () => settle(() => reject(new Interrupted('the terminal was closed')));
    const hear = (chunk: Uint8Array | string) => {
      const heard = line.hear(chunk);
      if (heard === 'given up') settle(() => reject(new Interrupted('nothing was typed')));
      if (heard === 'entered') settle(() => resolve(line.text));
    };
    keyboard.on('data', hear).on('end', close);
    keyboard.resume();
  });
}

class TypedLine {
  readonly #decoder = new TextDecoder();
  #letters: string[] = [];

  get text(): string {
    return this.#letters.join('');
  }

  hear(chunk: Uint8Array | string): 'entered' | 'given up' | undefined {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: arrows and the like begin with an escape.
    for (const letter of text.replaceAll(/\u001b(\[[0-9;?]*[ -/]*[@-~]|O.|.?)/g, '')) {
      if (letter === '\r' || letter === '\n') return 'entered';
      if (letter === ctrlC || letter === ctrlD) return 'given up';
      this.#type(letter);
    }
    return undefined;
  }

  #type(letter: string): void {
    if (letter === ctrlU) this.#letters = [];
    else if (backspaces.has(letter)) this.#letters.pop();
    else if (letter >= ' ') this.#letters.push(letter);
  }
}
