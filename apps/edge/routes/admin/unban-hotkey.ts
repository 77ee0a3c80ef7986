import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { hotkey, hotkeyOut } from '../../wire/hotkey.ts';
import { reasonBody } from '../../wire/reason.ts';

export const unbanHotkey = endpoint({
  method: 'delete',
  path: '/v1/admin/hotkeys/{hotkey}/ban',
  role: 'operator',
  summary: 'Lift a ban; sessions do not come back',
  trafficClass: 1,
  params: z.object({ hotkey }),
  body: reasonBody,
  response: z.object({ hotkey: hotkeyOut, banned: z.boolean(), was_banned: z.boolean() }),
  faults: ['IDEMPOTENCY_CONFLICT', 'STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'],

  async handle({ caller, params, body, context }, { bus }) {
    const { wasBanned } = await order(
      bus,
      { caller, context },
      { type: 'unban-hotkey', body: { hotkey: params.hotkey, reason: body?.reason ?? null } },
    );
    return { hotkey: params.hotkey, banned: false, was_banned: wasBanned };
  },
});
