drop function rt.held_out_counts(integer);
drop function rt.held_out_tasks(integer);
drop index pack_task_goal;
drop index race_task_by_problem;
drop index race_task_by_task;
