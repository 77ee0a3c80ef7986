import { publicEventTypes } from '../../../machines/feed/public-event.ts';
import { explained } from '../../../machines/reasons/explained.ts';
import { isReasonField } from '../../../machines/reasons/reason-kinds.ts';
import type { ServerEvent } from '../client/server-events.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { exitCodes } from '../exit-code.ts';
import { localTime } from '../show/moments.ts';
import { plainText } from '../show/plain-text.ts';
import { Troubles } from '../troubles.ts';

/** Before a cut connection is taken up again. One that is silent for five minutes counts as cut to fetch. */
const cutPauseMs = 1_000;

export const events: Command = {
  name: 'events',
  says: 'Follow what happens, as the service tells everybody',
  options: {
    from: {
      value: 'CURSOR',
      says: 'everything after this event; 0 is the beginning (default: now)',
    },
    type: { value: 'TYPE', says: 'only these, as in race-completed' },
  },
  more: `In order, without gap or repeat, also across cut connections. With --json each line is one event, and
its "cursor" is where --from goes on. Where the service went back to an earlier state, a note on standard error says
after which event what was heard never was.`,
  examples: [
    ['paddock events', 'from now on, until Ctrl-C'],
    [
      'paddock events --from 0 --type race-completed --json',
      'all results there were, for a program',
    ],
  ],
  async run(asked, desk) {
    const from = asked.count('from', { min: 0, max: Number.MAX_SAFE_INTEGER });
    const type = asked.text('type');
    // A newer service may tell of more, so it is no error.
    if (type !== undefined && !isKnown(type)) desk.err.line(unknownType(type));
    for await (const { event, data } of followed(from, desk)) {
      if (event === 'history-restored') desk.err.line(restoredText(data));
      if (type !== undefined && event !== type) continue;
      desk.out.line(desk.isJson ? data : eventText(data));
    }
    return exitCodes.interrupted;
  },
};

function isKnown(type: string): boolean {
  return publicEventTypes.some((known) => known === type);
}

function unknownType(type: string): string {
  return plainText(
    `paddock: nothing that this version knows is called "${type}"; there are ${publicEventTypes.join(', ')}`,
  );
}

/** Goes on behind the last event whenever the connection is cut, or the service refused it, once it may be asked. */
async function* followed(
  from: number | undefined,
  desk: Desk,
): AsyncGenerator<ServerEvent, void, undefined> {
  const { client, clock, stopping } = desk;
  const troubles = new Troubles(desk);
  let cursor = from;
  const onEventId = (id: string) => {
    cursor = Number(id);
  };
  while (!stopping.aborted) {
    let pauseMs = cutPauseMs;
    try {
      const stream = await client.getPublicEvents({ cursor }, { signal: stopping, onEventId });
      troubles.over();
      yield* stream;
    } catch (error) {
      if (stopping.aborted) return;
      // A stream that breaks off is a TypeError of fetch, which says why in its cause.
      const isCut = error instanceof TypeError && error.cause !== undefined;
      if (!isCut) pauseMs = Math.max(cutPauseMs, troubles.met(error));
    }
    await clock.sleep(pauseMs, stopping);
  }
}

/** Said whatever is asked for: who keeps what was heard has to know what of it never was. */
function restoredText(data: string): string {
  const { last_kept_cursor: kept } = JSON.parse(data) as { readonly last_kept_cursor: unknown };
  const never = `what was told after event ${String(kept)} never was`;
  return plainText(`paddock: the service went back to an earlier state; ${never}`);
}

function eventText(data: string): string {
  const { at, type, cursor: _, ...about } = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const said = Object.entries(about)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${saidOf(String(type), name, value)}`);
  return plainText([localTime(String(at)), String(type).padEnd(19), said.join(', ')].join('  '));
}

/** Some fields say why by a code; of `reason` the event tells which codes it has. */
function saidOf(type: string, name: string, value: unknown): string {
  const field = name === 'reason' ? `${type}.reason` : name;
  return isReasonField(field) ? explained(field, String(value)) : String(value);
}
