drop index evaluation_run_race, work_item_race;
alter table agent_version drop column eligible_in_race_id;
drop table race_bundle, epoch_standings, race_emission, top_agent, race_pin, race_fallback,
  race_entrant, race_task, race, race_policy;
