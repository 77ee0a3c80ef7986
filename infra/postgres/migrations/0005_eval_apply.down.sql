drop function public.eval_apply(integer, bigint, jsonb, timestamptz);
drop function rt.eval_claim_runs(integer, jsonb);
drop function rt.eval_admit_submissions(integer, jsonb);
drop function rt.refuse(text, text, text, jsonb);
drop function rt.newest(jsonb, text);
