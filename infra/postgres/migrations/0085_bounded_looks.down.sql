drop function rt.outbox_waiting(timestamptz, integer);
drop function rt.outbox_purge_pages(integer, integer);
