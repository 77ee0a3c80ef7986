import type { Context } from '@opentelemetry/api';

/**
 * Values by keys, the newest first. OpenTelemetry's own context gives each three functions, which the
 * engine puts among what is old, since they are assigned to properties: each request left what it
 * hung on there, and the collector of old garbage came four times as often.
 */
class SmallContext implements Context {
  readonly #key: symbol;
  readonly #value: unknown;
  readonly #rest: SmallContext | undefined;

  constructor(key: symbol, value: unknown, rest: SmallContext | undefined) {
    this.#key = key;
    this.#value = value;
    this.#rest = rest;
  }

  getValue(key: symbol): unknown {
    return this.#key === key ? this.#value : this.#rest?.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new SmallContext(key, value, this.#without(key));
  }

  deleteValue(key: symbol): Context {
    return this.#without(key) ?? smallRoot;
  }

  /** What is set again and again must not make it longer and longer. */
  #without(key: symbol): SmallContext | undefined {
    if (this.#key === key) return this.#rest;
    const before = this.#rest;
    const rest = before === undefined ? undefined : before.#without(key);
    return rest === before ? this : new SmallContext(this.#key, this.#value, rest);
  }
}

/** Holds nothing, as OpenTelemetry's `ROOT_CONTEXT`. */
export const smallRoot: Context = new SmallContext(Symbol('nothing'), undefined, undefined);
