import { randomBytes, randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { createConnector } from '../../actors/services/credentials/connector.ts';
import { createCredentialsService } from '../../actors/services/credentials/credentials.actor.ts';
import { createLender } from '../../actors/services/credentials/lender.ts';
import {
  credentialContext,
  keyContext,
  tokenContext,
} from '../../actors/services/credentials/messages.ts';
import { createRevoker } from '../../actors/services/credentials/revoker.ts';
import type { Transact } from '../../actors/services/service-handler.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import { createProviders } from '../../infra/inference/providers.ts';
import type { ProviderId } from '../../infra/ports/inference.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Seal } from '../../infra/ports/seal.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { Fault } from '../../machines/fault.ts';
import { testDatabase } from './cluster.ts';
import { addSuite } from './eval-desk.ts';
import { patient } from './patient.ts';
import { plantVersion } from './planted-races.ts';
import { silentLogger } from './silent-telemetry.ts';
import { startStandIns } from './stand-ins.ts';

export interface LoanDeskOptions {
  readonly mintMs?: number;
  readonly connectMs?: number;
  readonly restMs?: number;
  readonly transactAs?: (plain: Transact) => Transact;
  readonly log?: Logger;
  /** Of the process; all have one unless told. */
  readonly seal?: Seal;
  /** The process has no URL of it. */
  readonly without?: ProviderId;
  /** The loans of ended runs are ended. */
  readonly isRevoking?: boolean;
}

/** The credentials service over a real database and providers that answer over HTTP. */
export async function openLoanDesk(t: ExecutionContext, options: LoanDeskOptions = {}) {
  const { sql: admin, url } = await testDatabase(t);
  const standIns = await startStandIns();
  t.teardown(() => standIns.stop());
  const { providera, providerb } = standIns;
  const urls = { provideraUrl: providera.url, providerbUrl: providerb.url };
  const providers = createProviders({ ...urls, clock: systemClock });
  const usual = createCredentialSeal([{ id: 'k', key: new Uint8Array(randomBytes(32)) }]);
  const start = (own: LoanDeskOptions = options) => {
    const line = { applicationName: 'loans', role: 'paddock_service', max: 4 } as const;
    const sql = createSql({ ...patient(url), ...line });
    t.teardown(() => closeSql(sql));
    const seal = own.seal ?? usual;
    const plain: Transact = (body) => transaction(sql, {}, body);
    const deps = {
      ...{ sql, seal, clock: systemClock, log: own.log ?? silentLogger },
      providers: new Map([...providers].filter(([id]) => id !== own.without)),
      transact: own.transactAs?.(plain) ?? plain,
      newId: randomUUID,
      spendLimit: 25,
      restMs: own.restMs ?? 0,
    };
    const lender = createLender(deps);
    t.teardown(() => lender.settled());
    const { connectMs } = own;
    const connecting = { ...deps, hash: sha256Hex, ...(connectMs !== undefined && { connectMs }) };
    const connector = createConnector(connecting);
    t.teardown(() => connector.settled());
    const service = createCredentialsService({
      ...{ ...deps, lender, connector, hash: sha256Hex, tokenLifetimeSeconds: 7200 },
      newSecret: () => randomBytes(32).toString('hex'),
      mintMs: own.mintMs ?? 3000,
    });
    const revoker = createRevoker(deps);
    if (own.isRevoking === true) {
      void revoker.start();
      t.teardown(() => revoker.stop());
    }
    const command = () => ({ id: randomUUID(), account: 'test', trace: {} });
    const within = { service, seal, revoker, sql, transact: deps.transact };
    return { ...asked(service, { seal, command }), ...within };
  };
  const suiteId = await addSuite(admin);
  return {
    ...start(),
    ...{ admin, url, standIns, providers },
    /** Another process on the same database. */
    another: start,
    plantRun: (hotkey: string) => plantRun(admin, suiteId, hotkey),
    endRun: (evalRunId: string, status = 'STALE') => admin`
      update evaluation_run set status = ${status}, completed_at = rt.clock()
      where eval_run_id = ${evalRunId}`,
    /** Whether the provider takes the key. */
    isGood: async (provider: ProviderId, accessKey: string) => {
      const model = 'maple/maple-8b-instruct';
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] });
      const completion = { accessKey, body, signal: AbortSignal.timeout(5000) };
      const answer = await providers.get(provider)?.complete(completion);
      for await (const _ of answer?.body ?? []);
      return answer?.status === 200;
    },
    keys: () => admin<{ provider: string; isOpen: boolean; failures: number; isKept: boolean }[]>`
      select provider, revoked_at is null as "isOpen", revoke_failures as failures,
        sealed_key is not null as "isKept"
      from inference_key
      order by minted_at`,
    refusal: async (work: Promise<unknown>) => {
      const error = await t.throwsAsync(work, { instanceOf: Fault });
      return error.code;
    },
  };
}

