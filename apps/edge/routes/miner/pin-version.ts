import { z } from 'zod';
import { pinsService } from '../../../../actors/services/pins/messages.ts';
import { askService } from '../../ask-service.ts';
import { endpoint } from '../../endpoint.ts';
import { raceSelection, toRaceSelection } from '../../wire/race-selection.ts';
import { uuid } from '../../wire/uuid.ts';

export const pinVersion = endpoint({
  method: 'put',
  path: '/v1/miner/race-selection',
  role: 'miner',
  owner: 'version',
  summary: 'Pin the version that races, until another is pinned or none',
  trafficClass: 1,
  body: z.object({ agent_version_id: uuid }),
  response: raceSelection,
  faults: [
    'AGENT_VERSION_NOT_FOUND',
    'BANNED',
    'NO_ACTIVE_SUITE',
    'NOT_PINNABLE',
    'OUTCOME_UNKNOWN',
    'RACE_LOCKED',
    'STORE_UNAVAILABLE',
  ],

  async handle({ caller, body, context }, { bus }) {
    const selection = await askService(bus, pinsService, {
      type: 'pin',
      body: { hotkey: caller.name, agentVersionId: body.agent_version_id },
      id: context.commandId,
      account: caller.name,
    });
    return toRaceSelection(selection.racing);
  },
});
