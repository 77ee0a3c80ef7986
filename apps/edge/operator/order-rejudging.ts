import type { z } from 'zod';
import type { RequestOf } from '../../../actors/services/messages.ts';
import type { operatorService } from '../../../actors/services/operator/messages.ts';
import { rejudgingView } from '../../../actors/services/operator/rejudging/view.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import { type rejudging, toRejudging } from '../wire/rejudging.ts';
import { order } from './order.ts';
import { untilCarriedOut } from './order-actor.ts';

type Contract = typeof operatorService;

/** Has runs judged again, or what came of it applied or dropped; answers how it stands then. */
export async function orderRejudging<T extends 'create-rejudging' | 'order-rejudging'>(
  deps: EdgeDeps,
  by: { readonly caller: Caller; readonly context: RequestContext },
  asked: { readonly type: T; readonly body: RequestOf<Contract, T> },
): Promise<z.input<typeof rejudging>> {
  const { rejudgingId, tickets } = await order(deps.bus, by, asked);
  await untilCarriedOut(deps, tickets, by.context);
  return await rejudgingAnswer(deps, rejudgingId);
}

export async function rejudgingAnswer(
  { config, sql }: Pick<EdgeDeps, 'config' | 'sql'>,
  rejudgingId: string,
): Promise<z.input<typeof rejudging>> {
  const view = await rejudgingView(sql, rejudgingId);
  if (view === undefined) throw refusal('REJUDGING_NOT_FOUND');
  return toRejudging(view, config);
}
