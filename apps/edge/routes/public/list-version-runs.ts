import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { versionById } from '../../reads/agent-versions.ts';
import { runsOfVersion } from '../../reads/runs.ts';
import { publicRun } from '../../wire/public-run.ts';
import { runRecord, toRunRecord } from '../../wire/run-record.ts';
import { uuid } from '../../wire/uuid.ts';

export const listVersionRuns = endpoint({
  method: 'get',
  path: '/v1/public/agent-versions/{agent_version_id}/runs',
  role: 'public',
  owner: 'nobody',
  summary:
    'The newest 500 evaluation runs of an agent version and older ones that go on or count, oldest first',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ agent_version_id: uuid }),
  response: z.array(runRecord),
  faults: ['AGENT_VERSION_NOT_FOUND'],

  async handle({ params }, { sql }) {
    const runs = await runsOfVersion(sql, params.agent_version_id);
    if (runs.length === 0 && (await versionById(sql, params.agent_version_id)) === undefined) {
      throw refusal('AGENT_VERSION_NOT_FOUND');
    }
    return runs.map(publicRun).map(toRunRecord);
  },
});
