import { frontRoutes } from './routes/front.ts';
import { minerRoutes } from './routes/miner.ts';
import { operatorRoutes } from './routes/operator.ts';
import { publicRoutes } from './routes/public.ts';
import type { RouteRow } from './routes/route-row.ts';
import { validatorRoutes } from './routes/validator.ts';

/** Every route that the text promises, by the id of its row. */
export const routes = {
  ...frontRoutes,
  ...publicRoutes,
  ...minerRoutes,
  ...validatorRoutes,
  ...operatorRoutes,
};

export type RouteId = keyof typeof routes;

export const routeOf = (id: RouteId): RouteRow => routes[id];
