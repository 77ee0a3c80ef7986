import { answerJson, type StandIn, type StandInRequest } from './stand-in-request.ts';

/** `GET /v1/models`: what is served, and how it does. */
export function listModels({ behaviour, counts, models }: StandIn, request: StandInRequest): void {
  counts.modelLists += 1;
  const { dropped, models: states } = behaviour.now;
  const data = models
    .filter(({ modelId }) => !dropped.includes(modelId))
    .map((model) => ({ ...model, ...states[model.modelId] }))
    .map(({ modelId: id, healthy, load, latencyMs }) => ({
      ...{ id, object: 'model', healthy, load, latency_ms: latencyMs },
    }));
  answerJson(request, 200, { object: 'list', data });
}
