import { createInbox, type Msg, type NatsConnection } from 'nats';
import type { Clock } from '../ports/clock.ts';
import type { EdgeBeacon, EdgePeers } from '../ports/edge-peers.ts';
import type { Service } from '../ports/lifecycle.ts';
import type { Logger } from '../ports/log.ts';
import { LiveEdges } from './live-edges.ts';
import { answersTo, Questions } from './questions.ts';
import { encodeJson, readJson } from './wire.ts';

/** Several within the silence that hosts take for an outage. */
const everyMs = 1_000;
/**
 * Waited for twice: after a pause of this process one timer would be up before the answer is read
 * that has long lain in the socket.
 */
const halfPatienceMs = 250;

export interface EdgePeersDeps {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly log: Logger;
  /** Unique among the edges that run at one time; no spaces, for it ends a subject. */
  readonly name: string;
  /**
   * False while this edge would refuse everybody. Then it is silent: hosts take the silence of its
   * callers for the callers' own as long as they hear the edge. True unless told.
   */
  readonly isServing?: () => boolean;
  /** How long its callers wait until they are let in. No time at all unless told. */
  readonly waitMs?: () => number;
}

/**
 * Tells hosts and the other edges that this one is there, and says goodbye; hears the others and
 * carries their questions. A stranger is greeted at once, so that all know each other within
 * milliseconds of a start.
 */
export function createEdgePeers(deps: EdgePeersDeps): EdgeBeacon & EdgePeers & Service {
  const { connection, clock, name, isServing = () => true, waitMs = () => 0 } = deps;
  const live = new LiveEdges(name);
  let reply: (question: string) => string | undefined = () => undefined;
  let stopTicking: (() => void) | undefined;
  const subscriptions: ReturnType<NatsConnection['subscribe']>[] = [];

  const tell = (isLeaving: boolean) => {
    if (connection.isClosed()) return;
    const told = { name, isLeaving, waitMs: Math.round(waitMs()) };
    connection.publish('sys.edge', encodeJson(told));
  };
  let isSilent = true;
  const tellOfServing = () => {
    isSilent = !isServing();
    if (!isSilent) tell(false);
  };
  const hear = (message: Msg) => {
    const told = edgeOf(readJson(message));
    if (told === undefined) return;
    if (told.isLeaving) live.forget(told.name);
    else if (live.hear(told.name) && stopTicking !== undefined) tellOfServing();
  };
  const answer = (message: Msg) => {
    const text = answersTo(message.string(), reply);
    if (text !== undefined) message.respond(text);
  };
  const listen = (subject: string, receive: (message: Msg) => void) => {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) receive(message);
    };
    subscriptions.push(connection.subscribe(subject, { callback }));
  };

  const send = async (edge: string, text: string) => {
    const answered = await askInTime(deps, `sys.rate.${edge}`, text);
    // Not asked again before it is heard again: who stands still costs each edge one wait.
    const isNews = answered === undefined && live.forget(edge);
    if (isNews) deps.log.warn('an edge does not answer', { edge });
    if (answered === undefined) questions.delete(edge);
    return answered;
  };
  const questions = new Map<string, Questions>();
  const questionsTo = (edge: string): Questions => {
    const known = questions.get(edge) ?? new Questions((text) => send(edge, text));
    questions.set(edge, known);
    return known;
  };

  return {
    self: name,
    get names() {
      return live.names;
    },
    answer: (given) => {
      reply = given;
    },
    speak: () => {
      // Before the first word nobody could answer for this one, and after the goodbye it is gone.
      if (isSilent && stopTicking !== undefined) tell(false);
      isSilent = false;
    },
    ask: (edge, question) => questionsTo(edge).ask(question),
    start: async () => {
      if (stopTicking !== undefined) return;
      listen(`sys.rate.${name}`, answer);
      listen('sys.edge', hear);
      stopTicking = clock.every(everyMs, () => {
        live.beat();
        tellOfServing();
      });
      tellOfServing();
    },
    stop: async () => {
      stopTicking?.();
      stopTicking = undefined;
      tell(true);
      // Drained, not cut: what others asked before they heard the goodbye is still answered.
      await Promise.all(subscriptions.splice(0).map((each) => each.drain().catch(() => undefined)));
    },
  };
}

/** About 0.3 ms on an idle machine. Undefined when nobody listens there, or nobody answers. */
async function askInTime(
  { connection, clock }: EdgePeersDeps,
  subject: string,
  question: string,
): Promise<string | undefined> {
  const timeout = 3 * halfPatienceMs;
  const answered = new AbortController();
  const late = clock
    .sleep(halfPatienceMs, answered.signal)
    .then(() => clock.sleep(halfPatienceMs, answered.signal))
    .then(() => undefined);
  const reply = request(connection, subject, question, timeout);
  const text = await Promise.race([reply, late]);
  // With a reason: without one each abort makes an exception and its stack.
  answered.abort('answered');
  return text;
}

/**
 * Answered below `sys.rate`, where edges speak anyway, and not in an inbox: a right to answer (NATS's
 * `allow_responses`) is one to write anywhere, for who asks itself names where to.
 */
async function request(
  connection: NatsConnection,
  subject: string,
  question: string,
  timeout: number,
): Promise<string | undefined> {
  try {
    const reply = createInbox('sys.rate.answer');
    return (await connection.request(subject, question, { timeout, noMux: true, reply })).string();
  } catch {
    return undefined;
  }
}

function edgeOf(body: unknown): { name: string; isLeaving: boolean } | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('name' in body && 'isLeaving' in body) || typeof body.name !== 'string') return undefined;
  return { name: body.name, isLeaving: body.isLeaving === true };
}
