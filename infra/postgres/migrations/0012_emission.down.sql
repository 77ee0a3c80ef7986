drop index evaluation_run_success;
drop function public.emission_apply(integer, bigint, jsonb, timestamptz);
delete from rt.partition where kind = 'emission';
