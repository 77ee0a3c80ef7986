import { type ApiDocument, operationsOf } from './api-document.ts';

/** What a parameter means, wherever it stands; one with a text of its own keeps it. */
const texts: Readonly<Record<string, string>> = {
  'Last-Event-ID': 'The id of the last event that was seen; the stream goes on after it',
  agent_id: 'Id of an agent',
  agent_version_id: 'Id of an agent version',
  cursor: 'The id of the last event that was seen, or 0 for the beginning',
  episode_result_id: 'Id of one stored episode result',
  eval_run_id: 'Id of an evaluation run',
  hotkey: 'SS58 address with prefix 42',
  id: 'Id of an actor, as the list of partitions says it',
  include_embeddings: 'Whether each problem comes with the embeddings of its titles',
  limit: 'At most this many entries',
  msg_id: 'Id of a parked message',
  offset: 'So many entries are left out before the first',
  pack_sha256: 'SHA-256 of the environment pack, 64 lower-case hex digits',
  phase: 'Which runs count: those of qualifying or those of races',
  provider: 'Name of an inference provider',
  q: 'Part of an agent’s name or of a hotkey, in any case',
  race_id: 'Id of a race',
  ranked: 'Whether the models come in the order of their rank, with how they do',
  reason: 'Why; it stands in the audit log',
  rejudging_id: 'Id of a rejudging',
  score_type: 'By which score the entries are ranked',
  suite_id: 'Number of a suite; the active one where it may be left out',
  trace_id: 'Id of a trace, which X-Request-Id and log lines name',
  verdict: 'Only reports with this verdict',
  webhook_id: 'Id of a registered webhook',
};

export function withParameterTexts(document: ApiDocument): void {
  for (const { operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      const text = parameter.description ?? texts[parameter.name];
      if (text !== undefined) parameter.description = text;
    }
  }
}
