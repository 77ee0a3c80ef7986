revoke select (version) on schema_migration from paddock_actor;
