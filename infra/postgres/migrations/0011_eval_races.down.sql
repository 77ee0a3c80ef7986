drop function public.eval_apply(integer, bigint, jsonb, timestamptz);
drop function rt.eval_hold_races(jsonb);
alter function rt.eval_write(integer, bigint, jsonb, timestamptz) rename to eval_apply;
alter function rt.eval_apply(integer, bigint, jsonb, timestamptz) set schema public;
