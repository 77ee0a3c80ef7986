-- What is there was made in the way of this migration's version.
lock table similarity_version, similarity_code, similarity_fingerprint in access exclusive mode;
truncate similarity_version, similarity_code, similarity_fingerprint;
alter table similarity_code drop column format;
