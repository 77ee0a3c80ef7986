/** What happened, in order: a hash of all of it, and its last lines for whoever looks for a cause. */
export class Trace {
  readonly #kept: string[] = [];
  readonly #keep: number;
  readonly #print: ((line: string) => void) | undefined;
  #startUs: number | undefined;
  #high = 0x811c9dc5;
  #low = 0x2545f491;

  constructor(options: { readonly keep?: number; readonly print?: (line: string) => void } = {}) {
    this.#keep = options.keep ?? 200;
    this.#print = options.print;
  }

  step(atUs: number, name: string): void {
    this.#startUs ??= atUs;
    const line = `${atUs - this.#startUs} ${name}`;
    this.#mix(line);
    this.#keepLine(line);
  }

  /** A note inside of a step; part of the hash as well. */
  note(text: string): void {
    this.#mix(text);
    this.#keepLine(`    ${text}`);
  }

  /** 16 hex digits. */
  get hash(): string {
    return [this.#high, this.#low]
      .map((part) => (part >>> 0).toString(16).padStart(8, '0'))
      .join('');
  }

  get tail(): readonly string[] {
    return this.#kept.slice(-this.#keep);
  }

  #mix(text: string): void {
    let high = this.#high;
    let low = this.#low;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 13);
    }
    this.#high = high;
    this.#low = low;
  }

  #keepLine(line: string): void {
    this.#print?.(line);
    this.#kept.push(line);
    if (this.#kept.length > 2 * this.#keep) this.#kept.splice(0, this.#keep);
  }
}
