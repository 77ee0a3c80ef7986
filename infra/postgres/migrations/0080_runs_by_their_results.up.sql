-- A result's id that no result has is judged as one of the run it would stand among, while that is of a race under seal.
-- Which run that is was found by hashing the id of each run of all sealed races, and a cancelled race is sealed for ever.
--
-- The first sixteen digits of the ids of a run's results (`idsWithin`, infra/ids/ids.ts). The second condition is true of
-- each run; it lets only those use the index who ask for a value of it, as in 0065.
create index evaluation_run_of_results on evaluation_run (
    left(overlay(encode(sha256(eval_run_id::text::bytea), 'hex') placing '8' from 13 for 1), 16))
  where race_id is not null
    and left(overlay(encode(sha256(eval_run_id::text::bytea), 'hex') placing '8' from 13 for 1), 16)
      is not null;
