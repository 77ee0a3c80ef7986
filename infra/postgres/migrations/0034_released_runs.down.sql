drop index evaluation_run_released;
