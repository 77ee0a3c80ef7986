import { type AnyStateMachine, initialTransition, transition } from 'xstate';
import type { z } from 'zod';

/** Something that happened, in the past tense. Facts stay true when the rules change. */
export interface Fact {
  readonly type: string;
}

/** A machine at rest: plain data. Live snapshots of the library never leave this file. */
export interface MachineState<C> {
  readonly value: string;
  readonly context: C;
}

declare const factOf: unique symbol;

/**
 * A state machine together with what storing it needs. The library is used as a pure reducer: no
 * actor ever runs, so nothing is invoked, spawned or delayed (a test walks every configuration).
 */
export interface Model<C, F extends Fact> {
  readonly name: string;
  /** Grows when the shape of value or context changes; `upcasts` leads from each older one. */
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly context: z.ZodType<C>;
  /** From version n to n + 1, by n. */
  readonly upcasts: Readonly<Record<number, Upcast>>;
  /** Values whose machines still wait for something: loaded when their partition activates. */
  readonly openValues: readonly string[];
  readonly [factOf]?: F;
}

export type Upcast = (stored: StoredState) => StoredState;

export interface StoredState {
  readonly value: unknown;
  readonly context: unknown;
}

/** A fact that its machine does not allow: a defect of a decision, never a caller's mistake. */
export class ModelBug extends Error {
  override name = 'ModelBug';
}

/** The pseudo state before the first fact: the same for all, and what the library takes longest for. */
export function unborn<C, F extends Fact>(model: Model<C, F>): MachineState<C> {
  let first = firstStates.get(model.machine) as MachineState<C> | undefined;
  if (first === undefined) {
    const [{ value, context }] = initialTransition(model.machine);
    first = { value: value as string, context: context as C };
    firstStates.set(model.machine, first);
  }
  return first;
}

const firstStates = new WeakMap<AnyStateMachine, MachineState<unknown>>();

/** Legality is the machine's: a forbidden fact throws where the library would ignore it. */
export function evolve<C, F extends Fact>(
  model: Model<C, F>,
  state: MachineState<C>,
  fact: F,
): MachineState<C> {
  const before = model.machine.resolveState({ value: state.value, context: state.context });
  if (!before.can(fact)) {
    throw new ModelBug(`${model.name} in ${state.value} cannot take ${fact.type}`);
  }
  const [after, effects] = transition(model.machine, before, fact);
  // Effects are decided beside the facts; an action that the library would run is a mistake.
  if (effects.length > 0) throw new ModelBug(`${model.name} wants effects after ${fact.type}`);
  return { value: after.value as string, context: after.context as C };
}

export function fold<C, F extends Fact>(
  model: Model<C, F>,
  facts: Iterable<F>,
  from: MachineState<C> = unborn(model),
): MachineState<C> {
  let state = from;
  for (const fact of facts) state = evolve(model, state, fact);
  return state;
}
