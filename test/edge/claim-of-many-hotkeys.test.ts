import test from 'ava';
import type { EdgeDeps } from '../../apps/edge/deps.ts';
import type { Caller, RequestContext } from '../../apps/edge/endpoint.ts';
import { claimWork } from '../../apps/edge/routes/validator/claim-work.ts';
import { Fault } from '../../machines/fault.ts';

test('whose coldkey owns more hotkeys than can be told is given no work', async (t) => {
  const deps = { presence: { seen: () => undefined } } as unknown as EdgeDeps;
  const caller: Caller = {
    ...{ name: 'owner of many', role: 'validator', publicKeyHex: '', coldkey: 'many' },
    ownedHotkeys: null,
  };
  const context = { commandId: 'one' } as RequestContext;
  const request = { caller, context, params: undefined, query: undefined, body: undefined };

  const refused = await t.throwsAsync(async () => await claimWork.handle(request, deps), {
    instanceOf: Fault,
  });
  t.is(refused?.code, 'WRONG_ROLE');
  t.regex(refused?.message ?? '', /^Your coldkey owns more than 4,096 hotkeys, /);
});
