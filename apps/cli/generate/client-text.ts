import {
  type ApiDocument,
  type DescribedOperation,
  type Operation,
  operationsOf,
  type Schema,
} from '../../edge/openapi/api-document.ts';
import { declaration, generatedMark } from './schemas-text.ts';
import { literal, typeText } from './type-text.ts';

/** One method per operation, with the types of what it takes and answers. */
export function clientText(document: ApiDocument): string {
  const operations = operationsOf(document);
  const types = operations.flatMap(ownTypes).join('\n');
  const methods = operations.map(methodText).join('\n');
  const body = `${types}
/** Every operation of the service as a method. */
export type PaddockClient = ReturnType<typeof paddockClient>;

export function paddockClient(send: Send) {
  return {
${methods}  };
}

/** Whether an error is a refusal with this code, and so comes with what the code carries. */
export function isRefusal<Code extends keyof ErrorByCode>(
  error: unknown,
  code: Code,
): error is Refusal<ErrorByCode[Code]> {
  return error instanceof Refusal && error.code === code;
}
`;
  const used = Object.keys(document.components.schemas).filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body),
  );
  const schemas = [...used, 'ErrorByCode'].sort().map((name) => `  ${name},\n`);
  return `${generatedMark}
import type { CallOptions, Send } from './call.ts';
import { Refusal } from './refusal.ts';
import type {\n${schemas.join('')}} from './schemas.generated.ts';
${body.includes('ServerEvent') ? `import type { ServerEvent } from './server-events.ts';\n` : ''}
${body}`;
}

function typeName({ operationId }: Operation, suffix: string): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`;
}

function ownTypes({ operation }: DescribedOperation): string[] {
  const request = requestSchema(operation);
  const answers = ownAnswer(operation);
  return [
    ...(request === undefined ? [] : [declaration(typeName(operation, 'Request'), request)]),
    ...(answers === undefined ? [] : [declaration(typeName(operation, 'Answer'), answers)]),
  ];
}

/** What callers give for a header; others, such as those of a cache, are none of theirs. */
const headerFields: Readonly<Record<string, string>> = {
  'Idempotency-Key': 'idempotencyKey',
  'Last-Event-ID': 'lastEventId',
};

/** Everything that a caller may give, in one object; undefined where there is nothing. */
function requestSchema({ parameters = [], requestBody }: Operation): Schema | undefined {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const { in: place, name, schema, description, required: isRequired } of parameters) {
    const key = place === 'header' ? headerFields[name] : name;
    if (key === undefined) continue;
    if (key in properties) throw new Error(`two parameters are called ${key}`);
    properties[key] = { ...schema, ...(description !== undefined && { description }) };
    if (isRequired === true) required.push(key);
  }
  const [body] = Object.values(requestBody?.content ?? {});
  if (body !== undefined) properties['body'] = body.schema;
  if (requestBody?.required === true) required.push('body');
  const isEmpty = Object.keys(properties).length === 0;
  return isEmpty ? undefined : { type: 'object', properties, required };
}

/** The type of a success that no component describes; its objects get a name. */
function ownAnswer(operation: Operation): Schema | undefined {
  const [schema, ...others] = successSchemas(operation);
  const isOwn = others.length === 0 && schema?.type === 'object' && schema.properties !== undefined;
  return isOwn ? schema : undefined;
}

function successSchemas({ responses }: Operation): Schema[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const schemas = successes.flatMap(([, { content = {} }]) =>
    Object.entries(content).map(([mediaType, { schema }]) =>
      mediaType === 'text/event-stream' ? eventStream : schema,
    ),
  );
  return [...new Map(schemas.map((schema) => [typeText(schema), schema])).values()];
}

const eventStream: Schema = { $ref: 'AsyncIterable<ServerEvent>' };

function answerText(operation: Operation): string {
  const own = ownAnswer(operation) === undefined ? undefined : typeName(operation, 'Answer');
  const types = own === undefined ? successSchemas(operation).map(typeText) : [own];
  return [...types, ...('204' in operation.responses ? ['undefined'] : [])].join(' | ');
}

/** The media types of successes, '' for one without a body. */
function answerForms({ responses }: Operation): string[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const forms = successes.flatMap(([, { content }]) => Object.keys(content ?? { '': undefined }));
  return [...new Set(forms)];
}

const isJsonAlone = (forms: readonly string[]) =>
  forms.every((form) => form === 'application/json');

function methodText({ method, path, operation }: DescribedOperation): string {
  const { operationId, summary, deprecated, parameters = [] } = operation;
  const request = requestSchema(operation);
  const isOptional = (request?.required ?? []).length === 0;
  const given = `request: ${typeName(operation, 'Request')}${isOptional ? ' = {}' : ''}, `;
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => literal(name));
  const headers = parameters.flatMap(({ in: place, name }) => {
    const field = place === 'header' ? headerFields[name] : undefined;
    return field === undefined ? [] : [`${literal(name)}: ${literal(field)}`];
  });
  const [bodyType] = Object.keys(operation.requestBody?.content ?? {});
  const answer = answerText(operation);
  const forms = answerForms(operation);
  const refusals = ownCodes(operation);
  const call = [
    `method: '${method.toUpperCase()}'`,
    `path: ${literal(path)}`,
    `proof: '${proofOf(operation)}'`,
    `query: [${query.join(', ')}]`,
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(bodyType === undefined ? [] : [`bodyType: ${literal(bodyType)}`]),
    ...(isJsonAlone(forms) ? [] : [`answers: [${forms.map(literal).join(', ')}]`]),
  ];
  return `    /**
     * ${summary}
${refusals === '' ? '' : `     * @throws Refusal ${refusals}\n`}${deprecated === true ? `     * @deprecated ${operation.description ?? ''}\n` : ''}     */
    ${operationId}: async (
      ${request === undefined ? '' : given}options?: CallOptions,
    ): Promise<${answer}> =>
      (await send(
        { ${call.join(', ')} },
        ${request === undefined ? '{}' : 'request'},
        options,
      )) as ${answer},
`;
}

function proofOf({ security }: Operation): string {
  const [first] = security.map((schemes) => Object.keys(schemes)[0]);
  return first === 'session' ? 'hotkey' : (first ?? 'none');
}

/** The codes that are about what was asked; those of every route are not said at each. */
function ownCodes({ responses }: Operation): string {
  const own = Object.entries(responses).filter(([status]) => /^(400|403|404|409)$/.test(status));
  const codes = own.flatMap(([, { content = {} }]) =>
    Object.keys(content['application/json']?.examples ?? {}),
  );
  return codes.filter((code) => code !== 'BANNED' && code !== 'IDEMPOTENCY_CONFLICT').join(', ');
}
