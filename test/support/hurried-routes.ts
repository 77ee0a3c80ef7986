/** What a validator must get through to keep its work and set its weights: shed last, and counted by nobody's address. */
export const hurriedRoutes = [
  ['POST', '/v1/validator/evaluation-runs/{eval_run_id}/heartbeat'],
  ['POST', '/v1/validator/evaluation-runs/{eval_run_id}/progress'],
  ['POST', '/v1/validator/episode-results'],
  ['POST', '/v1/validator/evaluation-runs/{eval_run_id}/complete'],
  ['POST', '/v1/validator/evaluation-runs/{eval_run_id}/release'],
  ['GET', '/v1/validator/weight-salt'],
] as const;
