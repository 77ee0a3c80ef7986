import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { sha256Hex } from '../../ids/ids.ts';
import {
  answerError,
  answerJson,
  jsonBody,
  type StandIn,
  type StandInRequest,
} from './stand-in-request.ts';

const asked = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().optional(),
  max_tokens: z.int().min(1).optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});

type Asked = z.infer<typeof asked>;

/** `POST /v1/chat/completions`: the same words for the same question. */
export async function complete(standIn: StandIn, request: StandInRequest): Promise<void> {
  const { behaviour, clock, counts, keys, models } = standIn;
  const known = keys.read(request.bearer, clock.nowMs());
  if (known === undefined) return answerError(request, 401, 'this key is worth nothing');
  if (keys.isSpent(known)) return answerError(request, 402, 'the cap of this key is reached');
  const parsed = asked.safeParse(jsonBody(request));
  if (!parsed.success) return answerError(request, 400, 'this is no chat completion');
  const isServed = models.some(({ modelId }) => modelId === parsed.data.model);
  if (!isServed || behaviour.now.dropped.includes(parsed.data.model)) {
    return answerError(request, 404, 'there is no such model');
  }
  counts.completions += 1;
  counts.open += 1;
  try {
    const reply = replyTo(parsed.data, standIn);
    const { prompt_tokens: prompt, completion_tokens: completion } = reply.usage;
    keys.spend(known, (prompt + completion) * behaviour.now.tokenPrice);
    if (parsed.data.stream === true) await stream(reply, parsed.data, { standIn, request });
    else answerJson(request, 200, wholeAnswer(reply, parsed.data));
  } finally {
    counts.open -= 1;
    if (request.gone.aborted) counts.aborted += 1;
  }
}

interface Reply {
  readonly id: string;
  readonly created: number;
  readonly wordCount: number;
  readonly wordAt: (index: number) => string;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

const vocabulary = ['add', 'the', 'cheapest', 'item', 'in', 'size', 'of', 'this', 'shop', 'to'];
/** What a token of English holds, about. */
const charactersPerToken = 4;

function replyTo({ model, messages, max_tokens: most }: Asked, { behaviour, clock }: StandIn) {
  const question = JSON.stringify(messages);
  const digest = sha256Hex(`${model}\n${question}`);
  const wordCount = Math.min(behaviour.now.replyWords, most ?? Number.MAX_SAFE_INTEGER);
  const prompt = Math.ceil(question.length / charactersPerToken);
  return {
    id: `chatcmpl-${digest.slice(0, 24)}`,
    created: Math.floor(clock.nowMs() / 1000),
    wordCount,
    wordAt: (index: number) => {
      const at = Number.parseInt(digest.charAt(index % digest.length), 16);
      return `${index === 0 ? '' : ' '}${vocabulary[(at + index) % vocabulary.length]}`;
    },
    usage: {
      ...{ prompt_tokens: prompt, completion_tokens: wordCount },
      total_tokens: prompt + wordCount,
    },
  };
}

function wholeAnswer({ id, created, usage, wordAt, wordCount }: Reply, { model }: Asked): object {
  const content = Array.from({ length: wordCount }, (_, index) => wordAt(index)).join('');
  const message = { role: 'assistant', content };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { ...{ id, object: 'chat.completion', created, model, choices, usage } };
}

async function stream(
  reply: Reply,
  about: Asked,
  at: { readonly standIn: StandIn; readonly request: StandInRequest },
): Promise<void> {
  const { response } = at.request;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  // Fails where the client has gone, and then there is nobody to tell.
  await pipeline(Readable.from(chunks(reply, about, at)), response).catch(() => undefined);
}

async function* chunks(
  { id, created, usage, wordAt, wordCount }: Reply,
  { model, stream_options: options }: Asked,
  {
    standIn: { behaviour, clock, counts },
    request,
  }: { readonly standIn: StandIn; readonly request: StandInRequest },
): AsyncGenerator<string> {
  const event = (rest: object) => {
    counts.chunksSent += 1;
    const about = { id, object: 'chat.completion.chunk', created, model };
    return `data: ${JSON.stringify({ ...about, ...rest })}\n\n`;
  };
  const choice = (delta: object, reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  for (let index = 0; index < wordCount; index++) {
    const { fault } = request;
    if (fault?.kind === 'stall' && fault.afterChunks === index) {
      await behaviour.changed(request.gone);
    }
    const { chunkMs } = behaviour.now;
    if (chunkMs > 0) await clock.sleep(chunkMs, request.gone);
    if (request.gone.aborted) return;
    yield event(choice({ content: wordAt(index) }, null));
  }
  yield event(choice({}, 'stop'));
  if (options?.include_usage === true) yield event({ choices: [], usage });
  yield 'data: [DONE]\n\n';
}
