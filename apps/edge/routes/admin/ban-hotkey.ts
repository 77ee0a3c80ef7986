import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { hotkey, hotkeyOut } from '../../wire/hotkey.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { requiredReason } from '../../wire/reason.ts';

export const banHotkey = endpoint({
  method: 'put',
  path: '/v1/admin/hotkeys/{hotkey}/ban',
  role: 'operator',
  summary: 'Ban a hotkey: its sessions die and its live runs are cancelled',
  trafficClass: 1,
  params: z.object({ hotkey }),
  body: z.object({ reason: requiredReason }),
  response: z.object({
    hotkey: hotkeyOut,
    banned: z.boolean(),
    reason: z.string(),
    banned_at: instant,
  }),
  faults: ['IDEMPOTENCY_CONFLICT', 'STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'],

  async handle({ caller, params, body, context }, { bus }) {
    const ban = await order(
      bus,
      { caller, context },
      { type: 'ban-hotkey', body: { hotkey: params.hotkey, reason: body.reason } },
    );
    return {
      hotkey: ban.hotkey,
      banned: true,
      reason: ban.reason,
      banned_at: formatInstant(ban.bannedAtMs),
    };
  },
});
