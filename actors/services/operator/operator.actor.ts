import type { DurableMessage } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { racePartitionOf } from '../../../machines/partition-of.ts';
import type { EffectivePolicy } from '../../../machines/race/policy-overrides.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { MessageType, ReplyOf, RequestOf } from '../messages.ts';
import type { CommandFacts, Handlers, Transact } from '../service-handler.ts';
import type { Sweep } from '../sweep.ts';
import { beginAdvance } from './advance-clock.ts';
import type { AuditFacts } from './audit-entry.ts';
import { deleteOldAnswers } from './audit-store.ts';
import { changePolicy } from './change-policy.ts';
import { createSuite, type SuiteDefaults } from './create-suite.ts';
import { drainMember } from './drain-member.ts';
import {
  documentKeyOf,
  type operatorService,
  type PackDocument,
  packDocument,
  type SuiteDocument,
  suiteDocument,
} from './messages.ts';
import { type Making, once } from './once.ts';
import { orderRace, orderRun, orderVersion } from './order-actors.ts';
import { type Order, OrderLine } from './order-line.ts';
import { holdUnfinishedRaces } from './order-store.ts';
import {
  registerWebhook,
  removeWebhook,
  replayWebhook,
  type WebhookRegister,
} from './order-webhooks.ts';
import { orderParked } from './parked-messages.ts';
import { toAllPartitions } from './partition-messages.ts';
import { keepPack, packRegistered } from './register-pack.ts';
import { endGround } from './rejudging/end-ground.ts';
import { createRejudging, orderRejudging } from './rejudging/orders.ts';
import { activateSuite, deleteBan, insertBan, type PartitionMessage, send } from './store.ts';

