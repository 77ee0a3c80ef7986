insert into inference_check
  (miner_hotkey, provider, shown_sha256, begun_at, busy_until, busy_by, ordered_by, overtaken_at)
select miner_hotkey, provider, shown_sha256, overtaken_at, busy_until, busy_by, ordered_by, overtaken_at
from inference_overtaken_check
on conflict do nothing;
drop table inference_overtaken_check;
