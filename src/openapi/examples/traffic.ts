// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const TRAFFIC: Record<string, Replies> = {
  "create_inference_key": {
    "201": {
      "application/json": {
        "reply": {
          "key_id": "01932c00-0000-7000-8000-000000000001",
          "name": "support-bot",
          "models": [
            "llama-8b",
            "cold",
            "bge-small",
            "warming"
          ],
          "created_at": "2026-01-15T09:00:00.000Z",
          "budget_usd": 25,
          "rate_limit_rps": 20,
          "revoked_at": null,
          "tenant_id": null,
          "spent_usd": 0,
          "reserved_usd": 0,
          "overrun_usd": 0,
          "raw_key": "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "name is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "name is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "name",
              "message": "is required"
            },
            {
              "field": "unknown_member",
              "message": "is not a member of this body"
            }
          ]
        }
      }
    },
    "409": {
      "application/problem+json": {
        "idempotent_answer_sealed": {
          "type": "urn:checkpoint-control-plane:problem:idempotent_answer_sealed",
          "title": "Conflict",
          "status": 409,
          "detail": "The first answer holds a secret and is given to its own bearer only.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "idempotent_answer_sealed",
          "message": "The first answer holds a secret and is given to its own bearer only."
        }
      }
    }
  },
  "list_inference_keys": {
    "200": {
      "application/json": {
        "reply": [
          {
            "key_id": "01932c00-0000-7000-8000-000000000001",
            "name": "support-bot",
            "models": [
              "llama-8b",
              "cold",
              "bge-small",
              "warming"
            ],
            "created_at": "2026-01-15T09:00:00.000Z",
            "budget_usd": 25,
            "rate_limit_rps": 20,
            "revoked_at": null,
            "tenant_id": null,
            "spent_usd": 0,
            "reserved_usd": 0,
            "overrun_usd": 0
          }
        ]
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "limit",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "update_inference_key": {
    "200": {
      "application/json": {
        "reply": {
          "key_id": "01932c00-0000-7000-8000-000000000001",
          "name": "support-bot",
          "models": [
            "llama-8b",
            "cold",
            "bge-small",
            "warming"
          ],
          "created_at": "2026-01-15T09:00:00.000Z",
          "budget_usd": 50,
          "rate_limit_rps": 40,
          "revoked_at": null,
          "tenant_id": null,
          "spent_usd": 0.000354,
          "reserved_usd": 0.0061695,
          "overrun_usd": 0
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "unknown_member is not a member of this body",
          "errors": [
            {
              "field": "unknown_member",
              "message": "is not a member of this body"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "inference_key_not_found": {
          "type": "urn:checkpoint-control-plane:problem:inference_key_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such inference key.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "inference_key_not_found",
          "message": "No such inference key."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "inference_key_changed": {
          "type": "urn:checkpoint-control-plane:problem:inference_key_changed",
          "title": "Conflict",
          "status": 409,
          "detail": "The key was changed meanwhile: budget_usd is 50, and not 25. Nothing of this change was done.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "inference_key_changed",
          "message": "The key was changed meanwhile: budget_usd is 50, and not 25. Nothing of this change was done."
        }
      }
    },
    "410": {
      "application/problem+json": {
        "inference_key_revoked": {
          "type": "urn:checkpoint-control-plane:problem:inference_key_revoked",
          "title": "Gone",
          "status": 410,
          "detail": "The inference key is revoked, which nobody can undo: issue another one.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "inference_key_revoked",
          "message": "The inference key is revoked, which nobody can undo: issue another one."
        }
      }
    }
  },
  "revoke_inference_key": {
    "404": {
      "application/problem+json": {
        "inference_key_not_found": {
          "type": "urn:checkpoint-control-plane:problem:inference_key_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such inference key.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "inference_key_not_found",
          "message": "No such inference key."
        }
      }
    }
  },
  "list_routes": {
    "200": {
      "application/json": {
        "reply": [
          {
            "logical_model": "bge-small",
            "mode": "priority",
            "queue_timeout_ms": 30000,
            "generation": 1,
            "classifier_profile_id": null,
            "classifier_prompt": null,
            "classifier_response_schema": null,
            "targets": [
              {
                "priority": 1,
                "profile_id": "llama-8b-a10g",
                "tier": "small"
              }
            ]
          },
          {
            "logical_model": "cold",
            "mode": "priority",
            "queue_timeout_ms": 1000,
            "generation": 1,
            "classifier_profile_id": null,
            "classifier_prompt": null,
            "classifier_response_schema": null,
            "targets": [
              {
                "priority": 1,
                "profile_id": "llama-8b-h100",
                "tier": "small"
              }
            ]
          },
          {
            "logical_model": "llama-8b",
            "mode": "priority",
            "queue_timeout_ms": 30000,
            "generation": 1,
            "classifier_profile_id": null,
            "classifier_prompt": null,
            "classifier_response_schema": null,
            "targets": [
              {
                "priority": 1,
                "profile_id": "llama-8b-a10g",
                "tier": "small"
              }
            ]
          },
          {
            "logical_model": "other",
            "mode": "priority",
            "queue_timeout_ms": 30000,
            "generation": 1,
            "classifier_profile_id": null,
            "classifier_prompt": null,
            "classifier_response_schema": null,
            "targets": [
              {
                "priority": 1,
                "profile_id": "llama-8b-a10g",
                "tier": "small"
              }
            ]
          },
          {
            "logical_model": "warming",
            "mode": "priority",
            "queue_timeout_ms": 300000,
            "generation": 1,
            "classifier_profile_id": null,
            "classifier_prompt": null,
            "classifier_response_schema": null,
            "targets": [
              {
                "priority": 1,
                "profile_id": "llama-8b-h100",
                "tier": "small"
              }
            ]
          }
        ]
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "limit",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "save_route": {
    "200": {
      "application/json": {
        "reply": {
          "logical_model": "llama-8b",
          "mode": "priority",
          "queue_timeout_ms": 30000,
          "generation": 1,
          "classifier_profile_id": null,
          "classifier_prompt": null,
          "classifier_response_schema": null,
          "targets": [
            {
              "priority": 1,
              "profile_id": "llama-8b-a10g",
              "tier": "small"
            }
          ]
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_targets_0_profile_id": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "targets[0].profile_id is no profile",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "targets[0].profile_id is no profile",
          "errors": [
            {
              "field": "targets[0].profile_id",
              "message": "is no profile"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "logical_model is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "logical_model is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "logical_model",
              "message": "is required"
            },
            {
              "field": "unknown_member",
              "message": "is not a member of this body"
            }
          ]
        }
      }
    }
  },
  "delete_route": {
    "404": {
      "application/problem+json": {
        "route_not_found": {
          "type": "urn:checkpoint-control-plane:problem:route_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "The model has no route.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "route_not_found",
          "message": "The model has no route."
        }
      }
    }
  },
  "list_route_statuses": {
    "200": {
      "application/json": {
        "reply": [
          {
            "logical_model": "bge-small",
            "primary_profile_id": "llama-8b-a10g",
            "primary_ready": true,
            "primary_phase": "Ready",
            "fallback_profile_id": null,
            "fallback_ready": false,
            "endpoint": "http://127.0.0.1:8000",
            "queue_timeout_ms": 30000,
            "state": "serving",
            "pending_activation": false,
            "pending_release": false,
            "pending_intent": false,
            "restore_checkpoint_path": "s3://checkpoints/llama-8b-a10g/0001",
            "start_kind": "restore",
            "unchosen_targets": []
          },
          {
            "logical_model": "cold",
            "primary_profile_id": "llama-8b-h100",
            "primary_ready": false,
            "primary_phase": "Pending",
            "fallback_profile_id": null,
            "fallback_ready": false,
            "endpoint": null,
            "queue_timeout_ms": 1000,
            "state": "cold",
            "pending_activation": false,
            "pending_release": false,
            "pending_intent": false,
            "restore_checkpoint_path": null,
            "start_kind": "cold",
            "unchosen_targets": []
          },
          {
            "logical_model": "llama-8b",
            "primary_profile_id": "llama-8b-a10g",
            "primary_ready": true,
            "primary_phase": "Ready",
            "fallback_profile_id": null,
            "fallback_ready": false,
            "endpoint": "http://127.0.0.1:8000",
            "queue_timeout_ms": 30000,
            "state": "serving",
            "pending_activation": false,
            "pending_release": false,
            "pending_intent": false,
            "restore_checkpoint_path": "s3://checkpoints/llama-8b-a10g/0001",
            "start_kind": "restore",
            "unchosen_targets": []
          },
          {
            "logical_model": "other",
            "primary_profile_id": "llama-8b-a10g",
            "primary_ready": true,
            "primary_phase": "Ready",
            "fallback_profile_id": null,
            "fallback_ready": false,
            "endpoint": "http://127.0.0.1:8000",
            "queue_timeout_ms": 30000,
            "state": "serving",
            "pending_activation": false,
            "pending_release": false,
            "pending_intent": false,
            "restore_checkpoint_path": "s3://checkpoints/llama-8b-a10g/0001",
            "start_kind": "restore",
            "unchosen_targets": []
          },
          {
            "logical_model": "warming",
            "primary_profile_id": "llama-8b-h100",
            "primary_ready": false,
            "primary_phase": "Pending",
            "fallback_profile_id": null,
            "fallback_ready": false,
            "endpoint": null,
            "queue_timeout_ms": 300000,
            "state": "cold",
            "pending_activation": false,
            "pending_release": false,
            "pending_intent": false,
            "restore_checkpoint_path": null,
            "start_kind": "cold",
            "unchosen_targets": []
          }
        ]
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "limit",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "get_route_state": {
    "200": {
      "application/json": {
        "reply": {
          "logical_model": "llama-8b",
          "mode": "priority",
          "generation": 1,
          "queue_timeout_ms": 30000,
          "classifier_profile_id": null,
          "outlook": {
            "decision": "serve",
            "profile_id": "llama-8b-a10g",
            "source": "priority",
            "reason": null,
            "wakes": null,
            "retry_after_ms": null
          },
          "targets": [
            {
              "profile_id": "llama-8b-a10g",
              "tier": "small",
              "priority": 1,
              "endpoints": [
                "chat",
                "completions",
                "embeddings",
                "responses"
              ],
              "state": "ready",
              "ready_in_ms": null,
              "in_flight": 0,
              "capacity": 8,
              "waiting": 0,
              "max_queue_depth": 64,
              "target_concurrency": 8,
              "service_ms": 1000,
              "ready_workers": 1,
              "workers": [
                {
                  "workload_uid": null,
                  "endpoint": "http://127.0.0.1:8000",
                  "in_flight": 0,
                  "capacity": 8,
                  "start_kind": "restore",
                  "passed_over_ms": 0
                }
              ]
            }
          ],
          "workers_left_out": false
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"01932c00-0000-7000-8000-000000000001\".",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "model_not_found",
          "message": "No route serves the model \"01932c00-0000-7000-8000-000000000001\"."
        }
      }
    }
  },
  "authorize_request": {
    "200": {
      "application/json": {
        "reply": {
          "authorization_id": "01932c00-0000-7000-8000-000000000001",
          "route_generation": 1,
          "expires_at": "2026-01-15T09:00:00.000Z"
        }
      }
    },
    "402": {
      "application/problem+json": {
        "insufficient_quota": {
          "type": "urn:checkpoint-control-plane:problem:insufficient_quota",
          "title": "Payment Required",
          "status": 402,
          "detail": "The remaining budget of the key does not cover the request.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "insufficient_quota",
          "message": "The remaining budget of the key does not cover the request."
        }
      }
    },
    "403": {
      "application/problem+json": {
        "model_not_allowed": {
          "type": "urn:checkpoint-control-plane:problem:model_not_allowed",
          "title": "Forbidden",
          "status": 403,
          "detail": "The key may not use the model \"other\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_allowed",
          "message": "The key may not use the model \"other\"."
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"unknown\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_found",
          "message": "No route serves the model \"unknown\"."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "request_id_reused": {
          "type": "urn:checkpoint-control-plane:problem:request_id_reused",
          "title": "Conflict",
          "status": 409,
          "detail": "Another request of the organisation has this request_id, or it had another body.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "request_id_reused",
          "message": "Another request of the organisation has this request_id, or it had another body."
        }
      }
    },
    "429": {
      "application/problem+json": {
        "rate_limit_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:rate_limit_exceeded",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The key has used up its rate.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "rate_limit_exceeded",
          "message": "The key has used up its rate."
        }
      }
    }
  },
  "resolve_request": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "target_name": "small/llama-8b-a10g",
          "upstream_model": "meta-llama/Llama-3.1-8B-Instruct",
          "worker_url": "http://127.0.0.1:8000",
          "route_generation": 1,
          "decision_source": "priority",
          "fallback_used": false,
          "activation_path": "warm"
        }
      }
    },
    "202": {
      "application/json": {
        "reply": {
          "pending_profile_id": "llama-8b-h100",
          "retry_after_ms": 0
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "authorization_id is required; request_id is required; logical_model is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "authorization_id is required; request_id is required; logical_model is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "authorization_id",
              "message": "is required"
            },
            {
              "field": "request_id",
              "message": "is required"
            },
            {
              "field": "logical_model",
              "message": "is required"
            },
            {
              "field": "unknown_member",
              "message": "is not a member of this body"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "authorization_not_found": {
          "type": "urn:checkpoint-control-plane:problem:authorization_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No authorization with this id for this request and model.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "authorization_not_found",
          "message": "No authorization with this id for this request and model."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "authorization_consumed": {
          "type": "urn:checkpoint-control-plane:problem:authorization_consumed",
          "title": "Conflict",
          "status": 409,
          "detail": "The authorization was resolved or settled before.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "authorization_consumed",
          "message": "The authorization was resolved or settled before."
        }
      }
    },
    "410": {
      "application/problem+json": {
        "authorization_expired": {
          "type": "urn:checkpoint-control-plane:problem:authorization_expired",
          "title": "Gone",
          "status": 410,
          "detail": "The authorization has expired: authorize the request again.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "authorization_expired",
          "message": "The authorization has expired: authorize the request again."
        }
      }
    },
    "503": {
      "application/problem+json": {
        "model_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:model_not_ready",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target of the model is ready within the time that the request may wait.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_ready",
          "message": "No target of the model is ready within the time that the request may wait."
        },
        "queue_full": {
          "type": "urn:checkpoint-control-plane:problem:queue_full",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "Too many requests wait for the model already.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "queue_full",
          "message": "Too many requests wait for the model already."
        },
        "model_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:model_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target serves the model now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_unavailable",
          "message": "No target serves the model now."
        }
      }
    }
  },
  "get_router_config": {
    "200": {
      "application/json": {
        "reply": {
          "schema_version": 1,
          "generation": 7,
          "routes": [
            {
              "logical_model": "bge-small",
              "mode": "priority",
              "queue_timeout_ms": 30000,
              "generation": 1,
              "targets": [
                {
                  "profile_id": "llama-8b-a10g",
                  "tier": "small",
                  "service_url": "http://llama-8b.models.svc:8000",
                  "upstream_model": "meta-llama/Llama-3.1-8B-Instruct",
                  "priority": 1,
                  "min_replicas": 0,
                  "max_replicas": 4,
                  "current_replicas": 1,
                  "target_concurrency": 8,
                  "max_queue_depth": 64,
                  "ready": true,
                  "draining": false,
                  "node_hourly_usd": 0
                }
              ],
              "classifier_profile_id": null,
              "classifier_prompt": null,
              "classifier_response_schema": null
            },
            {
              "logical_model": "cold",
              "mode": "priority",
              "queue_timeout_ms": 1000,
              "generation": 1,
              "targets": [
                {
                  "profile_id": "llama-8b-h100",
                  "tier": "small",
                  "service_url": "http://llama-8b.models.svc:8000",
                  "upstream_model": "meta-llama/Llama-3.1-8B-Instruct",
                  "priority": 1,
                  "min_replicas": 0,
                  "max_replicas": 4,
                  "current_replicas": 0,
                  "target_concurrency": 8,
                  "max_queue_depth": 64,
                  "ready": false,
                  "draining": false,
                  "node_hourly_usd": 0
                }
              ],
              "classifier_profile_id": null,
              "classifier_prompt": null,
              "classifier_response_schema": null
            },
            {
              "logical_model": "llama-8b",
              "mode": "priority",
              "queue_timeout_ms": 30000,
              "generation": 1,
              "targets": [
                {
                  "profile_id": "llama-8b-a10g",
                  "tier": "small",
                  "service_url": "http://llama-8b.models.svc:8000",
                  "upstream_model": "meta-llama/Llama-3.1-8B-Instruct",
                  "priority": 1,
                  "min_replicas": 0,
                  "max_replicas": 4,
                  "current_replicas": 1,
                  "target_concurrency": 8,
                  "max_queue_depth": 64,
                  "ready": true,
                  "draining": false,
                  "node_hourly_usd": 0
                }
              ],
              "classifier_profile_id": null,
              "classifier_prompt": null,
              "classifier_response_schema": null
            },
            {
              "logical_model": "other",
              "mode": "priority",
              "queue_timeout_ms": 30000,
              "generation": 1,
              "targets": [
                {
                  "profile_id": "llama-8b-a10g",
                  "tier": "small",
                  "service_url": "http://llama-8b.models.svc:8000",
                  "upstream_model": "meta-llama/Llama-3.1-8B-Instruct",
                  "priority": 1,
                  "min_replicas": 0,
                  "max_replicas": 4,
                  "current_replicas": 1,
                  "target_concurrency": 8,
                  "max_queue_depth": 64,
                  "ready": true,
                  "draining": false,
                  "node_hourly_usd": 0
                }
              ],
              "classifier_profile_id": null,
              "classifier_prompt": null,
              "classifier_response_schema": null
            },
            {
              "logical_model": "warming",
              "mode": "priority",
              "queue_timeout_ms": 300000,
              "generation": 1,
              "targets": [
                {
                  "profile_id": "llama-8b-h100",
                  "tier": "small",
                  "service_url": "http://llama-8b.models.svc:8000",
                  "upstream_model": "meta-llama/Llama-3.1-8B-Instruct",
                  "priority": 1,
                  "min_replicas": 0,
                  "max_replicas": 4,
                  "current_replicas": 0,
                  "target_concurrency": 8,
                  "max_queue_depth": 64,
                  "ready": false,
                  "draining": false,
                  "node_hourly_usd": 0
                }
              ],
              "classifier_profile_id": null,
              "classifier_prompt": null,
              "classifier_response_schema": null
            }
          ]
        }
      }
    }
  },
  "record_router_telemetry": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "request_id is required; logical_model is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "request_id is required; logical_model is required",
          "errors": [
            {
              "field": "request_id",
              "message": "is required"
            },
            {
              "field": "logical_model",
              "message": "is required"
            }
          ]
        }
      }
    }
  },
  "record_router_metrics": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "samples is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "samples is required",
          "errors": [
            {
              "field": "samples",
              "message": "is required"
            }
          ]
        }
      }
    }
  },
  "create_chat_completion": {
    "200": {
      "application/json": {
        "reply": {
          "id": "chatcmpl-ba1b4314210adc3b",
          "object": "chat.completion",
          "created": 1764763435,
          "model": "meta-llama/Llama-3.1-8B-Instruct",
          "choices": [
            {
              "index": 0,
              "message": {
                "role": "assistant",
                "content": "The quick brown fox jumps over the lazy dog.",
                "refusal": null,
                "annotations": null,
                "audio": null,
                "function_call": null,
                "tool_calls": [],
                "reasoning_content": null
              },
              "logprobs": null,
              "finish_reason": "stop",
              "stop_reason": null,
              "token_ids": null
            }
          ],
          "service_tier": null,
          "system_fingerprint": null,
          "usage": {
            "prompt_tokens": 13,
            "total_tokens": 23,
            "completion_tokens": 10,
            "prompt_tokens_details": null
          },
          "prompt_logprobs": null,
          "prompt_token_ids": null,
          "kv_transfer_params": null
        }
      }
    },
    "400": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Bad Request",
          "status": 400,
          "detail": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "error": {
            "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
            "type": "BadRequestError",
            "param": null,
            "code": "400"
          }
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "model must be a string that is not empty",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "model must be a string that is not empty",
          "errors": [
            {
              "field": "model",
              "message": "must be a string that is not empty"
            }
          ],
          "error": {
            "message": "model must be a string that is not empty",
            "type": "invalid_request_error",
            "param": "model",
            "code": "validation_failed"
          }
        }
      }
    },
    "401": {
      "application/problem+json": {
        "unauthenticated": {
          "type": "urn:checkpoint-control-plane:problem:unauthenticated",
          "title": "Unauthorized",
          "status": 401,
          "detail": "A valid bearer token is needed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unauthenticated",
          "message": "A valid bearer token is needed.",
          "error": {
            "message": "A valid bearer token is needed.",
            "type": "authentication_error",
            "param": null,
            "code": "unauthenticated"
          }
        }
      }
    },
    "403": {
      "application/problem+json": {
        "model_not_allowed": {
          "type": "urn:checkpoint-control-plane:problem:model_not_allowed",
          "title": "Forbidden",
          "status": 403,
          "detail": "The key may not use the model \"other\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_allowed",
          "message": "The key may not use the model \"other\".",
          "error": {
            "message": "The key may not use the model \"other\".",
            "type": "permission_error",
            "param": null,
            "code": "model_not_allowed"
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"unknown\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_found",
          "message": "No route serves the model \"unknown\".",
          "error": {
            "message": "No route serves the model \"unknown\".",
            "type": "not_found_error",
            "param": null,
            "code": "model_not_found"
          }
        },
        "endpoint_not_served": {
          "type": "urn:checkpoint-control-plane:problem:endpoint_not_served",
          "title": "Not Found",
          "status": 404,
          "detail": "No target of the model \"vectors\" serves chat.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "endpoint_not_served",
          "message": "No target of the model \"vectors\" serves chat.",
          "error": {
            "message": "No target of the model \"vectors\" serves chat.",
            "type": "not_found_error",
            "param": null,
            "code": "endpoint_not_served"
          }
        }
      }
    },
    "413": {
      "application/problem+json": {
        "body_too_large": {
          "type": "urn:checkpoint-control-plane:problem:body_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The body must be at most 16777216 bytes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "body_too_large",
          "message": "The body must be at most 16777216 bytes.",
          "error": {
            "message": "The body must be at most 16777216 bytes.",
            "type": "invalid_request_error",
            "param": null,
            "code": "body_too_large"
          }
        }
      }
    },
    "415": {
      "application/problem+json": {
        "unsupported_media_type": {
          "type": "urn:checkpoint-control-plane:problem:unsupported_media_type",
          "title": "Unsupported Media Type",
          "status": 415,
          "detail": "The body must be application/json.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unsupported_media_type",
          "message": "The body must be application/json.",
          "error": {
            "message": "The body must be application/json.",
            "type": "invalid_request_error",
            "param": null,
            "code": "unsupported_media_type"
          }
        }
      }
    },
    "422": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Unprocessable Entity",
          "status": 422,
          "detail": "max_tokens must be at least 1",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens must be at least 1",
          "error": {
            "message": "max_tokens must be at least 1",
            "type": "UnprocessableEntityError",
            "param": null,
            "code": "422"
          }
        }
      }
    },
    "429": {
      "application/problem+json": {
        "rate_limit_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:rate_limit_exceeded",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The key has used up its rate.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "rate_limit_exceeded",
          "message": "The key has used up its rate.",
          "error": {
            "message": "The key has used up its rate.",
            "type": "rate_limit_error",
            "param": null,
            "code": "rate_limit_exceeded"
          }
        },
        "insufficient_quota": {
          "type": "urn:checkpoint-control-plane:problem:insufficient_quota",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The remaining budget of the key does not cover the request.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "insufficient_quota",
          "message": "The remaining budget of the key does not cover the request.",
          "error": {
            "message": "The remaining budget of the key does not cover the request.",
            "type": "rate_limit_error",
            "param": null,
            "code": "insufficient_quota"
          }
        }
      }
    },
    "502": {
      "application/problem+json": {
        "unusable_answer": {
          "type": "urn:checkpoint-control-plane:problem:unusable_answer",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The worker answered neither JSON nor a stream of events.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unusable_answer",
          "message": "The worker answered neither JSON nor a stream of events.",
          "error": {
            "message": "The worker answered neither JSON nor a stream of events.",
            "type": "server_error",
            "param": null,
            "code": "unusable_answer"
          }
        }
      }
    },
    "503": {
      "application/problem+json": {
        "model_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:model_not_ready",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target of the model is ready within the time that the request may wait.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_ready",
          "message": "No target of the model is ready within the time that the request may wait.",
          "error": {
            "message": "No target of the model is ready within the time that the request may wait.",
            "type": "server_error",
            "param": null,
            "code": "model_not_ready"
          }
        },
        "model_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:model_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target serves the model now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_unavailable",
          "message": "No target serves the model now.",
          "error": {
            "message": "No target serves the model now.",
            "type": "server_error",
            "param": null,
            "code": "model_unavailable"
          }
        },
        "deadline_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:deadline_exceeded",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The deadline of the request has passed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "deadline_exceeded",
          "message": "The deadline of the request has passed.",
          "error": {
            "message": "The deadline of the request has passed.",
            "type": "server_error",
            "param": null,
            "code": "deadline_exceeded"
          }
        },
        "worker_failed": {
          "type": "urn:checkpoint-control-plane:problem:worker_failed",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The chosen worker failed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "worker_failed",
          "message": "The chosen worker failed.",
          "error": {
            "message": "The chosen worker failed.",
            "type": "server_error",
            "param": null,
            "code": "worker_failed"
          }
        }
      }
    }
  },
  "create_completion": {
    "200": {
      "application/json": {
        "reply": {
          "id": "cmpl-1",
          "object": "text_completion",
          "created": 1764763435,
          "model": "meta-llama/Llama-3.1-8B-Instruct",
          "choices": [
            {
              "index": 0,
              "text": "The quick brown fox jumps over the lazy dog.",
              "logprobs": null,
              "finish_reason": "stop",
              "stop_reason": null
            }
          ],
          "usage": {
            "prompt_tokens": 13,
            "total_tokens": 23,
            "completion_tokens": 10
          }
        }
      }
    },
    "400": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Bad Request",
          "status": 400,
          "detail": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "error": {
            "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
            "type": "BadRequestError",
            "param": null,
            "code": "400"
          }
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "model must be a string that is not empty",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "model must be a string that is not empty",
          "errors": [
            {
              "field": "model",
              "message": "must be a string that is not empty"
            }
          ],
          "error": {
            "message": "model must be a string that is not empty",
            "type": "invalid_request_error",
            "param": "model",
            "code": "validation_failed"
          }
        }
      }
    },
    "401": {
      "application/problem+json": {
        "unauthenticated": {
          "type": "urn:checkpoint-control-plane:problem:unauthenticated",
          "title": "Unauthorized",
          "status": 401,
          "detail": "A valid bearer token is needed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unauthenticated",
          "message": "A valid bearer token is needed.",
          "error": {
            "message": "A valid bearer token is needed.",
            "type": "authentication_error",
            "param": null,
            "code": "unauthenticated"
          }
        }
      }
    },
    "403": {
      "application/problem+json": {
        "model_not_allowed": {
          "type": "urn:checkpoint-control-plane:problem:model_not_allowed",
          "title": "Forbidden",
          "status": 403,
          "detail": "The key may not use the model \"other\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_allowed",
          "message": "The key may not use the model \"other\".",
          "error": {
            "message": "The key may not use the model \"other\".",
            "type": "permission_error",
            "param": null,
            "code": "model_not_allowed"
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"unknown\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_found",
          "message": "No route serves the model \"unknown\".",
          "error": {
            "message": "No route serves the model \"unknown\".",
            "type": "not_found_error",
            "param": null,
            "code": "model_not_found"
          }
        },
        "endpoint_not_served": {
          "type": "urn:checkpoint-control-plane:problem:endpoint_not_served",
          "title": "Not Found",
          "status": 404,
          "detail": "No target of the model \"vectors\" serves completions.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "endpoint_not_served",
          "message": "No target of the model \"vectors\" serves completions.",
          "error": {
            "message": "No target of the model \"vectors\" serves completions.",
            "type": "not_found_error",
            "param": null,
            "code": "endpoint_not_served"
          }
        }
      }
    },
    "413": {
      "application/problem+json": {
        "body_too_large": {
          "type": "urn:checkpoint-control-plane:problem:body_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The body must be at most 16777216 bytes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "body_too_large",
          "message": "The body must be at most 16777216 bytes.",
          "error": {
            "message": "The body must be at most 16777216 bytes.",
            "type": "invalid_request_error",
            "param": null,
            "code": "body_too_large"
          }
        }
      }
    },
    "415": {
      "application/problem+json": {
        "unsupported_media_type": {
          "type": "urn:checkpoint-control-plane:problem:unsupported_media_type",
          "title": "Unsupported Media Type",
          "status": 415,
          "detail": "The body must be application/json.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unsupported_media_type",
          "message": "The body must be application/json.",
          "error": {
            "message": "The body must be application/json.",
            "type": "invalid_request_error",
            "param": null,
            "code": "unsupported_media_type"
          }
        }
      }
    },
    "422": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Unprocessable Entity",
          "status": 422,
          "detail": "max_tokens must be at least 1",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens must be at least 1",
          "error": {
            "message": "max_tokens must be at least 1",
            "type": "UnprocessableEntityError",
            "param": null,
            "code": "422"
          }
        }
      }
    },
    "429": {
      "application/problem+json": {
        "rate_limit_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:rate_limit_exceeded",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The key has used up its rate.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "rate_limit_exceeded",
          "message": "The key has used up its rate.",
          "error": {
            "message": "The key has used up its rate.",
            "type": "rate_limit_error",
            "param": null,
            "code": "rate_limit_exceeded"
          }
        },
        "insufficient_quota": {
          "type": "urn:checkpoint-control-plane:problem:insufficient_quota",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The remaining budget of the key does not cover the request.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "insufficient_quota",
          "message": "The remaining budget of the key does not cover the request.",
          "error": {
            "message": "The remaining budget of the key does not cover the request.",
            "type": "rate_limit_error",
            "param": null,
            "code": "insufficient_quota"
          }
        }
      }
    },
    "502": {
      "application/problem+json": {
        "unusable_answer": {
          "type": "urn:checkpoint-control-plane:problem:unusable_answer",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The worker answered neither JSON nor a stream of events.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unusable_answer",
          "message": "The worker answered neither JSON nor a stream of events.",
          "error": {
            "message": "The worker answered neither JSON nor a stream of events.",
            "type": "server_error",
            "param": null,
            "code": "unusable_answer"
          }
        }
      }
    },
    "503": {
      "application/problem+json": {
        "model_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:model_not_ready",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target of the model is ready within the time that the request may wait.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_ready",
          "message": "No target of the model is ready within the time that the request may wait.",
          "error": {
            "message": "No target of the model is ready within the time that the request may wait.",
            "type": "server_error",
            "param": null,
            "code": "model_not_ready"
          }
        },
        "model_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:model_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target serves the model now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_unavailable",
          "message": "No target serves the model now.",
          "error": {
            "message": "No target serves the model now.",
            "type": "server_error",
            "param": null,
            "code": "model_unavailable"
          }
        },
        "deadline_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:deadline_exceeded",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The deadline of the request has passed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "deadline_exceeded",
          "message": "The deadline of the request has passed.",
          "error": {
            "message": "The deadline of the request has passed.",
            "type": "server_error",
            "param": null,
            "code": "deadline_exceeded"
          }
        },
        "worker_failed": {
          "type": "urn:checkpoint-control-plane:problem:worker_failed",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The chosen worker failed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "worker_failed",
          "message": "The chosen worker failed.",
          "error": {
            "message": "The chosen worker failed.",
            "type": "server_error",
            "param": null,
            "code": "worker_failed"
          }
        }
      }
    }
  },
  "create_embedding": {
    "200": {
      "application/json": {
        "reply": {
          "id": "embd-1",
          "object": "list",
          "created": 1764763435,
          "model": "meta-llama/Llama-3.1-8B-Instruct",
          "data": [
            {
              "index": 0,
              "object": "embedding",
              "embedding": [
                0,
                0.5,
                -1.25
              ]
            }
          ],
          "usage": {
            "prompt_tokens": 13,
            "total_tokens": 13,
            "completion_tokens": 0,
            "prompt_tokens_details": null
          }
        }
      }
    },
    "400": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Bad Request",
          "status": 400,
          "detail": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "error": {
            "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
            "type": "BadRequestError",
            "param": null,
            "code": "400"
          }
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "model must be a string that is not empty",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "model must be a string that is not empty",
          "errors": [
            {
              "field": "model",
              "message": "must be a string that is not empty"
            }
          ],
          "error": {
            "message": "model must be a string that is not empty",
            "type": "invalid_request_error",
            "param": "model",
            "code": "validation_failed"
          }
        }
      }
    },
    "401": {
      "application/problem+json": {
        "unauthenticated": {
          "type": "urn:checkpoint-control-plane:problem:unauthenticated",
          "title": "Unauthorized",
          "status": 401,
          "detail": "A valid bearer token is needed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unauthenticated",
          "message": "A valid bearer token is needed.",
          "error": {
            "message": "A valid bearer token is needed.",
            "type": "authentication_error",
            "param": null,
            "code": "unauthenticated"
          }
        }
      }
    },
    "403": {
      "application/problem+json": {
        "model_not_allowed": {
          "type": "urn:checkpoint-control-plane:problem:model_not_allowed",
          "title": "Forbidden",
          "status": 403,
          "detail": "The key may not use the model \"other\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_allowed",
          "message": "The key may not use the model \"other\".",
          "error": {
            "message": "The key may not use the model \"other\".",
            "type": "permission_error",
            "param": null,
            "code": "model_not_allowed"
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"unknown\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_found",
          "message": "No route serves the model \"unknown\".",
          "error": {
            "message": "No route serves the model \"unknown\".",
            "type": "not_found_error",
            "param": null,
            "code": "model_not_found"
          }
        },
        "endpoint_not_served": {
          "type": "urn:checkpoint-control-plane:problem:endpoint_not_served",
          "title": "Not Found",
          "status": 404,
          "detail": "No target of the model \"chats\" serves embeddings.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "endpoint_not_served",
          "message": "No target of the model \"chats\" serves embeddings.",
          "error": {
            "message": "No target of the model \"chats\" serves embeddings.",
            "type": "not_found_error",
            "param": null,
            "code": "endpoint_not_served"
          }
        }
      }
    },
    "413": {
      "application/problem+json": {
        "body_too_large": {
          "type": "urn:checkpoint-control-plane:problem:body_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The body must be at most 16777216 bytes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "body_too_large",
          "message": "The body must be at most 16777216 bytes.",
          "error": {
            "message": "The body must be at most 16777216 bytes.",
            "type": "invalid_request_error",
            "param": null,
            "code": "body_too_large"
          }
        }
      }
    },
    "415": {
      "application/problem+json": {
        "unsupported_media_type": {
          "type": "urn:checkpoint-control-plane:problem:unsupported_media_type",
          "title": "Unsupported Media Type",
          "status": 415,
          "detail": "The body must be application/json.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unsupported_media_type",
          "message": "The body must be application/json.",
          "error": {
            "message": "The body must be application/json.",
            "type": "invalid_request_error",
            "param": null,
            "code": "unsupported_media_type"
          }
        }
      }
    },
    "422": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Unprocessable Entity",
          "status": 422,
          "detail": "max_tokens must be at least 1",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens must be at least 1",
          "error": {
            "message": "max_tokens must be at least 1",
            "type": "UnprocessableEntityError",
            "param": null,
            "code": "422"
          }
        }
      }
    },
    "429": {
      "application/problem+json": {
        "rate_limit_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:rate_limit_exceeded",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The key has used up its rate.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "rate_limit_exceeded",
          "message": "The key has used up its rate.",
          "error": {
            "message": "The key has used up its rate.",
            "type": "rate_limit_error",
            "param": null,
            "code": "rate_limit_exceeded"
          }
        },
        "insufficient_quota": {
          "type": "urn:checkpoint-control-plane:problem:insufficient_quota",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The remaining budget of the key does not cover the request.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "insufficient_quota",
          "message": "The remaining budget of the key does not cover the request.",
          "error": {
            "message": "The remaining budget of the key does not cover the request.",
            "type": "rate_limit_error",
            "param": null,
            "code": "insufficient_quota"
          }
        }
      }
    },
    "502": {
      "application/problem+json": {
        "unusable_answer": {
          "type": "urn:checkpoint-control-plane:problem:unusable_answer",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The worker answered neither JSON nor a stream of events.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unusable_answer",
          "message": "The worker answered neither JSON nor a stream of events.",
          "error": {
            "message": "The worker answered neither JSON nor a stream of events.",
            "type": "server_error",
            "param": null,
            "code": "unusable_answer"
          }
        }
      }
    },
    "503": {
      "application/problem+json": {
        "model_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:model_not_ready",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target of the model is ready within the time that the request may wait.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_ready",
          "message": "No target of the model is ready within the time that the request may wait.",
          "error": {
            "message": "No target of the model is ready within the time that the request may wait.",
            "type": "server_error",
            "param": null,
            "code": "model_not_ready"
          }
        },
        "model_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:model_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target serves the model now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_unavailable",
          "message": "No target serves the model now.",
          "error": {
            "message": "No target serves the model now.",
            "type": "server_error",
            "param": null,
            "code": "model_unavailable"
          }
        },
        "deadline_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:deadline_exceeded",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The deadline of the request has passed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "deadline_exceeded",
          "message": "The deadline of the request has passed.",
          "error": {
            "message": "The deadline of the request has passed.",
            "type": "server_error",
            "param": null,
            "code": "deadline_exceeded"
          }
        },
        "worker_failed": {
          "type": "urn:checkpoint-control-plane:problem:worker_failed",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The chosen worker failed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "worker_failed",
          "message": "The chosen worker failed.",
          "error": {
            "message": "The chosen worker failed.",
            "type": "server_error",
            "param": null,
            "code": "worker_failed"
          }
        }
      }
    }
  },
  "create_response": {
    "200": {
      "application/json": {
        "reply": {
          "id": "resp_1",
          "object": "response",
          "created_at": 1764763435,
          "model": "meta-llama/Llama-3.1-8B-Instruct",
          "status": "completed",
          "error": null,
          "incomplete_details": null,
          "instructions": null,
          "metadata": null,
          "output": [
            {
              "id": "msg_1",
              "type": "message",
              "role": "assistant",
              "status": "completed",
              "content": [
                {
                  "type": "output_text",
                  "text": "The quick brown fox jumps over the lazy dog.",
                  "annotations": [],
                  "logprobs": null
                }
              ]
            }
          ],
          "parallel_tool_calls": true,
          "temperature": 1,
          "tool_choice": "auto",
          "tools": [],
          "top_p": 1,
          "usage": {
            "input_tokens": 13,
            "input_tokens_details": {
              "cached_tokens": 0
            },
            "output_tokens": 10,
            "output_tokens_details": {
              "reasoning_tokens": 0
            },
            "total_tokens": 23
          }
        }
      }
    },
    "400": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Bad Request",
          "status": 400,
          "detail": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
          "error": {
            "message": "max_tokens is too large: 100000000. This model supports at most 8192 tokens",
            "type": "BadRequestError",
            "param": null,
            "code": "400"
          }
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "model must be a string that is not empty",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "model must be a string that is not empty",
          "errors": [
            {
              "field": "model",
              "message": "must be a string that is not empty"
            }
          ],
          "error": {
            "message": "model must be a string that is not empty",
            "type": "invalid_request_error",
            "param": "model",
            "code": "validation_failed"
          }
        }
      }
    },
    "401": {
      "application/problem+json": {
        "unauthenticated": {
          "type": "urn:checkpoint-control-plane:problem:unauthenticated",
          "title": "Unauthorized",
          "status": 401,
          "detail": "A valid bearer token is needed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unauthenticated",
          "message": "A valid bearer token is needed.",
          "error": {
            "message": "A valid bearer token is needed.",
            "type": "authentication_error",
            "param": null,
            "code": "unauthenticated"
          }
        }
      }
    },
    "403": {
      "application/problem+json": {
        "model_not_allowed": {
          "type": "urn:checkpoint-control-plane:problem:model_not_allowed",
          "title": "Forbidden",
          "status": 403,
          "detail": "The key may not use the model \"other\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_allowed",
          "message": "The key may not use the model \"other\".",
          "error": {
            "message": "The key may not use the model \"other\".",
            "type": "permission_error",
            "param": null,
            "code": "model_not_allowed"
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"unknown\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_found",
          "message": "No route serves the model \"unknown\".",
          "error": {
            "message": "No route serves the model \"unknown\".",
            "type": "not_found_error",
            "param": null,
            "code": "model_not_found"
          }
        },
        "endpoint_not_served": {
          "type": "urn:checkpoint-control-plane:problem:endpoint_not_served",
          "title": "Not Found",
          "status": 404,
          "detail": "No target of the model \"chats\" serves responses.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "endpoint_not_served",
          "message": "No target of the model \"chats\" serves responses.",
          "error": {
            "message": "No target of the model \"chats\" serves responses.",
            "type": "not_found_error",
            "param": null,
            "code": "endpoint_not_served"
          }
        }
      }
    },
    "413": {
      "application/problem+json": {
        "body_too_large": {
          "type": "urn:checkpoint-control-plane:problem:body_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The body must be at most 16777216 bytes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "body_too_large",
          "message": "The body must be at most 16777216 bytes.",
          "error": {
            "message": "The body must be at most 16777216 bytes.",
            "type": "invalid_request_error",
            "param": null,
            "code": "body_too_large"
          }
        }
      }
    },
    "415": {
      "application/problem+json": {
        "unsupported_media_type": {
          "type": "urn:checkpoint-control-plane:problem:unsupported_media_type",
          "title": "Unsupported Media Type",
          "status": 415,
          "detail": "The body must be application/json.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unsupported_media_type",
          "message": "The body must be application/json.",
          "error": {
            "message": "The body must be application/json.",
            "type": "invalid_request_error",
            "param": null,
            "code": "unsupported_media_type"
          }
        }
      }
    },
    "422": {
      "application/problem+json": {
        "refused_by_worker": {
          "type": "urn:checkpoint-control-plane:problem:refused_by_worker",
          "title": "Unprocessable Entity",
          "status": 422,
          "detail": "max_tokens must be at least 1",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "refused_by_worker",
          "message": "max_tokens must be at least 1",
          "error": {
            "message": "max_tokens must be at least 1",
            "type": "UnprocessableEntityError",
            "param": null,
            "code": "422"
          }
        }
      }
    },
    "429": {
      "application/problem+json": {
        "rate_limit_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:rate_limit_exceeded",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The key has used up its rate.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "rate_limit_exceeded",
          "message": "The key has used up its rate.",
          "error": {
            "message": "The key has used up its rate.",
            "type": "rate_limit_error",
            "param": null,
            "code": "rate_limit_exceeded"
          }
        },
        "insufficient_quota": {
          "type": "urn:checkpoint-control-plane:problem:insufficient_quota",
          "title": "Too Many Requests",
          "status": 429,
          "detail": "The remaining budget of the key does not cover the request.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "insufficient_quota",
          "message": "The remaining budget of the key does not cover the request.",
          "error": {
            "message": "The remaining budget of the key does not cover the request.",
            "type": "rate_limit_error",
            "param": null,
            "code": "insufficient_quota"
          }
        }
      }
    },
    "502": {
      "application/problem+json": {
        "unusable_answer": {
          "type": "urn:checkpoint-control-plane:problem:unusable_answer",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The worker answered neither JSON nor a stream of events.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unusable_answer",
          "message": "The worker answered neither JSON nor a stream of events.",
          "error": {
            "message": "The worker answered neither JSON nor a stream of events.",
            "type": "server_error",
            "param": null,
            "code": "unusable_answer"
          }
        }
      }
    },
    "503": {
      "application/problem+json": {
        "model_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:model_not_ready",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target of the model is ready within the time that the request may wait.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_ready",
          "message": "No target of the model is ready within the time that the request may wait.",
          "error": {
            "message": "No target of the model is ready within the time that the request may wait.",
            "type": "server_error",
            "param": null,
            "code": "model_not_ready"
          }
        },
        "model_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:model_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No target serves the model now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_unavailable",
          "message": "No target serves the model now.",
          "error": {
            "message": "No target serves the model now.",
            "type": "server_error",
            "param": null,
            "code": "model_unavailable"
          }
        },
        "deadline_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:deadline_exceeded",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The deadline of the request has passed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "deadline_exceeded",
          "message": "The deadline of the request has passed.",
          "error": {
            "message": "The deadline of the request has passed.",
            "type": "server_error",
            "param": null,
            "code": "deadline_exceeded"
          }
        },
        "worker_failed": {
          "type": "urn:checkpoint-control-plane:problem:worker_failed",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The chosen worker failed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "worker_failed",
          "message": "The chosen worker failed.",
          "error": {
            "message": "The chosen worker failed.",
            "type": "server_error",
            "param": null,
            "code": "worker_failed"
          }
        }
      }
    }
  },
  "list_models": {
    "200": {
      "application/json": {
        "reply": {
          "object": "list",
          "data": [
            {
              "id": "bge-small",
              "object": "model",
              "created": 1768467600,
              "owned_by": "organisation"
            },
            {
              "id": "cold",
              "object": "model",
              "created": 1768467600,
              "owned_by": "organisation"
            },
            {
              "id": "llama-8b",
              "object": "model",
              "created": 1768467600,
              "owned_by": "organisation"
            },
            {
              "id": "other",
              "object": "model",
              "created": 1768467600,
              "owned_by": "organisation"
            },
            {
              "id": "warming",
              "object": "model",
              "created": 1768467600,
              "owned_by": "organisation"
            }
          ]
        }
      }
    }
  },
  "get_model": {
    "200": {
      "application/json": {
        "reply": {
          "id": "llama-8b",
          "object": "model",
          "created": 1768467600,
          "owned_by": "organisation"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "bad_request": {
          "type": "urn:checkpoint-control-plane:problem:bad_request",
          "title": "Bad Request",
          "status": 400,
          "detail": "Bad Request",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "bad_request",
          "message": "Bad Request",
          "error": {
            "message": "Bad Request",
            "type": "invalid_request_error",
            "param": null,
            "code": "bad_request"
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"01932c00-0000-7000-8000-000000000001\".",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "model_not_found",
          "message": "No route serves the model \"01932c00-0000-7000-8000-000000000001\".",
          "error": {
            "message": "No route serves the model \"01932c00-0000-7000-8000-000000000001\".",
            "type": "not_found_error",
            "param": null,
            "code": "model_not_found"
          }
        }
      }
    }
  },
  "list_fleets": {
    "200": {
      "application/json": {
        "reply": [
          {
            "fleet_id": "01932c00-0000-7000-8000-000000000001",
            "name": "chat in Europe",
            "logical_model": "llama-8b",
            "created_at": "2026-01-15T09:00:00.000Z",
            "profile_ids": [
              "llama-8b-a10g",
              "llama-8b-h100"
            ],
            "budgets": {
              "max_node_usd_per_hour": 12.5
            },
            "availability": null,
            "residency": null
          }
        ]
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "limit must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "limit",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "save_fleet": {
    "200": {
      "application/json": {
        "reply": {
          "fleet_id": "01932c00-0000-7000-8000-000000000001",
          "name": "chat in Europe",
          "logical_model": "llama-8b",
          "created_at": "2026-01-15T09:00:00.000Z",
          "profile_ids": [
            "llama-8b-a10g",
            "llama-8b-h100"
          ],
          "budgets": {
            "max_node_usd_per_hour": 12.5
          },
          "availability": null,
          "residency": null
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_profile_ids_0": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "profile_ids[0] is no profile",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "profile_ids[0] is no profile",
          "errors": [
            {
              "field": "profile_ids[0]",
              "message": "is no profile"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "name is required; logical_model is required; profile_ids is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "name is required; logical_model is required; profile_ids is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "name",
              "message": "is required"
            },
            {
              "field": "logical_model",
              "message": "is required"
            },
            {
              "field": "profile_ids",
              "message": "is required"
            },
            {
              "field": "unknown_member",
              "message": "is not a member of this body"
            }
          ]
        }
      }
    }
  },
  "get_fleet": {
    "200": {
      "application/json": {
        "reply": {
          "fleet_id": "01932c00-0000-7000-8000-000000000001",
          "name": "chat in Europe",
          "logical_model": "llama-8b",
          "created_at": "2026-01-15T09:00:00.000Z",
          "profile_ids": [
            "llama-8b-a10g",
            "llama-8b-h100"
          ],
          "budgets": {
            "max_node_usd_per_hour": 12.5
          },
          "availability": null,
          "residency": null
        }
      }
    },
    "404": {
      "application/problem+json": {
        "fleet_not_found": {
          "type": "urn:checkpoint-control-plane:problem:fleet_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such fleet.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "fleet_not_found",
          "message": "No such fleet."
        }
      }
    }
  },
  "delete_fleet": {
    "404": {
      "application/problem+json": {
        "fleet_not_found": {
          "type": "urn:checkpoint-control-plane:problem:fleet_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such fleet.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "fleet_not_found",
          "message": "No such fleet."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "fleet_in_use": {
          "type": "urn:checkpoint-control-plane:problem:fleet_in_use",
          "title": "Conflict",
          "status": 409,
          "detail": "A profile of the fleet is a target of a route; take it out of its routes first.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "fleet_in_use",
          "message": "A profile of the fleet is a target of a route; take it out of its routes first."
        }
      }
    }
  },
  "simulate_route": {
    "200": {
      "application/json": {
        "reply": {
          "logical_model": "llama-8b",
          "evidence": "estimated",
          "requests_per_hour": 1200,
          "cold_share": 0.01,
          "restore_share": 0.05,
          "projected_p50_ms": 0,
          "projected_deadline_miss_rate": 0.060000000000000005,
          "projected_fallback_rate": 0,
          "projected_cold_p50_ms": 180000,
          "projected_restore_p50_ms": null
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "logical_model is required; requests_per_hour is required; deadline_ms is required; cold_share is required; restore_share is required; and 1 more",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "logical_model is required; requests_per_hour is required; deadline_ms is required; cold_share is required; restore_share is required; and 1 more",
          "errors": [
            {
              "field": "logical_model",
              "message": "is required"
            },
            {
              "field": "requests_per_hour",
              "message": "is required"
            },
            {
              "field": "deadline_ms",
              "message": "is required"
            },
            {
              "field": "cold_share",
              "message": "is required"
            },
            {
              "field": "restore_share",
              "message": "is required"
            },
            {
              "field": "unknown_member",
              "message": "is not a member of this body"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "model_not_found": {
          "type": "urn:checkpoint-control-plane:problem:model_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No route serves the model \"unknown\".",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "model_not_found",
          "message": "No route serves the model \"unknown\"."
        }
      }
    }
  }
};
