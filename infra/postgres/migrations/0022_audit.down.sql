-- The role stays: it belongs to the cluster, and another database may need it.
drop schema audit cascade;
drop trigger race_pin_noted on race_pin;
drop function rt.note_pin();
drop table race_pin_change;
