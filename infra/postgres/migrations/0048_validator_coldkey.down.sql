alter table validator drop column coldkey;
