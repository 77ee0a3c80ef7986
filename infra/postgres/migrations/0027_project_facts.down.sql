drop function rt.project_facts(bigint, jsonb);
