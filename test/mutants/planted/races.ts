import type { Mutant } from '../mutant.ts';

/** Races, the top, and the money. */
export const raceMutants: readonly Mutant[] = [
  {
    id: 'standings-made-on-read',
    breaks: 'Standings are made anew for whoever asks, as things stand then.',
    signs: ['INV-34'],
    edits: [
      {
        file: 'apps/edge/emission/standings.ts',
        snippet: 'return { ...newest, isEligible: seen.isEligible };',
        replacement: `const { createGroundReader } = await import('../../../actors/emission-calculator/store.ts');
    const { standingsBody } = await import('../../../actors/emission-calculator/standings-body.ts');
    const ground = await createGroundReader(this.#deps.sql, { burnRateMicro: 0 }).read();
    const body = standingsBody(newest.epochIndex, ground);
    return { epochIndex: newest.epochIndex, body, isEligible: seen.isEligible };`,
      },
    ],
  },
  {
    id: 'code-out-a-day-early',
    breaks: 'The code of whoever never was top is released a day before its time.',
    // Where no coordinator starts: one that does puts right what is planned.
    signs: ['INV-25'],
    world: 'calm',
    edits: [
      {
        file: 'actors/services/projector/project-fact.ts',
        snippet: 'const dueMs = submittedMs + terms.codePrivateMs;',
        replacement: 'const dueMs = submittedMs + terms.codePrivateMs - 86_400_000;',
      },
    ],
  },
  {
    id: 'code-never-out',
    breaks: 'The code of whoever never was top is never released.',
    signs: ['INV-25'],
    edits: [
      {
        file: 'actors/services/projector/project-fact.ts',
        snippet: `return { release: { kind: 'CODE', id, dueMs, reason: 'AGED' } };`,
        replacement: 'return {};',
      },
    ],
  },
  {
    id: 'eliminated-in-the-standings',
    breaks:
      'Who was eliminated shares the tail in the standings, though not in the split of the race.',
    signs: ['INV-34'],
    days: 3,
    edits: [
      {
        file: 'actors/emission-calculator/store.ts',
        snippet:
          'where e.race_id = done.race_id and e.race_score is not null and not e.is_eliminated',
        replacement: 'where e.race_id = done.race_id and e.race_score is not null',
      },
    ],
  },
  {
    id: 'remainder-lost',
    breaks: 'What rounding leaves of the emissions is given to nobody.',
    signs: ['INV-33'],
    edits: [
      {
        file: 'machines/emission/split.ts',
        snippet: '(index === restSeat ? rest : 0n)',
        replacement: '0n',
      },
    ],
  },
  {
    id: 'margin-forgotten',
    breaks: 'Whoever scores as much as the top takes its place.',
    signs: ['INV-31'],
    // Of where everything works: more races come to their end, and few are won by less than the margin.
    world: 'calm',
    seed: 64,
    days: 3,
    edits: [
      {
        file: 'machines/race/challenge.ts',
        snippet: 'tenThousandths(challengedScore) + tenThousandths(margin);',
        replacement: 'tenThousandths(challengedScore);',
      },
    ],
  },
  {
    id: 'pinned-after-the-close',
    breaks: 'Pins change while qualifying is closed.',
    signs: ['INV-27'],
    edits: [
      {
        file: 'actors/services/pins/pins.actor.ts',
        snippet: 'if (qualifying.race?.isLocked === true) {',
        replacement: 'if (false) {',
      },
    ],
  },
  {
    id: 'threshold-forgotten',
    breaks: 'Whoever has a score races, and may be pinned, however low it is.',
    signs: ['INV-27'],
    days: 3,
    edits: [
      {
        file: 'machines/race/pinnable.ts',
        snippet: "version.qualifyingScore < version.qualifyingThreshold ? 'below_threshold' : null",
        replacement: 'null',
      },
    ],
  },
  {
    id: 'survivor-never-yields',
    breaks: 'Who survived races again, whatever better version its miner has.',
    signs: ['INV-27'],
    days: 3,
    edits: [
      {
        file: 'machines/race/select-field.ts',
        snippet: 'if (leftScore !== rightScore) return',
        replacement:
          'if (leftScore !== rightScore && isIncumbent(left) === isIncumbent(right)) return',
      },
    ],
  },
  {
    id: 'top-entered-as-survivor',
    breaks: 'A top that raced the day before is said to be in the field as a survivor.',
    signs: ['INV-27'],
    days: 3,
    edits: [
      {
        file: 'machines/race/select-field.ts',
        snippet: "if (isTop) return 'INCUMBENT_TOP';",
        replacement: "if (isTop && !isSurvivor) return 'INCUMBENT_TOP';",
      },
    ],
  },
  {
    id: 'field-thinned-out',
    breaks: 'Who did not finish, or was eliminated, is no longer among those that the close fixed.',
    signs: ['INV-29'],
    edits: [
      {
        file: 'infra/postgres/migrations/0010_race_apply.up.sql',
        snippet: '  insert into race_emission (race_id, position, seat,',
        replacement: `  delete from race_entrant e where e.is_eliminated or e.unfinished_reason is not null;
  insert into race_emission (race_id, position, seat,`,
      },
    ],
  },
  {
    id: 'winner-told-as-top',
    breaks: 'A race says that it promoted its winner, whoever reigns after it.',
    signs: ['INV-31', 'INV-32'],
    days: 3,
    edits: [
      {
        file: 'machines/race/decide.ts',
        snippet: `promotedId: top.kind === 'promoted' ? top.agentVersionId : null,`,
        replacement: 'promotedId: winner.agentVersionId,',
      },
    ],
  },
  {
    id: 'winner-paid-as-top',
    breaks: 'The share of the top is paid to the winner of the race, whoever reigns after it.',
    signs: ['INV-33'],
    days: 3,
    edits: [
      {
        file: 'machines/race/complete-race.ts',
        snippet: 'top: challenge.top,',
        replacement: 'top: winner,',
      },
    ],
  },
];
