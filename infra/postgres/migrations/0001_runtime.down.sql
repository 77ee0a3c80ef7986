drop schema rt cascade;
