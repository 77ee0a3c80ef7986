import { createHash, randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { endSessionsOf } from '../../actors/services/auth/auth.actor.ts';
import { documentKeyOf } from '../../actors/services/operator/messages.ts';
import { createOperatorService } from '../../actors/services/operator/operator.actor.ts';
import {
  deleteWebhook,
  insertWebhook,
  rewindWebhook,
} from '../../actors/services/webhooks/store.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { uuidV5 } from '../../infra/ids/ids.ts';
import type { DurableMessage } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { testDatabase } from './cluster.ts';
import { patient } from './patient.ts';
import { silentLogger } from './silent-telemetry.ts';
import { trialPolicy } from './trial-races.ts';

const manifest = {
  contract_version: '1',
  runtime_version: '2',
  result_schema_version: '3',
  catalog_epoch: 'e1',
  display_name: 'Demo',
  environment_revision: 'r1',
};
export interface DeskTask {
  readonly taskId: string;
  readonly family: string;
  readonly goalText: string;
}

export const deskTasks: readonly DeskTask[] = Array.from({ length: 12 }, (_, index) => ({
  taskId: `task-${index}`,
  family: ['shop', 'voucher'][index % 2] ?? '',
  goalText: `Buy ${index}`,
}));
export const packSha256 = 'ab'.repeat(32);

/** The operator service over a database of its own, without a broker: `published` took its place. */
export async function openOperatorDesk(
  t: ExecutionContext,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
) {
  const { sql: admin, url } = await testDatabase(t);
  const line = { applicationName: 'services', role: 'paddock_service', max: 4 } as const;
  const sql = createSql({ ...patient(url), ...line });
  t.teardown(() => closeSql(sql));
  const documents = new Map<string, Uint8Array>();
  const published: DurableMessage[] = [];
  let held = Promise.resolve();
  let reads = 0;
  const service = createOperatorService({
    sql,
    transact: (body) => transaction(sql, {}, body),
    objects: {
      get: async (key) => {
        reads += 1;
        await held;
        return documents.get(key);
      },
    },
    publish: async (message) => void published.push(message),
    endSessionsOf,
    uuidV5,
    webhooks: { insert: insertWebhook, remove: deleteWebhook, rewind: rewindWebhook },
    clock,
    log: silentLogger,
    configuredPolicy: { ...trialPolicy, requiredSuccessesQualifying: 2 },
    suiteDefaults: {
      qualifyingThresholdMicro: 550_000,
      requiredSuccessesQualifying: 2,
      requiredSuccessesRace: 3,
      qualifyingTasks: 4,
    },
  });
  const store = (document: object) => {
    const bytes = Buffer.from(JSON.stringify(document));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    documents.set(documentKeyOf(sha256), bytes);
    return sha256;
  };
  const command = (id: string = randomUUID()) => ({ id, account: 'operator:ann', trace: {} });
  const suite = (fields: object = {}) =>
    store({
      benchmarkName: 'bench',
      benchmarkNumber: 3,
      executionKind: 'legacy_benchmark',
      envPackSha256: null,
      qualifyingTaskIds: null,
      problems: [
        { problemId: null, metadata: { category: 'Shop', reward_title_embeddings: { a: [1] } } },
      ],
      raceProblems: [{ problemId: randomUUID(), metadata: { category: 'Held out' } }],
      qualifyingThresholdMicro: null,
      requiredSuccessesQualifying: null,
      requiredSuccessesRace: null,
      ...fields,
    });
  const register = (sha256 = packSha256, tasks = deskTasks, by = command()) => {
    const documentSha256 = store({ manifest, tasks });
    const request = { packSha256: sha256, sizeBytes: 1000, documentSha256, reason: null };
    return service['register-pack'](request, by);
  };
  /** Whoever reads a document from now on waits until it goes on. */
  const holdStore = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = reads;
    held = promise;
    const letOthers = () => {
      held = Promise.resolve();
    };
    return { isAsked: () => reads > before, letOthers, goOn: resolve };
  };
  return { admin, service, command, suite, register, holdStore, published };
}
