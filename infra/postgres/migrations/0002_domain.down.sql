drop table idempotency, run_beat, episode_artifact, problem_progress, episode_result, evaluation_run,
  work_item, agent_version, agent, miner, pack_delivery, pack_task, pack, suite_problem, suite;
