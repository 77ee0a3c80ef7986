import type { Msg, NatsConnection } from 'nats';
import { Fault } from '../../machines/fault.ts';
import { detailOf } from '../../machines/refusal.ts';
import type { IncomingCommand, ServiceBus, Subscription, WireReply } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/log.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { isOfOther, notOurs } from './installation.ts';
import { Sharing } from './sharing.ts';
import { drained } from './signals.ts';
import { Standstill } from './standstill.ts';
import { encodeJson, readCommand } from './wire.ts';

export interface ServiceBusDeps {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** See PartitionBusDeps. */
  readonly genesis?: string;
  /** Takes its part always unless told. */
  readonly sharing?: Sharing;
}

/** Requests of one service that one process works on at a time; its database pool has eight. */
const inFlightMax = 256;

type Handle = (request: IncomingCommand) => Promise<unknown>;

export function createServiceBus(deps: ServiceBusDeps): ServiceBus {
  const standstill = new Standstill(deps.clock);
  const sharing = deps.sharing ?? new Sharing(deps);
  const open = new Set<Subscription>();
  let answering: Subscription | undefined;
  return {
    serve: (service, handle) => {
      if (open.size === 0) {
        standstill.start();
        answering = sharing.answer();
      }
      const served = serve({ ...deps, standstill, sharing }, service, handle);
      const subscription = {
        close: async () => {
          open.delete(subscription);
          if (open.size === 0) {
            standstill.stop();
            await answering?.close();
          }
          await served.close();
        },
      };
      open.add(subscription);
      return subscription;
    },
  };
}

type ServiceDeps = ServiceBusDeps & { readonly standstill: Standstill; readonly sharing: Sharing };

function serve(deps: ServiceDeps, service: string, handle: Handle): Subscription {
  const running = new Set<Promise<void>>();
  const receive = async (message: Msg) => {
    const request = readCommand(message);
    if (request === undefined) return;
    // Its caller may have given up, and may have asked for the opposite since. One who still waits repeats it.
    if (deps.standstill.unreadMs() > (request.budgetMs ?? Number.POSITIVE_INFINITY)) return;
    await deps.telemetry.inTrace(request.trace, async () => {
      try {
        const isOurs = !isOfOther(request.genesis, deps.genesis);
        const refused = isOurs ? refusalOf(deps.sharing, running.size) : notOurs;
        const reply = refused ?? (await answer(deps, { service, handle, request }));
        message.respond(encodeJson(reply));
      } catch (error) {
        deps.log.error('a reply could not be sent', { service, error });
      }
    });
  };
  const subject = `svc.${service}`;
  const callback = (error: Error | null, message: Msg) => {
    if (error !== null) return deps.log.error('service subscription failed', { service, error });
    const work = receive(message);
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const enter = () => drained(deps.connection.subscribe(subject, { queue: subject, callback }));
  let group: Subscription | undefined = enter();
  const unfollow = deps.sharing.onChange(() => {
    if (deps.sharing.isAway) {
      // What is on its way here is refused, and repeated at once.
      void group?.close();
      group = undefined;
    } else group ??= enter();
  });
  return {
    close: async () => {
      unfollow();
      await group?.close();
      await Promise.all(running);
    },
  };
}

/** At once: a request meets one of its group, so nobody else would answer if this one waited. */
function refusalOf(sharing: Sharing, running: number): WireReply | undefined {
  if (!sharing.isTaking) return refusedAs('STORE_UNAVAILABLE');
  return running > inFlightMax ? refusedAs('OVERLOADED') : undefined;
}

function refusedAs(code: 'OVERLOADED' | 'STORE_UNAVAILABLE'): WireReply {
  return { kind: 'fault', code, detail: detailOf(code), extras: {} };
}

async function answer(
  deps: ServiceBusDeps,
  asked: {
    readonly service: string;
    readonly handle: Handle;
    readonly request: IncomingCommand;
  },
): Promise<WireReply> {
  const { service, request } = asked;
  const options = { kind: 'server', parent: request.trace, attributes: { service } } as const;
  try {
    const body = await deps.telemetry.span(`svc ${request.type}`, options, () =>
      asked.handle(request),
    );
    return { kind: 'ok', body: body ?? null };
  } catch (error) {
    if (error instanceof Fault) {
      return { kind: 'fault', code: error.code, detail: error.message, extras: error.extras };
    }
    deps.log.error('a service failed', { service, type: request.type, error });
    const detail = detailOf('INTERNAL_ERROR');
    return { kind: 'fault', code: 'INTERNAL_ERROR', detail, extras: {} };
  }
}
