// Written by `npm run generate` from the description of the API; not to be changed by hand.

import type { OperatorRoute } from '../operator/operator-route.ts';

export const operatorRoutes = {
  "postAdminPacks": {
    "method": "POST",
    "path": "/v1/admin/packs",
    "says": "Keep an environment pack; the same bytes again answer the same",
    "fields": [
      {
        "name": "reason",
        "in": "query",
        "isRequired": false,
        "type": "text",
        "says": "Why; it stands in the audit log"
      }
    ],
    "body": "file",
    "takesKey": true
  },
  "postAdminSuites": {
    "method": "POST",
    "path": "/v1/admin/suites",
    "says": "Keep a new suite with its problems; it stays inactive",
    "fields": [
      {
        "name": "benchmark_name",
        "in": "body",
        "isRequired": true,
        "type": "text"
      },
      {
        "name": "benchmark_number",
        "in": "body",
        "isRequired": true,
        "type": "number"
      },
      {
        "name": "execution_kind",
        "in": "body",
        "isRequired": true,
        "type": "text",
        "among": [
          "legacy_benchmark",
          "envpack"
        ]
      },
      {
        "name": "env_pack_sha256",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "qualifying_task_ids",
        "in": "body",
        "isRequired": false,
        "type": "json"
      },
      {
        "name": "problems",
        "in": "body",
        "isRequired": false,
        "type": "json"
      },
      {
        "name": "race_problems",
        "in": "body",
        "isRequired": false,
        "type": "json"
      },
      {
        "name": "qualifying_threshold",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "required_successes_qualifying",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "required_successes_race",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminSuitesActivate": {
    "method": "POST",
    "path": "/v1/admin/suites/{suite_id}/activate",
    "says": "Make a suite the current one: its race opens, queued work and the race of the former are cancelled",
    "fields": [
      {
        "name": "suite_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "says": "Number of a suite; the active one where it may be left out"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "putAdminHotkeysBan": {
    "method": "PUT",
    "path": "/v1/admin/hotkeys/{hotkey}/ban",
    "says": "Ban a hotkey: its sessions die and its live runs are cancelled",
    "fields": [
      {
        "name": "hotkey",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "SS58 address with prefix 42"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": true,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "deleteAdminHotkeysBan": {
    "method": "DELETE",
    "path": "/v1/admin/hotkeys/{hotkey}/ban",
    "says": "Lift a ban; sessions do not come back",
    "fields": [
      {
        "name": "hotkey",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "SS58 address with prefix 42"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminRacesCloseQualifying": {
    "method": "POST",
    "path": "/v1/admin/races/{race_id}/close-qualifying",
    "says": "Close qualifying now: entrants are fixed and pins locked",
    "fields": [
      {
        "name": "race_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a race"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminRacesStart": {
    "method": "POST",
    "path": "/v1/admin/races/{race_id}/start",
    "says": "Start a closed race now: its tasks are drawn and offered",
    "fields": [
      {
        "name": "race_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a race"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminRacesCancel": {
    "method": "POST",
    "path": "/v1/admin/races/{race_id}/cancel",
    "says": "Cancel a race: nobody wins or is eliminated, and the next one opens",
    "fields": [
      {
        "name": "race_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a race"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": true,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminAgentVersionsDiscard": {
    "method": "POST",
    "path": "/v1/admin/agent-versions/{agent_version_id}/discard",
    "says": "Discard a version: its work ends, and so does its reign",
    "fields": [
      {
        "name": "agent_version_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an agent version"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": true,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminAgentVersionsReinstate": {
    "method": "POST",
    "path": "/v1/admin/agent-versions/{agent_version_id}/reinstate",
    "says": "Take a discard back; a reign that ended stays ended",
    "fields": [
      {
        "name": "agent_version_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an agent version"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminAgentVersionsSimilarity": {
    "method": "GET",
    "path": "/v1/admin/agent-versions/{agent_version_id}/similarity",
    "says": "Show how much of a version’s file is in files that were submitted before it, and where",
    "fields": [
      {
        "name": "agent_version_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an agent version"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "getAdminSimilarity": {
    "method": "GET",
    "path": "/v1/admin/similarity",
    "says": "List how like earlier files the submitted ones are, newest first",
    "fields": [
      {
        "name": "verdict",
        "in": "query",
        "isRequired": false,
        "type": "text",
        "says": "Only reports with this verdict",
        "among": [
          "clean",
          "suspicious",
          "copy"
        ]
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "At most this many entries"
      },
      {
        "name": "offset",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "So many entries are left out before the first"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "postAdminEvaluationRunsExclude": {
    "method": "POST",
    "path": "/v1/admin/evaluation-runs/{eval_run_id}/exclude",
    "says": "Take a run out of its score; its work is offered again",
    "fields": [
      {
        "name": "eval_run_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an evaluation run"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": true,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminEvaluationRunsInclude": {
    "method": "POST",
    "path": "/v1/admin/evaluation-runs/{eval_run_id}/include",
    "says": "Let an excluded run count again, where there is room for it; `exclusion_reason` says why not",
    "fields": [
      {
        "name": "eval_run_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an evaluation run"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminEvaluationRunsReclaim": {
    "method": "POST",
    "path": "/v1/admin/evaluation-runs/{eval_run_id}/reclaim",
    "says": "End a live run as stale at once and offer its work again",
    "fields": [
      {
        "name": "eval_run_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an evaluation run"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminRejudgings": {
    "method": "POST",
    "path": "/v1/admin/rejudgings",
    "says": "Have counted runs of the active suite judged again by others, 500 at most, of 31 races in a row",
    "fields": [
      {
        "name": "validator_hotkey",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "agent_version_id",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "phase",
        "in": "body",
        "isRequired": false,
        "type": "text",
        "among": [
          "QUALIFYING",
          "RACE"
        ]
      },
      {
        "name": "task_id",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "env_pack_sha256",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "claimed_from",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "claimed_until",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminRejudgings": {
    "method": "GET",
    "path": "/v1/admin/rejudgings",
    "says": "List rejudgings, newest first",
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "At most this many entries"
      },
      {
        "name": "offset",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "So many entries are left out before the first"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "getAdminRejudgingsByRejudgingId": {
    "method": "GET",
    "path": "/v1/admin/rejudgings/{rejudging_id}",
    "says": "Show how far a rejudging is, and what difference it makes to score, rank and payout",
    "fields": [
      {
        "name": "rejudging_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a rejudging"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "postAdminRejudgingsApply": {
    "method": "POST",
    "path": "/v1/admin/rejudgings/{rejudging_id}/apply",
    "says": "Put the new runs in the place of those judged again; completed races stand",
    "fields": [
      {
        "name": "rejudging_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a rejudging"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminRejudgingsCancel": {
    "method": "POST",
    "path": "/v1/admin/rejudgings/{rejudging_id}/cancel",
    "says": "End a rejudging and drop what came of it; no score changes",
    "fields": [
      {
        "name": "rejudging_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a rejudging"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": true,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminPolicy": {
    "method": "GET",
    "path": "/v1/admin/policy",
    "says": "Show the rules that the next race opens under, and who changed what",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "patchAdminPolicy": {
    "method": "PATCH",
    "path": "/v1/admin/policy",
    "says": "Change rules from the next race on; null takes a change back",
    "fields": [
      {
        "name": "qualifying_threshold",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "margin_initial",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "margin_half_life_days",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "margin_floor",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "emission_baseline_burn_rate",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "required_successes_qualifying",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "required_successes_race",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "elimination_share",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "race_tasks",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "race_limit_seconds",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "score_window_races",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "putAdminChainRegistrationsByHotkey": {
    "method": "PUT",
    "path": "/v1/admin/chain/registrations/{hotkey}",
    "says": "Register a hotkey, or change its registration; embedded chain only",
    "fields": [
      {
        "name": "hotkey",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "SS58 address with prefix 42"
      },
      {
        "name": "role",
        "in": "body",
        "isRequired": true,
        "type": "text",
        "among": [
          "miner",
          "validator"
        ]
      },
      {
        "name": "stake",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "coldkey",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "uid",
        "in": "body",
        "isRequired": false,
        "type": "number"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "deleteAdminChainRegistrationsByHotkey": {
    "method": "DELETE",
    "path": "/v1/admin/chain/registrations/{hotkey}",
    "says": "Take a registration back; embedded chain only",
    "fields": [
      {
        "name": "hotkey",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "SS58 address with prefix 42"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminPartitions": {
    "method": "GET",
    "path": "/v1/admin/partitions",
    "says": "Say which process owns which partition",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "getAdminStuck": {
    "method": "GET",
    "path": "/v1/admin/stuck",
    "says": "List every record that waits for nobody or has missed its time; empty where all is well",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "getAdminParkedMessages": {
    "method": "GET",
    "path": "/v1/admin/parked-messages",
    "says": "List messages between processes that failed too often and were set aside, the oldest first",
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "At most this many entries"
      },
      {
        "name": "offset",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "So many entries are left out before the first"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "postAdminParkedMessagesResend": {
    "method": "POST",
    "path": "/v1/admin/parked-messages/{msg_id}/resend",
    "says": "Send a parked message again, once what made it fail is repaired",
    "fields": [
      {
        "name": "msg_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a parked message"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminParkedMessagesDrop": {
    "method": "POST",
    "path": "/v1/admin/parked-messages/{msg_id}/drop",
    "says": "Forget a parked message for good; what it was to do is not done",
    "fields": [
      {
        "name": "msg_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a parked message"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": true,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminTraces": {
    "method": "GET",
    "path": "/v1/admin/traces",
    "says": "List the last traces, where they are kept for this page; else say where spans go",
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "At most this many entries"
      },
      {
        "name": "offset",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "So many entries are left out before the first"
      },
      {
        "name": "route",
        "in": "query",
        "isRequired": false,
        "type": "text",
        "says": "A part of the name that the trace began with"
      },
      {
        "name": "outcome",
        "in": "query",
        "isRequired": false,
        "type": "text",
        "says": "Only traces that ended so",
        "among": [
          "done",
          "refused",
          "failed"
        ]
      },
      {
        "name": "text",
        "in": "query",
        "isRequired": false,
        "type": "text",
        "says": "Of a trace, a run or anything else that a span names"
      },
      {
        "name": "order",
        "in": "query",
        "isRequired": false,
        "type": "text",
        "says": "Which come first",
        "among": [
          "newest",
          "slowest"
        ]
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "getAdminTracesByTraceId": {
    "method": "GET",
    "path": "/v1/admin/traces/{trace_id}",
    "says": "Show one of the last traces, span by span, with what was done for it elsewhere",
    "fields": [
      {
        "name": "trace_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a trace, which X-Request-Id and log lines name"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "postAdminActorsDrain": {
    "method": "POST",
    "path": "/v1/admin/actors/{id}/drain",
    "says": "Have one process hand its partitions over, one after another, and take none until it is started again; `id` is a `member_id` of `/v1/admin/partitions`",
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of an actor, as the list of partitions says it"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminOverview": {
    "method": "GET",
    "path": "/v1/admin/overview",
    "says": "Show race and top, and count what is open, live, waiting and stuck",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "getAdminAuditLog": {
    "method": "GET",
    "path": "/v1/admin/audit-log",
    "says": "Show what operators did, newest first; `hash` is SHA-256 over the JSON array of seq, prev_hash, committed_at in Unix ms, actor, action, object, reason and detail, keys sorted, no spaces",
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "At most this many entries"
      },
      {
        "name": "offset",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "says": "So many entries are left out before the first"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "postAdminWebhooks": {
    "method": "POST",
    "path": "/v1/admin/webhooks",
    "says": "Have a URL told of every public event from now on, signed; the secret is shown here alone",
    "fields": [
      {
        "name": "url",
        "in": "body",
        "isRequired": true,
        "type": "text"
      },
      {
        "name": "event_types",
        "in": "body",
        "isRequired": false,
        "type": "json"
      },
      {
        "name": "secret",
        "in": "body",
        "isRequired": false,
        "type": "text"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminWebhooks": {
    "method": "GET",
    "path": "/v1/admin/webhooks",
    "says": "All webhooks, the oldest first, and how their deliveries go",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "getAdminCredentialKeys": {
    "method": "GET",
    "path": "/v1/admin/credential-keys",
    "says": "How many secrets rest under each key of the ring, and which key may go",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "getAdminWebhooksByWebhookId": {
    "method": "GET",
    "path": "/v1/admin/webhooks/{webhook_id}",
    "says": "How the deliveries of one webhook go",
    "fields": [
      {
        "name": "webhook_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a registered webhook"
      }
    ],
    "body": "none",
    "takesKey": false
  },
  "deleteAdminWebhooksByWebhookId": {
    "method": "DELETE",
    "path": "/v1/admin/webhooks/{webhook_id}",
    "says": "Tell a webhook nothing more, and forget its secret",
    "fields": [
      {
        "name": "webhook_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a registered webhook"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "postAdminWebhooksReplay": {
    "method": "POST",
    "path": "/v1/admin/webhooks/{webhook_id}/replay",
    "says": "Send a webhook everything after a cursor, at once, whether it had it before or not",
    "fields": [
      {
        "name": "webhook_id",
        "in": "path",
        "isRequired": true,
        "type": "text",
        "says": "Id of a registered webhook"
      },
      {
        "name": "cursor",
        "in": "body",
        "isRequired": true,
        "type": "number"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  },
  "getAdminClock": {
    "method": "GET",
    "path": "/v1/admin/clock",
    "says": "Show what time it is to this service, and whether it can be moved",
    "fields": [],
    "body": "none",
    "takesKey": false
  },
  "postAdminClockAdvance": {
    "method": "POST",
    "path": "/v1/admin/clock/advance",
    "says": "Move a simulated clock on; what becomes due on the way is done in order before the answer",
    "fields": [
      {
        "name": "seconds",
        "in": "body",
        "isRequired": true,
        "type": "number"
      },
      {
        "name": "reason",
        "in": "body",
        "isRequired": false,
        "type": "text"
      }
    ],
    "body": "json",
    "takesKey": true
  }
} as const satisfies Readonly<Record<string, OperatorRoute>>;
