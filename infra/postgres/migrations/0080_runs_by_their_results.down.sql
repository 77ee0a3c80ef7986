drop index evaluation_run_of_results;