type Service = ReturnType<typeof createCredentialsService>;

type ConnectArguments = readonly [
  hotkey: string,
  provider: ProviderId,
  credential: string,
  mustExist?: boolean,
  as?: Parameters<Service['connect']>[1],
];

function asked(
  service: Service,
  {
    seal,
    command,
  }: {
    readonly seal: Seal;
    readonly command: () => Parameters<Service['connect']>[1];
  },
) {
  type Lent = Awaited<ReturnType<Service['lend-key']>>;
  const opened = (lent: Lent, evalRunId: string, provider: ProviderId) => {
    const { keyId, sealedKey, expiresAtMs } = lent;
    return { keyId, expiresAtMs, text: seal.open(sealedKey, keyContext(evalRunId, provider)) };
  };
  return {
    connect: (
      ...[hotkey, provider, credential, mustExist = false, as = command()]: ConnectArguments
    ) => {
      const sealed = seal.seal(credential, credentialContext(hotkey, provider));
      return service.connect({ hotkey, provider, sealed, mustExist }, as);
    },
    disconnect: (hotkey: string, provider: ProviderId, as = command()) =>
      service.disconnect({ hotkey, provider }, as),
    choose: (hotkey: string, provider: ProviderId, as = command()) =>
      service['set-default']({ hotkey, provider }, as),
    /** As the agent reads it; null where there is none. */
    token: async (evalRunId: string) => {
      const { token } = await service['issue-token']({ evalRunId }, command());
      if (token === null) return null;
      const text = seal.open(token.sealedToken, tokenContext(evalRunId));
      return { text, provider: token.provider, expiresAtMs: token.expiresAtMs };
    },
    /** As the provider made it. */
    key: async (evalRunId: string, provider: ProviderId, refused: string | null = null) => {
      const lent = await service['lend-key']({ evalRunId, provider, refused }, command());
      return opened(lent, evalRunId, provider);
    },
    /** The same one, where it lies ready. */
    found: async (evalRunId: string, provider: ProviderId) => {
      const { key } = await service['find-key']({ evalRunId, provider }, command());
      return key === null ? null : opened(key, evalRunId, provider);
    },
    command,
  };
}

/** A live run of a version of the miner's. */
async function plantRun(sql: Sql, suiteId: number, hotkey: string): Promise<string> {
  const [evalRunId, itemId] = [randomUUID(), randomUUID()];
  const versionId = await plantVersion(sql, { suiteId, hotkey, state: 'RUNNING', score: null });
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
      state, required_successes, queued_at, queue_order_at)
    values (${itemId}, 0, ${versionId}, ${hotkey}, ${suiteId}, 'QUALIFYING', 'OPEN', 2, rt.clock(),
      rt.clock())`;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
      execution_kind, validator_hotkey, slot, fence, status, claimed_at, lease_expires_at,
      expected_items)
    values (${evalRunId}, 0, ${itemId}, ${versionId}, ${suiteId}, 'QUALIFYING', 'envpack',
      ${randomUUID()}, 0, 1, 'CLAIMED', rt.clock(), rt.clock() + interval '5 minutes', 1)`;
  return evalRunId;
}
