drop function rt.outbox_purge_pages(integer, integer);
