-- A coordinator asks at its start whether the schema is as new as its code.
grant select (version) on schema_migration to paddock_actor;
