import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import type { Transact } from '../../actors/services/service-handler.ts';
import { type LoanDeskOptions, openLoanDesk } from './loan-desk.ts';
import { until } from './until.ts';

export const secret = () => `demo-${randomUUID()}`;

/** The provider replaces each refresh token with its use, and refuses the one that was used. */
export async function openRotatingDesk(t: ExecutionContext, options: LoanDeskOptions = {}) {
  const desk = await openLoanDesk(t, options);
  const { providera } = desk.standIns;
  providera.set({ rotates: true });
  return {
    ...desk,
    providera,
    /** An order that the provider has, and leaves without an answer until it is told something: `set({})`. */
    unanswered: async <T>(order: () => Promise<T>) => {
      // A check before gives back what it got, and that would be what meets the fault.
      await until(() => providera.counts.keysRevoked === providera.counts.keysMade);
      const { requests } = providera.counts;
      providera.set({ fault: { fault: { kind: 'hang' }, scope: 'accounts', times: 1 } });
      const settled = order();
      await until(() => providera.counts.requests > requests);
      return { settled };
    },
    /** What is connected still makes keys. */
    isServing: async () => {
      const run = await desk.plantRun('alice');
      if ((await desk.token(run)) === null) return false;
      return await desk.isGood('providera', (await desk.key(run, 'providera')).text);
    },
    stored: async () => [
      ...(await desk.admin`select credential_id, sealed, updated_at from inference_credential`),
    ],
  };
}

/** Of a process, between what its provider answers and the transaction that stores it. */
export function standstill() {
  const [answered, store] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let transactions = 0;
  const transactAs =
    (plain: Transact): Transact =>
    async (body) => {
      transactions += 1;
      if (transactions > 1) {
        answered.resolve();
        await store.promise;
      }
      return await plain(body);
    };
  return { answered, store, transactAs };
}

/** Who shows a credential to its provider, and stands still before it stores what that gave for it. */
export async function openWithLateHolder(t: ExecutionContext) {
  const desk = await openRotatingDesk(t);
  const { answered, store, transactAs } = standstill();
  const credential = secret();
  const settled = desk.another({ transactAs }).connect('alice', 'providera', credential);
  t.teardown(() => store.resolve());
  await answered.promise;
  await desk.admin`update inference_check set busy_until = rt.wall_clock() - interval '1 second'`;
  return { ...desk, credential, slow: { store, settled } };
}
