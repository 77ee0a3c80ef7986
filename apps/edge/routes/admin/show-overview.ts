import { z } from 'zod';
import {
  type RaceTasks,
  readRaceTasks,
} from '../../../../actors/services/race-tasks/read-race-tasks.ts';
import { totalStuck } from '../../../../actors/services/stuck/find-stuck.ts';
import { endpoint } from '../../endpoint.ts';
import { listInferenceTotals } from '../../reads/inference.ts';
import { readOverview, type UnfinishedRaceRow } from '../../reads/operator.ts';
import { type ReigningTopRow, topView } from '../../reads/top.ts';
import { hotkeyOut } from '../../wire/hotkey.ts';
import { formatInstant, formatInstantOrNull, instant } from '../../wire/instant.ts';
import { providerNameOf } from '../../wire/provider.ts';
import { givenReason } from '../../wire/reason-field.ts';
import { scoreOut } from '../../wire/score.ts';
import { uuidOut } from '../../wire/uuid.ts';

const count = z.number().int();

const unfinishedRace = z.object({
  race_id: uuidOut,
  race_number: count,
  status: z.string(),
  qualifying_closes_at: instant,
  deadline_at: instant.nullable(),
  /** One item for each entrant, once it runs. */
  work: z.object({
    items: count,
    open: count,
    live_runs: count,
    /** Open ones that are offered to nobody for now, by what holds them. */
    held: z.array(
      z.object({
        hold_reason: givenReason('hold_reason', 'Why they are not offered'),
        items: count,
        next_ends_at: instant.nullable(),
      }),
    ),
  }),
});
/** What the current race could draw now, how much of it no race had, and for how many it asks. */
const raceTasks = z.object({ held_out: count, unraced: count, asked_for: count });
const reigningTop = z.object({
  agent_version_id: uuidOut,
  miner_hotkey: hotkeyOut,
  score: scoreOut,
  top_at: instant,
});

/** Of the runs that asked within the last 24 hours. */
const inferenceTotals = z.object({
  provider: z.string(),
  requests: count,
  failures: count,
  prompt_tokens: count,
  completion_tokens: count,
});

export const showOverview = endpoint({
  method: 'get',
  path: '/v1/admin/overview',
  role: 'operator',
  summary: 'Show race and top, and count what is open, live, waiting and stuck',
  trafficClass: 1,
  response: z.object({
    active_suite_id: count.nullable(),
    current_race: unfinishedRace.nullable(),
    race_tasks: raceTasks.nullable(),
    top: reigningTop.nullable(),
    open_work_items: count,
    live_runs: count,
    waiting_versions: count,
    banned_hotkeys: count,
    validators_active: count,
    outbox_pending: count,
    outbox_oldest_at: instant.nullable(),
    /** There are so many at the least, the oldest of them as old at the least: a pile was looked at in part. */
    outbox_may_be_more: z.boolean(),
    parked_messages: count,
    partitions_without_owner: count,
    stuck_records: count,
    /** There are so many at the least: a pile of messages was looked at in part, or some kinds not at all. */
    stuck_may_be_more: z.boolean(),
    inference: z.array(inferenceTotals),
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle(_request, { sql, config }) {
    const [overview, tasks, { top }, stuck, totals] = await Promise.all([
      readOverview(sql),
      readRaceTasks(sql),
      topView(sql),
      totalStuck(sql),
      listInferenceTotals(sql),
    ]);
    return {
      active_suite_id: overview.activeSuiteId,
      current_race: overview.race && toUnfinishedRace(overview.race),
      race_tasks: tasks && toRaceTasks(tasks),
      top: top && toReigningTop(top),
      open_work_items: overview.openWorkItems,
      live_runs: overview.liveRuns,
      waiting_versions: overview.waitingVersions,
      banned_hotkeys: overview.bannedHotkeys,
      validators_active: overview.validatorsActive,
      outbox_pending: overview.outboxPending,
      outbox_oldest_at: formatInstantOrNull(overview.outboxOldestAt),
      outbox_may_be_more: overview.mayMoreBePending,
      parked_messages: overview.parkedMessages,
      partitions_without_owner: overview.partitionsWithoutOwner,
      stuck_records: stuck.total,
      stuck_may_be_more: stuck.mayBeMore,
      inference: totals.map(({ provider, requests, failures, promptTokens, completionTokens }) => ({
        ...{ provider: providerNameOf(provider, config), requests, failures },
        ...{ prompt_tokens: promptTokens, completion_tokens: completionTokens },
      })),
    };
  },
});

function toUnfinishedRace(race: UnfinishedRaceRow): z.infer<typeof unfinishedRace> {
  return {
    race_id: race.raceId,
    race_number: race.raceNumber,
    status: race.status,
    qualifying_closes_at: formatInstant(race.qualifyingClosesAtMs),
    deadline_at: formatInstantOrNull(race.deadlineAtMs),
    work: {
      items: race.work.items,
      open: race.work.open,
      live_runs: race.work.liveRuns,
      held: race.work.held.map(({ reason, items, nextEndsAtMs }) => ({
        ...{ hold_reason: reason, items, next_ends_at: formatInstantOrNull(nextEndsAtMs) },
      })),
    },
  };
}

function toRaceTasks({ heldOut, unraced, askedFor }: RaceTasks): z.infer<typeof raceTasks> {
  return { held_out: heldOut, unraced, asked_for: askedFor };
}

function toReigningTop(top: ReigningTopRow): z.infer<typeof reigningTop> {
  return {
    agent_version_id: top.agentVersionId,
    miner_hotkey: top.minerHotkey,
    score: Number(top.score),
    top_at: formatInstant(top.topAtMs),
  };
}
