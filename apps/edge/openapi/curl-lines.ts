import type { Role } from '../endpoint.ts';
import {
  type ApiDocument,
  type DescribedOperation,
  type MediaType,
  operationsOf,
} from './api-document.ts';

/** Of the service and of whoever asks; the command line reads the same ones. */
const tokenByRole: Readonly<Record<Role, string | undefined>> = {
  public: undefined,
  miner: 'PADDOCK_TOKEN',
  validator: 'PADDOCK_TOKEN',
  hotkey: 'PADDOCK_TOKEN',
  operator: 'PADDOCK_OPERATOR_TOKEN',
  // What a claim gives for asking models.
  run: 'ACCESS_TOKEN',
};

/** What stands in a folder of whoever tries the line. */
const agentFile = 'agent.py';
const packFile = 'pack.tar.gz';

/** Behind the examples, which the lines are made of. */
export function withCurlLines(document: ApiDocument): void {
  for (const each of operationsOf(document)) {
    each.operation['x-codeSamples'] = [{ lang: 'Shell', source: curlLine(each) }];
  }
}

/** The example of an operation as a line for a shell; every value in it is one of the examples. */
function curlLine({ path, method, operation }: DescribedOperation): string {
  const token = tokenByRole[operation['x-role']];
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  const isEndless = 'text/event-stream' in (operation.responses['200']?.content ?? {});
  const parts = [
    `curl ${isEndless ? '-N ' : ''}${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$PADDOCK_URL${target(path, operation)}"`,
    ...(token === undefined ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...(content === undefined ? [] : bodyParts(...content)),
  ];
  return parts.join(' \\\n  ');
}

function target(path: string, { parameters = [] }: DescribedOperation['operation']): string {
  const needed = parameters.filter(({ required }) => required === true);
  const exampleOf = (name: string) =>
    encodeURIComponent(String(needed.find((each) => each.name === name)?.example));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name));
  const query = needed.filter((each) => each.in === 'query');
  const pairs = query.map(({ name }) => `${name}=${exampleOf(name)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

function bodyParts(mediaType: string, { example }: MediaType): readonly string[] {
  if (mediaType === 'multipart/form-data') {
    return Object.entries(example as Record<string, string>).map(([name, value]) =>
      name === 'file' ? `-F file=@${agentFile}` : `-F ${quoted(`${name}=${value}`)}`,
    );
  }
  const type = `-H ${quoted(`Content-Type: ${mediaType}`)}`;
  if (mediaType !== 'application/json') return [type, `--data-binary @${packFile}`];
  return [type, `-d ${quoted(JSON.stringify(example))}`];
}

/** As one word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
