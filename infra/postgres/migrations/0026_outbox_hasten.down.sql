drop function rt.outbox_hasten(interval, integer);