export interface OperatorDeps {
  /** For what is read before an order's turn comes. */
  readonly sql: Sql;
  readonly transact: Transact;
  readonly objects: Pick<ObjectStore, 'get'>;
  /** Sends at once what the sweeper would send seconds later; may fail. */
  readonly publish: (message: DurableMessage) => Promise<void>;
  /** Within the transaction of a ban, before it. */
  readonly endSessionsOf: (tx: Transaction, hotkey: string) => Promise<void>;
  readonly uuidV5: (namespace: string, name: string) => string;
  readonly suiteDefaults: SuiteDefaults;
  readonly configuredPolicy: EffectivePolicy;
  readonly webhooks: WebhookRegister;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

type Contract = typeof operatorService;

const rejudgingNamespace = '6e0f2c57-6c0c-5d0b-8f4e-2d1c7a9b3e54';

/** What a change answers, what it says for the log, and whom it tells. */
interface Change<T extends MessageType<Contract>> {
  readonly reply: ReplyOf<Contract, T>;
  readonly audit: Omit<AuditFacts, 'actor'>;
  readonly messages?: readonly PartitionMessage[];
}

type Make<T extends MessageType<Contract>> = (
  tx: Transaction,
  request: RequestOf<Contract, T>,
  command: CommandFacts & Making,
) => Promise<Change<T>>;

/** Makes what operators order, once each, with its entry in the audit log. */
export function createOperatorService(deps: OperatorDeps): Handlers<Contract> {
  const orders = new OrderLine(deps.clock);
  // Of their own: the tasks of one take seconds, before the log is held.
  const packs = new OrderLine(deps.clock);
  const handler =
    <T extends MessageType<Contract>>(...[type, make, same]: Ordered<T>) =>
    (request: RequestOf<Contract, T>, command: CommandFacts) =>
      orders.inTurn(inLine(type, request, command), {
        prepare: async () => undefined,
        carryOut: (_, leftMs) =>
          carryOut(deps, { type, make, same, request, command, patienceMs: leftMs }),
      });
  return {
    'register-pack': (request, command) =>
      packs.inTurn(inLine('register-pack', request, command), {
        prepare: async () => packDocument.parse(await readDocument(deps, request.documentSha256)),
        carryOut: (pack) => registerPack(request, { command, pack }, deps),
      }),
    'create-suite': (request, command) =>
      orders.inTurn(inLine('create-suite', request, command), {
        prepare: async () => suiteDocument.parse(await readDocument(deps, request.documentSha256)),
        carryOut: (document, leftMs) => {
          const make = (tx: Transaction) => makeSuite(tx, document, request.reason, deps);
          return carryOut(deps, {
            type: 'create-suite',
            make,
            request,
            command,
            patienceMs: leftMs,
          });
        },
      }),
    'activate-suite': handler('activate-suite', activate),
    'ban-hotkey': handler('ban-hotkey', async (tx, request, command) => {
      await holdUnfinishedRaces(tx);
      await deps.endSessionsOf(tx, request.hotkey);
      return await ban(tx, request, command);
    }),
    'unban-hotkey': handler('unban-hotkey', unban),
    'order-race': handler('order-race', orderRace),
    'order-version': handler('order-version', orderVersion),
    'order-run': handler('order-run', orderRun),
    'create-rejudging': handler('create-rejudging', (tx, request, command) => {
      const rejudgingId = deps.uuidV5(rejudgingNamespace, command.id);
      return createRejudging(tx, request, { command, rejudgingId });
    }),
    'order-rejudging': (...asked) => endInTurn(orders, deps, ...asked),
    'drain-member': handler('drain-member', drainMember),
    'order-parked': handler('order-parked', orderParked),
    'change-policy': handler('change-policy', async (tx, request, { account }) => {
      const by = { account, configured: deps.configuredPolicy };
      const reply = await changePolicy(tx, request, by);
      const object = `policy/${reply.policyVersion}`;
      const { reason, changes: detail } = request;
      return { reply, audit: { action: 'policy.change', object, reason, detail } };
    }),
    'register-webhook': handler(
      'register-webhook',
      (tx, request) => registerWebhook(tx, request, deps.webhooks),
      // No secret is sealed twice to the same text, nor for the same webhook.
      ({ sealedSecret: _, webhookId: __, ...request }) => request,
    ),
    'remove-webhook': handler('remove-webhook', (tx, request) =>
      removeWebhook(tx, request, deps.webhooks),
    ),
    'replay-webhook': handler('replay-webhook', (tx, request) =>
      replayWebhook(tx, request, deps.webhooks),
    ),
    'advance-clock': handler('advance-clock', async (tx, { seconds, reason }) => {
      const targetMs = await beginAdvance(tx, seconds);
      const detail = { seconds, target_ms: targetMs };
      return {
        reply: { targetMs },
        audit: { action: 'clock.advance', object: 'clock', reason, detail },
      };
    }),
    'note-registration': handler('note-registration', async (_tx, request, { auditSeq }) => {
      const { action, hotkey, detail, reason } = request;
      const object = `hotkey/${hotkey}`;
      return {
        reply: { auditSeq },
        audit: { action: `registration.${action}`, object, reason, detail },
      };
    }),
  };
}

type Ordered<T extends MessageType<Contract>> = [
  type: T,
  make: Make<T>,
  same?: (request: RequestOf<Contract, T>) => unknown,
];

interface Carried<T extends MessageType<Contract>> {
  readonly type: T;
  readonly make: Make<T>;
  /** What a repeat must have in common with the first one; all of it unless told. */
  readonly same?: ((request: RequestOf<Contract, T>) => unknown) | undefined;
  readonly request: RequestOf<Contract, T>;
  readonly command: CommandFacts;
  readonly patienceMs: number;
}

async function carryOut<T extends MessageType<Contract>>(
  deps: OperatorDeps,
  { type, make, same = (request) => request, request, command, patienceMs }: Carried<T>,
): Promise<ReplyOf<Contract, T>> {
  let messages: readonly PartitionMessage[] = [];
  const change = async (tx: Transaction, making: Making) => {
    const made = await make(tx, request, { ...command, ...making });
    messages = made.messages ?? [];
    if (messages.length > 0) await send(tx, messages);
    return { reply: made.reply, audit: { ...made.audit, actor: command.account } };
  };
  const reply = await deps.transact((tx) =>
    once(tx, { commandId: command.id, type, request: same(request), change, patienceMs }),
  );
  // After the commit; nobody waits for it, and what fails here is sent by the sweeper.
  for (const message of messages) void publish(deps, message);
  return reply;
}

/** With what races would have come to read before its turn comes. */
async function endInTurn(
  orders: OrderLine,
  deps: OperatorDeps,
  request: RequestOf<Contract, 'order-rejudging'>,
  command: CommandFacts,
): Promise<ReplyOf<Contract, 'order-rejudging'>> {
  const type = 'order-rejudging';
  return await orders.inTurn(inLine(type, request, command), {
    prepare: () => endGround(deps, request, command),
    carryOut: (ground, patienceMs) =>
      carryOut(deps, {
        ...{ type, request, command, patienceMs },
        make: (tx, ...asked) => orderRejudging(tx, ...asked, ground),
      }),
  });
}

async function makeSuite(
  tx: Transaction,
  document: SuiteDocument,
  reason: string | null,
  deps: OperatorDeps,
): Promise<Change<'create-suite'>> {
  const reply = await createSuite(tx, document, deps);
  const detail = { suite_version: reply.suiteVersion, execution_kind: reply.executionKind };
  const object = `suite/${reply.suiteId}`;
  return { reply, audit: { action: 'suite.create', object, reason, detail } };
}

/** The edge asks again under one id and with the same words until it hears something. */
function inLine(type: string, request: object, { id, budgetMs }: CommandFacts): Order {
  return { key: JSON.stringify([type, id, request]), budgetMs };
}

export function outdatedAnswers(sql: Sql, keepSeconds: number): Sweep {
  return (limit) => deleteOldAnswers(sql, keepSeconds, limit);
}

async function publish(deps: OperatorDeps, message: PartitionMessage): Promise<void> {
  const { msgId, subject, headers, body } = message;
  try {
    await deps.publish({ msgId, subject, headers, body, attempt: 0 });
  } catch (error) {
    deps.log.debug('a message waits for the sweeper', { subject, error });
  }
}

async function readDocument(deps: OperatorDeps, documentSha256: string): Promise<unknown> {
  const bytes = await deps.objects.get(documentKeyOf(documentSha256));
  if (bytes === undefined) throw new Error(`no document ${documentSha256} in the object store`);
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

/** With the pack kept ahead of the log, so that no other order waits for its tasks. */
async function registerPack(
  request: RequestOf<Contract, 'register-pack'>,
  { command, pack }: { readonly command: CommandFacts; readonly pack: PackDocument },
  deps: OperatorDeps,
): Promise<ReplyOf<Contract, 'register-pack'>> {
  return await deps.transact(async (tx) => {
    const kept = await keepPack(tx, request, pack);
    const change = async () => {
      const { reply, audit } = packRegistered(kept, request.reason);
      return { reply, audit: { ...audit, actor: command.account } };
    };
    return await once(tx, { commandId: command.id, type: 'register-pack', request, change });
  });
}

async function activate(
  tx: Transaction,
  { suiteId, reason }: RequestOf<Contract, 'activate-suite'>,
  command: CommandFacts,
): Promise<Change<'activate-suite'>> {
  const suite = await activateSuite(tx, suiteId);
  if (suite === undefined) throw refusal('SUITE_NOT_FOUND');
  const toRaces = toAllPartitions(command, { kind: 'race', type: 'suite-activated' }, { suiteId });
  const part = racePartitionOf(suiteId);
  const msgId = toRaces[part]?.msgId ?? '';
  return {
    reply: { ...suite, opening: { kind: 'race', part, msgId } },
    audit: { action: 'suite.activate', object: `suite/${suiteId}`, reason, detail: {} },
    messages: [
      ...toAllPartitions(command, { kind: 'eval', type: 'suite-activated' }, { suiteId }),
      ...toRaces,
    ],
  };
}

/** The edges see the ban at their next look, half a second later at most, and so do sessions. */
async function ban(
  tx: Transaction,
  { hotkey, reason }: RequestOf<Contract, 'ban-hotkey'>,
  command: CommandFacts,
): Promise<Change<'ban-hotkey'>> {
  const stands = await insertBan(tx, hotkey, reason);
  const atMs = stands.bannedAt.getTime();
  return {
    reply: { hotkey, reason: stands.reason, bannedAtMs: atMs },
    audit: { action: 'hotkey.ban', object: `hotkey/${hotkey}`, reason, detail: {} },
    messages: [
      ...toAllPartitions(command, { kind: 'eval', type: 'hotkey-banned' }, { hotkey }),
      ...toAllPartitions(command, { kind: 'race', type: 'hotkey-banned' }, { hotkey, atMs }),
    ],
  };
}

async function unban(
  tx: Transaction,
  { hotkey, reason }: RequestOf<Contract, 'unban-hotkey'>,
  command: CommandFacts,
): Promise<Change<'unban-hotkey'>> {
  await holdUnfinishedRaces(tx);
  const wasBanned = await deleteBan(tx, hotkey);
  return {
    reply: { hotkey, wasBanned },
    audit: {
      action: 'hotkey.unban',
      object: `hotkey/${hotkey}`,
      reason,
      detail: { was_banned: wasBanned },
    },
    messages: wasBanned
      ? toAllPartitions(command, { kind: 'eval', type: 'hotkey-unbanned' }, { hotkey })
      : [],
  };
}
