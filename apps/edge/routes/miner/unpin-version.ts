import { pinsService } from '../../../../actors/services/pins/messages.ts';
import { askService } from '../../ask-service.ts';
import { endpoint } from '../../endpoint.ts';
import { raceSelection, toRaceSelection } from '../../wire/race-selection.ts';

export const unpinVersion = endpoint({
  method: 'delete',
  path: '/v1/miner/race-selection',
  role: 'miner',
  owner: 'caller',
  summary: 'Let the best version race again; nothing changes where none is pinned',
  trafficClass: 1,
  response: raceSelection,
  faults: ['BANNED', 'NO_ACTIVE_SUITE', 'OUTCOME_UNKNOWN', 'RACE_LOCKED', 'STORE_UNAVAILABLE'],

  async handle({ caller, context }, { bus }) {
    const selection = await askService(bus, pinsService, {
      type: 'unpin',
      body: { hotkey: caller.name },
      id: context.commandId,
      account: caller.name,
    });
    return toRaceSelection(selection.racing);
  },
});
