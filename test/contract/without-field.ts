import { z } from 'zod';

// Copied into the mutated tree: an endpoint that neither answers nor describes one field.

interface Answering {
  readonly response: z.ZodType;
  handle(request: unknown, deps: unknown): Promise<unknown>;
}

export function withoutField<E extends Answering>(endpoint: E, steps: readonly string[]): E {
  return {
    ...endpoint,
    response: schemaWithout(endpoint.response, steps),
    handle: async (request: unknown, deps: unknown) =>
      answerWithout(await endpoint.handle(request, deps), steps),
  };
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

function schemaWithout(schema: z.ZodType, [step, ...rest]: readonly string[]): z.ZodType {
  if (step === undefined) return schema;
  const { type, innerType, element, shape } = schema.def as unknown as Definition;
  if (type === 'nullable' && innerType !== undefined) {
    return schemaWithout(innerType, [step, ...rest]).nullable();
  }
  if (type === 'array' && element !== undefined) return z.array(schemaWithout(element, rest));
  const { [step]: field, ...others } = shape ?? {};
  if (field === undefined) throw new Error(`there is no ${step} in a ${type}`);
  return z.object(rest.length === 0 ? others : { ...others, [step]: schemaWithout(field, rest) });
}

/** Also of an answer whose bytes were made by the handler. */
function answerWithout(answer: unknown, steps: readonly string[]): unknown {
  if (isPrepared(answer)) {
    const { body } = answer;
    if (body === undefined) return answer;
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const changed = JSON.stringify(dropped(JSON.parse(text), steps));
    return Object.assign(Object.create(Object.getPrototypeOf(answer) as object), answer, {
      body: changed,
      isKept: false,
    });
  }
  return answer === undefined ? answer : dropped(structuredClone(answer), steps);
}

interface Prepared {
  readonly status: number;
  readonly headers: object;
  readonly body: string | Uint8Array | undefined;
}

function isPrepared(answer: unknown): answer is Prepared {
  return answer?.constructor.name === 'PreparedAnswer';
}

function dropped(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (value === null || value === undefined || step === undefined) return value;
  if (step === '[]') return (value as unknown[]).map((element) => dropped(element, rest));
  const { [step]: field, ...others } = value as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [step]: dropped(field, rest) };
}
