drop function rt.send(jsonb);
