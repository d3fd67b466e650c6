// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const INSIGHT: Record<string, Replies> = {
  "list_instance_type_prices": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "instance_type": "m5.large",
            "capacity_type": "on-demand",
            "ondemand_price_per_hour": 0.096,
            "spot_price_per_hour": null,
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z"
          },
          {
            "id": "01932c00-0000-7000-8000-000000000002",
            "instance_type": "p4d.24xlarge",
            "capacity_type": "spot",
            "ondemand_price_per_hour": null,
            "spot_price_per_hour": 11.57,
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z"
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
  "save_instance_type_price": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "instance_type": "p4d.24xlarge",
          "capacity_type": "spot",
          "ondemand_price_per_hour": null,
          "spot_price_per_hour": 11.57,
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "instance_type is required; capacity_type is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "instance_type is required; capacity_type is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "instance_type",
              "message": "is required"
            },
            {
              "field": "capacity_type",
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
  "list_seen_instance_types": {
    "200": {
      "application/json": {
        "reply": [
          "m5.large"
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
  "delete_instance_type_price": {
    "404": {
      "application/problem+json": {
        "instance_type_price_not_found": {
          "type": "urn:checkpoint-control-plane:problem:instance_type_price_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No price of that instance type.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "instance_type_price_not_found",
          "message": "No price of that instance type."
        }
      }
    }
  },
  "list_cost_rates": {
    "200": {
      "application/json": {
        "reply": [
          {
            "profile_id": "llama-8b-a10g",
            "node_hourly_usd": 100,
            "storage_gb_hour_usd": 0,
            "transfer_gb_usd": 0
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
  "upsert_cost_rate": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "node_hourly_usd": 1.006,
          "storage_gb_hour_usd": 0.00003,
          "transfer_gb_usd": 0
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "profile_id is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "profile_id is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "profile_id",
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
        "profile_not_found": {
          "type": "urn:checkpoint-control-plane:problem:profile_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such profile.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "profile_not_found",
          "message": "No such profile."
        }
      }
    }
  },
  "get_analytics": {
    "200": {
      "application/json": {
        "reply": {
          "evidence": "measured",
          "sample_count": 34,
          "window_hours": 24,
          "experiment_id": null,
          "profile_id": null,
          "serving": {
            "requests": 34,
            "fallbacks": 0,
            "deadline_misses": 4,
            "prompt_tokens": 472,
            "completion_tokens": 126,
            "average_ttft_ms": 28.6,
            "ttft_count": 5,
            "tokens_per_second": 875,
            "timed_count": null
          },
          "startup": {
            "cold": null,
            "restore": null,
            "warm": {
              "samples": 12,
              "p50_ms": 0,
              "p95_ms": 0
            },
            "saved_p50_ms": null,
            "speedup_p50": null
          },
          "storage": {
            "logical_bytes": 0,
            "physical_bytes": 34359738368,
            "reused_bytes": 0,
            "written_bytes": 0,
            "dedup_ratio": null,
            "incremental_ratio": null,
            "transferred_bytes": 0
          }
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "hours",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "list_usage_series": {
    "200": {
      "application/json": {
        "reply": [
          {
            "bucket": "2026-01-15T07:00:00.000Z",
            "requests": 0,
            "successes": 0,
            "fallbacks": 0,
            "deadline_misses": 0,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "cold_start_avoided_ms": 0,
            "avg_backend_ms": null,
            "avg_routing_ms": null,
            "avg_ttft_ms": null
          },
          {
            "bucket": "2026-01-15T08:00:00.000Z",
            "requests": 0,
            "successes": 0,
            "fallbacks": 0,
            "deadline_misses": 0,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "cold_start_avoided_ms": 0,
            "avg_backend_ms": null,
            "avg_routing_ms": null,
            "avg_ttft_ms": null
          },
          {
            "bucket": "2026-01-15T09:00:00.000Z",
            "requests": 34,
            "successes": 5,
            "fallbacks": 0,
            "deadline_misses": 4,
            "prompt_tokens": 472,
            "completion_tokens": 126,
            "cold_start_avoided_ms": 0,
            "avg_backend_ms": 28.8,
            "avg_routing_ms": 0.058823529411764705,
            "avg_ttft_ms": 28.6
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
          "detail": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "hours",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "list_startup_comparisons": {
    "200": {
      "application/json": {
        "reply": [
          {
            "profile_id": "bge-small-cpu",
            "logical_model": "bge-small",
            "starts": [],
            "cold": null,
            "restored": null,
            "saved_ms": null,
            "speedup": null
          },
          {
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "starts": [],
            "cold": null,
            "restored": null,
            "saved_ms": null,
            "speedup": null
          },
          {
            "profile_id": "llama-8b-h100",
            "logical_model": "llama-8b",
            "starts": [],
            "cold": null,
            "restored": null,
            "saved_ms": null,
            "speedup": null
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
  "get_storage_summary": {
    "200": {
      "application/json": {
        "reply": {
          "tiers": [
            {
              "tier": "memory",
              "artifacts": 0,
              "bytes": 0,
              "residency_hours": 0,
              "transfers": 0
            },
            {
              "tier": "local",
              "artifacts": 0,
              "bytes": 0,
              "residency_hours": 0,
              "transfers": 0
            },
            {
              "tier": "shared",
              "artifacts": 2,
              "bytes": 34359738368,
              "residency_hours": 0.0006338897222222222,
              "transfers": 0
            },
            {
              "tier": "object",
              "artifacts": 0,
              "bytes": 0,
              "residency_hours": 0,
              "transfers": 0
            }
          ],
          "total_artifacts": 2,
          "total_bytes": 34359738368
        }
      }
    }
  },
  "get_correlation": {
    "200": {
      "application/json": {
        "reply": {
          "experiment_id": "01932c00-0000-7000-8000-000000000001",
          "name": "evening peak",
          "scenario": "50 clients, 2,000 tokens each",
          "status": "running",
          "policy_decisions": [
            {
              "name": "priority",
              "count": 12
            },
            {
              "name": "unknown",
              "count": 1
            }
          ],
          "observations": [
            {
              "name": "restore",
              "count": 1
            }
          ],
          "intents": [],
          "activations": [],
          "artifacts": [],
          "usage": {
            "requests": 13,
            "fallbacks": 0,
            "successful_requests": 5,
            "cold_start_avoided_ms": 0
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "experiment_not_found": {
          "type": "urn:checkpoint-control-plane:problem:experiment_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such experiment.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "experiment_not_found",
          "message": "No such experiment."
        }
      }
    }
  },
  "list_cost_breakdown": {
    "200": {
      "application/json": {
        "reply": [
          {
            "profile_id": "bge-small-cpu",
            "activation_count": 0,
            "tokens_served": 0,
            "active_duration_s": 0,
            "idle_time_s": 0,
            "node_seconds": 0,
            "compute_usd": 0,
            "storage_usd": 0,
            "transfer_usd": 0,
            "fallback_usd": 0,
            "total_usd": 0,
            "release_latency_ms": null,
            "idle_cost": {
              "starting_usd": 0,
              "warm_idle_usd": 0,
              "release_usd": 0
            },
            "cost_per_mtok": {
              "held_usd": null,
              "used_usd": null
            },
            "price": {
              "profile_id": "bge-small-cpu",
              "node_hourly_usd": 0,
              "storage_gb_hour_usd": 0,
              "transfer_gb_usd": 0,
              "source": "none",
              "updated_at": null
            }
          },
          {
            "profile_id": "llama-8b-a10g",
            "activation_count": 1,
            "tokens_served": 598,
            "active_duration_s": 0.144,
            "idle_time_s": 33.154,
            "node_seconds": 33.298,
            "compute_usd": 0.009304941111,
            "storage_usd": 3.2699e-7,
            "transfer_usd": 0,
            "fallback_usd": 0,
            "total_usd": 0.009305268101,
            "release_latency_ms": null,
            "idle_cost": {
              "starting_usd": 0.008964018889,
              "warm_idle_usd": 0.000300682222,
              "release_usd": 0
            },
            "cost_per_mtok": {
              "held_usd": 15.560102192307692,
              "used_usd": 0.06729096989966556
            },
            "price": {
              "profile_id": "llama-8b-a10g",
              "node_hourly_usd": 1.006,
              "storage_gb_hour_usd": 0.00003,
              "transfer_gb_usd": 0,
              "source": "configured",
              "updated_at": "2026-01-15T09:00:00.000Z"
            }
          },
          {
            "profile_id": "llama-8b-h100",
            "activation_count": 1,
            "tokens_served": 0,
            "active_duration_s": 0,
            "idle_time_s": 1.209,
            "node_seconds": 1.209,
            "compute_usd": 0,
            "storage_usd": 0,
            "transfer_usd": 0,
            "fallback_usd": 0,
            "total_usd": 0,
            "release_latency_ms": null,
            "idle_cost": {
              "starting_usd": 0,
              "warm_idle_usd": 0,
              "release_usd": 0
            },
            "cost_per_mtok": {
              "held_usd": null,
              "used_usd": null
            },
            "price": {
              "profile_id": "llama-8b-h100",
              "node_hourly_usd": 0,
              "storage_gb_hour_usd": 0,
              "transfer_gb_usd": 0,
              "source": "none",
              "updated_at": null
            }
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
          "detail": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "hours",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "get_daily_costs": {
    "200": {
      "application/json": {
        "reply": {
          "days": [
            {
              "from": "2026-01-09T00:00:00.000Z",
              "to": "2026-01-10T00:00:00.000Z",
              "tokens_served": 0,
              "node_seconds": 0,
              "compute_usd": 0,
              "storage_usd": 0,
              "transfer_usd": 0,
              "total_usd": 0,
              "idle_cost": {
                "starting_usd": 0,
                "warm_idle_usd": 0,
                "release_usd": 0
              }
            },
            {
              "from": "2026-01-10T00:00:00.000Z",
              "to": "2026-01-11T00:00:00.000Z",
              "tokens_served": 0,
              "node_seconds": 0,
              "compute_usd": 0,
              "storage_usd": 0,
              "transfer_usd": 0,
              "total_usd": 0,
              "idle_cost": {
                "starting_usd": 0,
                "warm_idle_usd": 0,
                "release_usd": 0
              }
            },
            {
              "from": "2026-01-11T00:00:00.000Z",
              "to": "2026-01-12T00:00:00.000Z",
              "tokens_served": 0,
              "node_seconds": 0,
              "compute_usd": 0,
              "storage_usd": 0,
              "transfer_usd": 0,
              "total_usd": 0,
              "idle_cost": {
                "starting_usd": 0,
                "warm_idle_usd": 0,
                "release_usd": 0
              }
            },
            {
              "from": "2026-01-12T00:00:00.000Z",
              "to": "2026-01-13T00:00:00.000Z",
              "tokens_served": 0,
              "node_seconds": 0,
              "compute_usd": 0,
              "storage_usd": 0,
              "transfer_usd": 0,
              "total_usd": 0,
              "idle_cost": {
                "starting_usd": 0,
                "warm_idle_usd": 0,
                "release_usd": 0
              }
            },
            {
              "from": "2026-01-13T00:00:00.000Z",
              "to": "2026-01-14T00:00:00.000Z",
              "tokens_served": 0,
              "node_seconds": 0,
              "compute_usd": 0,
              "storage_usd": 0,
              "transfer_usd": 0,
              "total_usd": 0,
              "idle_cost": {
                "starting_usd": 0,
                "warm_idle_usd": 0,
                "release_usd": 0
              }
            },
            {
              "from": "2026-01-14T00:00:00.000Z",
              "to": "2026-01-15T00:00:00.000Z",
              "tokens_served": 0,
              "node_seconds": 0,
              "compute_usd": 0,
              "storage_usd": 0,
              "transfer_usd": 0,
              "total_usd": 0,
              "idle_cost": {
                "starting_usd": 0,
                "warm_idle_usd": 0,
                "release_usd": 0
              }
            },
            {
              "from": "2026-01-15T00:00:00.000Z",
              "to": "2026-01-15T09:00:00.000Z",
              "tokens_served": 598,
              "node_seconds": 34.587,
              "compute_usd": 0.009316118889,
              "storage_usd": 3.38443e-7,
              "transfer_usd": 0,
              "total_usd": 0.009316457332,
              "idle_cost": {
                "starting_usd": 0.008964018889,
                "warm_idle_usd": 0.00031186,
                "release_usd": 0
              }
            }
          ]
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "days must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "days must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "days",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "get_cost_report": {
    "200": {
      "application/json": {
        "reply": {
          "hours": 24,
          "baseline": {
            "cost_usd": 24.144,
            "node_seconds": 172800,
            "heavy_activation_count": 2,
            "heavy_active_duration_s": 172800
          },
          "treatment": {
            "cost_usd": 0.009310582986,
            "node_seconds": 34.545,
            "heavy_activation_count": 2,
            "heavy_active_duration_s": 0.144
          },
          "treatment_idle_time_s": 34.401,
          "treatment_idle_cost": {
            "starting_usd": 0.008964018889,
            "warm_idle_usd": 0.000305991667,
            "release_usd": 0
          },
          "treatment_cost_per_mtok": {
            "held_usd": 15.568980862876256,
            "used_usd": 0.06729096989966556
          },
          "treatment_escalation_rate": 0.38235294117647056,
          "treatment_quality": {
            "requests": 34,
            "refusal_rate": 0.8529411764705882,
            "avg_ttft_ms": 28.6,
            "ttft_count": 5
          },
          "savings_usd": 24.134689417014,
          "savings_pct": 99.96143728054176,
          "node_seconds_saved": 172765.455,
          "treatment_release_latency_ms": null,
          "variance": null,
          "prices": [
            {
              "profile_id": "llama-8b-a10g",
              "node_hourly_usd": 1.006,
              "storage_gb_hour_usd": 0.00003,
              "transfer_gb_usd": 0,
              "source": "configured",
              "updated_at": "2026-01-15T09:00:00.000Z"
            },
            {
              "profile_id": "llama-8b-h100",
              "node_hourly_usd": 0,
              "storage_gb_hour_usd": 0,
              "transfer_gb_usd": 0,
              "source": "none",
              "updated_at": null
            }
          ]
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "hours",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "write_metrics": {
    "400": {
      "application/problem+json": {
        "samples_refused": {
          "type": "urn:checkpoint-control-plane:problem:samples_refused",
          "title": "Bad Request",
          "status": 400,
          "detail": "0 samples are stored, 1 refused (too_old 1): slurm_cpu_load{} of 2024-12-11T09:00:00.000Z is older than what is kept.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "samples_refused",
          "message": "0 samples are stored, 1 refused (too_old 1): slurm_cpu_load{} of 2024-12-11T09:00:00.000Z is older than what is kept."
        },
        "unreadable_samples": {
          "type": "urn:checkpoint-control-plane:problem:unreadable_samples",
          "title": "Bad Request",
          "status": 400,
          "detail": "The body is no block of snappy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unreadable_samples",
          "message": "The body is no block of snappy."
        }
      }
    },
    "415": {
      "application/problem+json": {
        "unsupported_media_type": {
          "type": "urn:checkpoint-control-plane:problem:unsupported_media_type",
          "title": "Unsupported Media Type",
          "status": 415,
          "detail": "The body must be application/x-protobuf.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unsupported_media_type",
          "message": "The body must be application/x-protobuf."
        }
      }
    },
    "503": {
      "application/problem+json": {
        "too_many_samples": {
          "type": "urn:checkpoint-control-plane:problem:too_many_samples",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "Too many samples are in progress in this instance; try again.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "too_many_samples",
          "message": "Too many samples are in progress in this instance; try again."
        }
      }
    }
  },
  "export_otlp_metrics": {
    "200": {
      "application/json": {
        "reply": {}
      }
    },
    "400": {
      "application/json": {
        "3": {
          "code": 3,
          "message": "The body is no JSON."
        }
      }
    },
    "503": {
      "application/json": {
        "14": {
          "code": 14,
          "message": "Too many samples are in progress in this instance; try again."
        }
      }
    }
  },
  "list_checkpoint_savings": {
    "200": {
      "application/json": {
        "reply": [
          {
            "pod_name": "train-89nms",
            "namespace": "training",
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "node_name": "gpu-node-1",
            "node_region": "eu-west-1",
            "instance_type": "m5.large",
            "capacity_type": "on-demand",
            "gpu": null,
            "platform": "kubernetes",
            "first_checkpoint": "2026-01-15T09:00:00.000Z",
            "last_checkpoint": "2026-01-15T09:00:00.000Z",
            "refreshed_at": "2026-01-15T09:00:00.000Z",
            "checkpoint_count": 2,
            "heartbeat_checkpoints": 0,
            "manual_checkpoints": 2,
            "other_checkpoints": 0,
            "total_checkpoint_duration_ns": 2359000000,
            "total_checkpoint_size_bytes": 1610612736,
            "avg_interval_seconds": 0,
            "min_interval_seconds": 0,
            "max_recovery_point_seconds": 0,
            "time_protected_seconds": 0,
            "estimated_savings": 0,
            "ondemand_price_per_hour": 0.096,
            "spot_price_per_hour": null,
            "protection_efficiency_ratio": 0
          },
          {
            "pod_name": "llm-eval",
            "namespace": "gpu",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "node_name": "n1",
            "node_region": null,
            "instance_type": null,
            "capacity_type": null,
            "gpu": "NVIDIA H100",
            "platform": "slurm",
            "first_checkpoint": "2026-01-15T09:00:00.000Z",
            "last_checkpoint": "2026-01-15T09:00:00.000Z",
            "refreshed_at": "2026-01-15T09:00:00.000Z",
            "checkpoint_count": 1,
            "heartbeat_checkpoints": 0,
            "manual_checkpoints": 1,
            "other_checkpoints": 0,
            "total_checkpoint_duration_ns": 3506000000,
            "total_checkpoint_size_bytes": 0,
            "avg_interval_seconds": null,
            "min_interval_seconds": null,
            "max_recovery_point_seconds": null,
            "time_protected_seconds": 0,
            "estimated_savings": null,
            "ondemand_price_per_hour": null,
            "spot_price_per_hour": null,
            "protection_efficiency_ratio": 0
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
  "get_checkpoint_savings_summary": {
    "200": {
      "application/json": {
        "reply": {
          "org_id": "01932c00-0000-7000-8000-000000000001",
          "refreshed_at": "2026-01-15T09:00:00.000Z",
          "pods_protected": 2,
          "total_checkpoints": 3,
          "total_heartbeat_checkpoints": 0,
          "total_manual_checkpoints": 3,
          "total_other_checkpoints": 0,
          "total_checkpoint_overhead_ns": 5865000000,
          "total_checkpoint_storage_bytes": 1610612736,
          "avg_checkpoint_interval_seconds": 0,
          "total_estimated_savings": 0,
          "total_time_protected_seconds": 0,
          "worst_case_recovery_point_seconds": 0
        }
      }
    }
  },
  "estimate_checkpoint_savings": {
    "200": {
      "application/json": {
        "reply": {
          "hourly_rate": 2.5,
          "time_protected_seconds": 0,
          "max_recovery_point_seconds": 0,
          "max_savings_per_failure": 0,
          "checkpoint_overhead_cost": 0.004072916667,
          "net_potential_savings": -0.004072916667,
          "pods_protected": 2,
          "total_checkpoints": 3
        }
      }
    }
  },
  "get_operations_summary": {
    "200": {
      "application/json": {
        "reply": {
          "attempts": 5,
          "succeeded": 4,
          "failed": 1,
          "fallbacks": 0,
          "window_seconds": 604800,
          "step_seconds": 3600,
          "operations": [
            {
              "operation": "checkpoint",
              "attempts": 3,
              "succeeded": 3,
              "failed": 0,
              "fallbacks": 0,
              "bytes_total": 1610612736,
              "p50_ns": 2359000000,
              "p95_ns": 3506000000,
              "pause_p50_ns": null,
              "pause_p95_ns": null,
              "to_ready_count": 0,
              "to_ready_p50_ns": null,
              "to_ready_p95_ns": null,
              "duration_buckets": [
                {
                  "le": 0.1,
                  "count": 0
                },
                {
                  "le": 0.25,
                  "count": 0
                },
                {
                  "le": 0.5,
                  "count": 0
                },
                {
                  "le": 1,
                  "count": 0
                },
                {
                  "le": 2.5,
                  "count": 1
                },
                {
                  "le": 5,
                  "count": 2
                },
                {
                  "le": 10,
                  "count": 2
                },
                {
                  "le": 30,
                  "count": 2
                },
                {
                  "le": 60,
                  "count": 2
                },
                {
                  "le": 120,
                  "count": 2
                },
                {
                  "le": 300,
                  "count": 2
                },
                {
                  "le": 600,
                  "count": 2
                },
                {
                  "le": null,
                  "count": 2
                }
              ]
            },
            {
              "operation": "restore",
              "attempts": 2,
              "succeeded": 1,
              "failed": 1,
              "fallbacks": 0,
              "bytes_total": 0,
              "p50_ns": 4000000000,
              "p95_ns": 4000000000,
              "pause_p50_ns": null,
              "pause_p95_ns": null,
              "to_ready_count": 2,
              "to_ready_p50_ns": 0,
              "to_ready_p95_ns": 0,
              "duration_buckets": [
                {
                  "le": 0.1,
                  "count": 0
                },
                {
                  "le": 0.25,
                  "count": 0
                },
                {
                  "le": 0.5,
                  "count": 0
                },
                {
                  "le": 1,
                  "count": 0
                },
                {
                  "le": 2.5,
                  "count": 0
                },
                {
                  "le": 5,
                  "count": 1
                },
                {
                  "le": 10,
                  "count": 1
                },
                {
                  "le": 30,
                  "count": 1
                },
                {
                  "le": 60,
                  "count": 1
                },
                {
                  "le": 120,
                  "count": 1
                },
                {
                  "le": 300,
                  "count": 1
                },
                {
                  "le": 600,
                  "count": 1
                },
                {
                  "le": null,
                  "count": 1
                }
              ]
            }
          ],
          "stages": [
            {
              "operation": "checkpoint",
              "stage": "criu dump",
              "count": 1,
              "p50_ns": 2359000000,
              "p95_ns": 2359000000,
              "total_ns": 2359000000
            },
            {
              "operation": "restore",
              "stage": "criu restore",
              "count": 1,
              "p50_ns": 2359000000,
              "p95_ns": 2359000000,
              "total_ns": 2359000000
            }
          ],
          "tiers": [
            {
              "operation": "checkpoint",
              "storage_tier": "",
              "attempts": 3,
              "succeeded": 3,
              "bytes_total": 1610612736,
              "p50_ns": 2359000000
            },
            {
              "operation": "restore",
              "storage_tier": "",
              "attempts": 2,
              "succeeded": 1,
              "bytes_total": 0,
              "p50_ns": 4000000000
            }
          ],
          "failures": [
            {
              "operation": "restore",
              "stage": "unknown",
              "reason": "out_of_memory",
              "count": 1
            }
          ],
          "artifact_size_buckets": [
            {
              "le": 1048576,
              "count": 0
            },
            {
              "le": 16777216,
              "count": 0
            },
            {
              "le": 67108864,
              "count": 0
            },
            {
              "le": 268435456,
              "count": 0
            },
            {
              "le": 1073741824,
              "count": 0
            },
            {
              "le": 4294967296,
              "count": 1
            },
            {
              "le": 17179869184,
              "count": 1
            },
            {
              "le": 68719476736,
              "count": 1
            },
            {
              "le": 274877906944,
              "count": 1
            },
            {
              "le": null,
              "count": 1
            }
          ],
          "timeline": [
            {
              "bucket_ms": 1768467600000,
              "operation": "checkpoint",
              "succeeded": 3,
              "failed": 0,
              "fallbacks": 0
            },
            {
              "bucket_ms": 1768467600000,
              "operation": "restore",
              "succeeded": 1,
              "failed": 1,
              "fallbacks": 0
            }
          ]
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "time must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "time must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "time",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "export_metrics": {
    "200": {
      "text/plain": {
        "reply": "# HELP checkpoint_operations_total Ended attempts to checkpoint or restore, by result\n# TYPE checkpoint_operations_total counter\ncheckpoint_operations_total{operation=\"checkpoint\",result=\"succeeded\"} 3\ncheckpoint_operations_total{operation=\"checkpoint\",result=\"failed\"} 0\ncheckpoint_operations_total{operation=\"checkpoint\",result=\"fallback\"} 0\ncheckpoint_operations_total{operation=\"restore\",result=\"succeeded\"} 1\ncheckpoint_operations_total{operation=\"restore\",result=\"failed\"} 1\ncheckpoint_operations_total{operation=\"restore\",result=\"fallback\"} 0\n\n# HELP checkpoint_operation_duration_seconds Duration of successful attempts\n# TYPE checkpoint_operation_duration_seconds histogram\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"0.1\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"0.25\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"0.5\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"1\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"2.5\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"5\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"10\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"30\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"60\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"120\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"300\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"600\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"checkpoint\",le=\"+Inf\"} 2\ncheckpoint_operation_duration_seconds_sum{operation=\"checkpoint\"} 5.865\ncheckpoint_operation_duration_seconds_count{operation=\"checkpoint\"} 2\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"0.1\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"0.25\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"0.5\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"1\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"2.5\"} 0\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"5\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"10\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"30\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"60\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"120\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"300\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"600\"} 1\ncheckpoint_operation_duration_seconds_bucket{operation=\"restore\",le=\"+Inf\"} 1\ncheckpoint_operation_duration_seconds_sum{operation=\"restore\"} 4\ncheckpoint_operation_duration_seconds_count{operation=\"restore\"} 1\n\n# HELP checkpoint_artifact_size_bytes Bytes that checkpoints wrote\n# TYPE checkpoint_artifact_size_bytes histogram\ncheckpoint_artifact_size_bytes_bucket{le=\"1048576\"} 0\ncheckpoint_artifact_size_bytes_bucket{le=\"16777216\"} 0\ncheckpoint_artifact_size_bytes_bucket{le=\"67108864\"} 0\ncheckpoint_artifact_size_bytes_bucket{le=\"268435456\"} 0\ncheckpoint_artifact_size_bytes_bucket{le=\"1073741824\"} 0\ncheckpoint_artifact_size_bytes_bucket{le=\"4294967296\"} 1\ncheckpoint_artifact_size_bytes_bucket{le=\"17179869184\"} 1\ncheckpoint_artifact_size_bytes_bucket{le=\"68719476736\"} 1\ncheckpoint_artifact_size_bytes_bucket{le=\"274877906944\"} 1\ncheckpoint_artifact_size_bytes_bucket{le=\"+Inf\"} 1\ncheckpoint_artifact_size_bytes_sum 1610612736\ncheckpoint_artifact_size_bytes_count 1\n\n# HELP checkpoint_operation_stage_duration_seconds Duration of the stages of successful attempts, as nodes report them; stages beyond the first 64 are other\n# TYPE checkpoint_operation_stage_duration_seconds summary\ncheckpoint_operation_stage_duration_seconds_sum{operation=\"checkpoint\",stage=\"criu dump\"} 2.359\ncheckpoint_operation_stage_duration_seconds_count{operation=\"checkpoint\",stage=\"criu dump\"} 1\ncheckpoint_operation_stage_duration_seconds_sum{operation=\"restore\",stage=\"criu restore\"} 2.359\ncheckpoint_operation_stage_duration_seconds_count{operation=\"restore\",stage=\"criu restore\"} 1\n\n# HELP checkpoint_operation_failures_total Failed attempts, by stage and kind of reason\n# TYPE checkpoint_operation_failures_total counter\ncheckpoint_operation_failures_total{operation=\"restore\",stage=\"unknown\",reason=\"out_of_memory\"} 1\n\n# HELP checkpoint_operations_running Attempts that a node has begun to report and not ended\n# TYPE checkpoint_operations_running gauge\ncheckpoint_operations_running{operation=\"checkpoint\"} 0\ncheckpoint_operations_running{operation=\"restore\"} 0\n\n# HELP inference_cost_usd_total US dollars that requests of inference keys have cost\n# TYPE inference_cost_usd_total counter\ninference_cost_usd_total 0.000354\n\n# HELP inference_reserved_usd US dollars that are reserved for requests of inference keys in flight\n# TYPE inference_reserved_usd gauge\ninference_reserved_usd 0.0061695\n\n# HELP cluster_last_report_timestamp_seconds When a cluster last reported; those that never did are missing\n# TYPE cluster_last_report_timestamp_seconds gauge\ncluster_last_report_timestamp_seconds{cluster_id=\"01932c00-0000-7000-8000-000000000001\",cluster=\"eu-gpu-1\"} 1768467600\ncluster_last_report_timestamp_seconds{cluster_id=\"01932c00-0000-7000-8000-000000000002\",cluster=\"hpc\"} 1768467600\n\n# HELP outbox_consumer_lag_events Events that a consumer has not acknowledged; consumers that were not seen for a day are missing\n# TYPE outbox_consumer_lag_events gauge\n\n# HELP outbox_consumer_last_seen_timestamp_seconds When a consumer last read or acknowledged, within half a minute\n# TYPE outbox_consumer_last_seen_timestamp_seconds gauge\n\n# HELP checkpoint_policies_late Active policies whose beat is more than a minute late\n# TYPE checkpoint_policies_late gauge\ncheckpoint_policies_late 0\n\n# HELP checkpoint_policy_lateness_seconds By how much the latest of these beats is late; 0 without one\n# TYPE checkpoint_policy_lateness_seconds gauge\ncheckpoint_policy_lateness_seconds 0\n"
      }
    }
  },
  "list_gpu_metrics": {
    "200": {
      "application/json": {
        "reply": [
          {
            "node_name": "gpu-node-1",
            "gpus": [
              {
                "node_name": "gpu-node-1",
                "gpu_index": "0",
                "gpu_uuid": "GPU-1",
                "timestamp": "2026-01-15T08:59:00.000Z",
                "gpu_utilization": 93,
                "memory_utilization": null,
                "memory_used_mib": 21480,
                "memory_free_mib": 59520,
                "temperature_celsius": 61,
                "power_watts": null,
                "model_name": "NVIDIA H100 80GB HBM3",
                "namespace": "training",
                "pod_name": "train-89nms"
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
  "get_gpu_timeseries": {
    "200": {
      "application/json": {
        "reply": {
          "gpu_index": "",
          "node_name": "",
          "model_name": null,
          "gpu_uuid": "GPU-1",
          "data": [
            {
              "timestamp": "2026-01-15T08:59:00.000Z",
              "gpu_utilization": 93,
              "memory_utilization": null,
              "memory_used_mib": 21480,
              "memory_free_mib": 59520,
              "namespace": "training",
              "pod_name": "train-89nms"
            }
          ]
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "gpu_uuid is required; minutes must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "gpu_uuid is required; minutes must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "gpu_uuid",
              "message": "is required"
            },
            {
              "field": "minutes",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "get_gpu_heatmap": {
    "200": {
      "application/json": {
        "reply": {
          "from": "2026-01-15T08:00:00.000Z",
          "until": "2026-01-15T09:00:00.000Z",
          "bins": 4,
          "bin_seconds": 900,
          "measure": "mean",
          "samples_per_bin": null,
          "total_rows": 2,
          "rows": [
            {
              "node_name": "",
              "gpu_uuid": null,
              "gpu_index": null,
              "model_name": null,
              "gpus": 1,
              "reported": [
                0,
                0,
                0,
                1
              ],
              "utilization": [
                null,
                null,
                null,
                93
              ],
              "memory_used": [
                null,
                null,
                null,
                null
              ],
              "pods": [
                0,
                0,
                0,
                0
              ],
              "holder": [
                null,
                null,
                null,
                null
              ]
            },
            {
              "node_name": "gpu-node-1",
              "gpu_uuid": null,
              "gpu_index": null,
              "model_name": "NVIDIA H100 80GB HBM3",
              "gpus": 1,
              "reported": [
                0,
                0,
                0,
                1
              ],
              "utilization": [
                null,
                null,
                null,
                93
              ],
              "memory_used": [
                null,
                null,
                null,
                26.52
              ],
              "pods": [
                0,
                0,
                0,
                0
              ],
              "holder": [
                null,
                null,
                null,
                null
              ]
            }
          ],
          "holders": []
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "hours must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "hours",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "list_pod_metrics": {
    "200": {
      "application/json": {
        "reply": [
          {
            "pod_uid": "01932c00-0000-7000-8000-000000000001",
            "namespace": "training",
            "pod_name": "train-89nms",
            "timestamp": "2026-01-15T08:59:00.000Z",
            "cpu_usage_seconds": 5210.5,
            "memory_bytes": 9663676416,
            "node_name": "gpu-node-1",
            "owner_kind": "Job",
            "owner_name": "train"
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
  "list_top_cpu_pods": {
    "200": {
      "application/json": {
        "reply": [
          {
            "pod_uid": "01932c00-0000-7000-8000-000000000001",
            "namespace": "training",
            "pod_name": "train-89nms",
            "node_name": "gpu-node-1",
            "cpu_usage_seconds": 5210.5,
            "cpu_cores": null,
            "memory_bytes": 9663676416
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
  "list_top_memory_pods": {
    "200": {
      "application/json": {
        "reply": [
          {
            "pod_uid": "01932c00-0000-7000-8000-000000000001",
            "namespace": "training",
            "pod_name": "train-89nms",
            "node_name": "gpu-node-1",
            "cpu_usage_seconds": 5210.5,
            "cpu_cores": null,
            "memory_bytes": 9663676416
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
  "list_k8_metrics": {
    "200": {
      "application/json": {
        "reply": [
          {
            "name": "gpu-node-1",
            "details": [
              {
                "collector": "filesystem",
                "cpu_core": "",
                "cpu_mode": "",
                "filesystem": "/dev/nvme0n1",
                "metric_name": "node_filesystem_avail_bytes",
                "mountpoint": "/",
                "resource": "",
                "timestamp": "2026-01-15T08:59:00.000Z",
                "value": "812000000000"
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
  "list_checkpoint_cpu": {
    "200": {
      "application/json": {
        "reply": [
          {
            "pod_name": "train-89nms",
            "namespace": "training",
            "checkpoint_timestamp": "2026-01-15T09:00:00.000Z",
            "checkpoint_count": 2,
            "cpu_at_checkpoint": 5210.5,
            "gpu_memory_used_mib": 21480,
            "gpu_model": "NVIDIA H100 80GB HBM3",
            "gpu_utilization_at_checkpoint": 93
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
  "list_slurm_metrics": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": 1073742017,
            "name": "slurm_cpu_load",
            "timestamp": 1768467540,
            "counter_value": null,
            "gauge_value": 41.5,
            "kind": "gauge",
            "tags": {
              "instance": "login:9092",
              "job": "slurm"
            }
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
  "get_slurm_overview": {
    "200": {
      "application/json": {
        "reply": {
          "timestamp": 1768467540,
          "cpu_load": 41.5,
          "cpus_idle": null,
          "cpus_total": 96,
          "mem_alloc": null,
          "mem_free": 3500000,
          "mem_real": null
        }
      }
    }
  },
  "get_slurm_overview_state": {
    "200": {
      "application/json": {
        "reply": {
          "timestamp": 1768467540,
          "cpus_by_state": [
            {
              "state": "idle",
              "value": 32
            }
          ],
          "nodes_by_state": [
            {
              "state": "idle",
              "value": 2
            }
          ]
        }
      }
    }
  },
  "list_slurm_partitions": {
    "200": {
      "application/json": {
        "reply": [
          {
            "partition_name": "gpu",
            "timestamp": 1768467540,
            "cpu_load": 40,
            "free_memory": null,
            "idle_cpus": null,
            "idle_nodes": 2,
            "real_memory": null,
            "total_cpus": null
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
  "list_slurm_partition_nodes": {
    "200": {
      "application/json": {
        "reply": [
          {
            "partition_name": "gpu",
            "state": "idle",
            "count": 2
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
  "get_slurm_partition_timeseries": {
    "200": {
      "application/json": {
        "reply": {
          "partition_name": "gpu",
          "cpu_load": [
            {
              "timestamp": 1768467540,
              "value": 40
            }
          ],
          "free_memory": []
        }
      }
    }
  },
  "list_slurm_cpu_load": {
    "200": {
      "application/json": {
        "reply": [
          {
            "timestamp": 1768467540,
            "value": 41.5
          }
        ]
      }
    }
  },
  "get_slurm_memory_timeseries": {
    "200": {
      "application/json": {
        "reply": {
          "allocated_memory": [],
          "free_memory": [
            {
              "timestamp": 1768467540,
              "value": 3500000
            }
          ]
        }
      }
    }
  }
};
