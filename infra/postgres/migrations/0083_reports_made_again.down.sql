-- Readers and reporters take the two in different orders: where one of them is not to be had, none is held, and whoever
-- takes this back does so again.
lock table similarity_again, similarity_version in exclusive mode nowait;

-- What a coordinator of before knows as due.
update similarity_version s
set reported_at = null
from similarity_again a
where (s.submitted_at, s.agent_version_id) > (a.submitted_at, a.agent_version_id);
drop table similarity_again;
