drop function rt.outbox_unsent(jsonb, interval);
