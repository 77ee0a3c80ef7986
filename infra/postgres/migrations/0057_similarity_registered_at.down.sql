alter table similarity_version drop column registered_at;
