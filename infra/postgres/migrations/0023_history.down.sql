drop function rt.fence_floor();
drop function rt.accept_history(bigint, bigint);
drop function rt.advance_mark(interval, text);
drop function rt.add_mark(bigint, bigint);
drop table rt.mark, rt.history;
