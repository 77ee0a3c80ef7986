-- What is there was made in the way of this migration's version. As it goes up, whoever waits for one of the three holds
-- none: where one is not to be had nothing is changed, and whoever takes this back does so again.
lock table similarity_version, similarity_code, similarity_fingerprint in access exclusive mode nowait;
truncate similarity_version, similarity_code, similarity_fingerprint;
alter table similarity_code drop column format;
