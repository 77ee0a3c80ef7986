-- Whose validator it is, as the chain last said: it may evaluate nothing of the same owner, so who counts the
-- validators that may take a piece of work has to know.
alter table validator add column coldkey text;
