import { type Fact, type MachineState, type Model, ModelBug } from './kernel.ts';

/** A machine as its row holds it. */
export interface StoredMachine {
  readonly machineVersion: number;
  readonly value: unknown;
  readonly context: unknown;
}

export function encode<C, F extends Fact>(
  model: Model<C, F>,
  state: MachineState<C>,
): StoredMachine & { readonly closed: boolean } {
  return {
    machineVersion: model.version,
    value: state.value,
    context: state.context,
    closed: !model.openValues.includes(state.value),
  };
}

/**
 * Reads a row of this version or an older one. A newer version throws: a newer process owns that
 * format, and the partition must stay with it.
 */
export function decode<C, F extends Fact>(
  model: Model<C, F>,
  stored: StoredMachine,
): MachineState<C> {
  if (stored.machineVersion > model.version) {
    throw new ModelBug(`${model.name} version ${stored.machineVersion} is from a newer process`);
  }
  let { value, context }: { value: unknown; context: unknown } = stored;
  for (let version = stored.machineVersion; version < model.version; version += 1) {
    const upcast = model.upcasts[version];
    if (upcast === undefined) throw new ModelBug(`${model.name} has no way up from ${version}`);
    ({ value, context } = upcast({ value, context }));
  }
  if (typeof value !== 'string' || !(value in model.machine.states)) {
    throw new ModelBug(`${model.name} knows no state ${JSON.stringify(value)}`);
  }
  return { value, context: model.context.parse(context) };
}
