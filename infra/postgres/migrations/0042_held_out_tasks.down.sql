drop function rt.held_out_count(integer);
drop function rt.tasks_of_packs(text[]);
