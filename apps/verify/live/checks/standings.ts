import type { Check } from './check.ts';
import { epochsMax, wrongBodies } from './standings-bodies.ts';

/** INV-34 and INV-35: one immutable body for each epoch, and what it says. */
export const standingsChecks: readonly Check[] = [
  {
    id: 'INV-34',
    rule: 'the standings of an epoch have the hash that was recorded when they were made',
    of: 'epoch_standings',
    find: (sql) => sql`
      select s.epoch_index, s.body_sha256, e.payload -> 'made' ->> 'bodySha256' as made_sha256,
        encode(sha256(convert_to(s.body, 'UTF8')), 'hex') as real_sha256
      from epoch_standings s
      left join rt.event e on e.kind = 'emission' and e.machine = 'emission'
        and e.key = s.epoch_index::text and e.type = 'STANDINGS_MADE'
      where s.body_sha256 is distinct from e.payload -> 'made' ->> 'bodySha256'
         or s.body_sha256 <> encode(sha256(convert_to(s.body, 'UTF8')), 'hex')`,
  },
  {
    id: 'INV-34',
    rule: 'standings that were made are stored, once for each epoch',
    of: 'rt.event',
    find: (sql) => sql`
      select e.key as epoch_index, count(*) as made, count(s.epoch_index) as stored
      from rt.event e
      left join audit.epoch_standings s on s.epoch_index::text = e.key
      where e.kind = 'emission' and e.machine = 'emission' and e.type = 'STANDINGS_MADE'
      group by e.key
      having count(*) <> 1 or count(s.epoch_index) <> 1`,
  },
  {
    id: 'INV-34',
    rule: `the standings of the newest ${epochsMax} epochs follow again from what stood when they were made`,
    of: 'epoch_standings',
    find: wrongBodies,
  },
  {
    id: 'INV-35',
    rule: 'later epochs were made later',
    of: 'audit.epoch_standings',
    find: (sql) => sql`
      select epoch_index, committed_at, before
      from (
        select epoch_index, committed_at,
          max(committed_at) over (order by epoch_index
            rows between unbounded preceding and 1 preceding) as before
        from audit.epoch_standings) epochs
      where committed_at < before`,
  },
];
