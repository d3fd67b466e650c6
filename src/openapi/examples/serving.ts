// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const SERVING: Record<string, Replies> = {
  "create_profile": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "profile_revision": "4dfbfe73d25722b1eb74d9f5763d50c86d91efbcc2476dd89b9422f6142b862f",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "backend_url": "http://llama-8b.models.svc:8000",
          "hosting_mode": "checkpointed",
          "spec": {
            "engine_flags": [
              "--max-model-len=8192"
            ],
            "pricing": {
              "prompt_usd_per_mtok": 0.5,
              "completion_usd_per_mtok": 1.5
            },
            "endpoints": [
              "chat",
              "completions",
              "embeddings",
              "responses"
            ]
          },
          "engine_template": null,
          "estimated_cold_start_ms": 180000,
          "min_replicas": 0,
          "max_replicas": 4,
          "target_concurrency": 8,
          "max_queue_depth": 64,
          "scale_down_idle_seconds": 900
        }
      }
    },
    "201": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "profile_revision": "4dfbfe73d25722b1eb74d9f5763d50c86d91efbcc2476dd89b9422f6142b862f",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "backend_url": "http://llama-8b.models.svc:8000",
          "hosting_mode": "checkpointed",
          "spec": {
            "engine_flags": [
              "--max-model-len=8192"
            ],
            "pricing": {
              "prompt_usd_per_mtok": 0.5,
              "completion_usd_per_mtok": 1.5
            },
            "endpoints": [
              "chat",
              "completions",
              "embeddings",
              "responses"
            ]
          },
          "engine_template": null,
          "estimated_cold_start_ms": 180000,
          "min_replicas": 0,
          "max_replicas": 4,
          "target_concurrency": 8,
          "max_queue_depth": 64,
          "scale_down_idle_seconds": 900
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "profile_id is required; logical_model is required; exact_model is required; spec is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "profile_id is required; logical_model is required; exact_model is required; spec is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "profile_id",
              "message": "is required"
            },
            {
              "field": "logical_model",
              "message": "is required"
            },
            {
              "field": "exact_model",
              "message": "is required"
            },
            {
              "field": "spec",
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
        "profile_exists": {
          "type": "urn:checkpoint-control-plane:problem:profile_exists",
          "title": "Conflict",
          "status": 409,
          "detail": "Another profile has this id. Profiles do not change: choose another id.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "profile_exists",
          "message": "Another profile has this id. Profiles do not change: choose another id."
        }
      }
    }
  },
  "list_profiles": {
    "200": {
      "application/json": {
        "reply": [
          {
            "profile_id": "bge-small-cpu",
            "logical_model": "bge-small",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "profile_revision": "6816aa1149f89a2fc40a0566f86214ebcbc9574454919192c0ed38153362750a",
            "compatibility_key": "69958aa865033d6a1685593bbb481df1fa67ed6df95d8888f6dff00b26cfd7ee",
            "backend_url": "http://llama-8b.models.svc:8000",
            "hosting_mode": "standard",
            "spec": {
              "engine_flags": [
                "--max-model-len=8192"
              ],
              "pricing": {
                "prompt_usd_per_mtok": 0.5,
                "completion_usd_per_mtok": 1.5
              },
              "endpoints": [
                "chat",
                "completions",
                "embeddings",
                "responses"
              ]
            },
            "engine_template": null,
            "estimated_cold_start_ms": 180000,
            "min_replicas": 0,
            "max_replicas": 4,
            "target_concurrency": 8,
            "max_queue_depth": 64,
            "scale_down_idle_seconds": 900
          },
          {
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "profile_revision": "4dfbfe73d25722b1eb74d9f5763d50c86d91efbcc2476dd89b9422f6142b862f",
            "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
            "backend_url": "http://llama-8b.models.svc:8000",
            "hosting_mode": "checkpointed",
            "spec": {
              "engine_flags": [
                "--max-model-len=8192"
              ],
              "pricing": {
                "prompt_usd_per_mtok": 0.5,
                "completion_usd_per_mtok": 1.5
              },
              "endpoints": [
                "chat",
                "completions",
                "embeddings",
                "responses"
              ]
            },
            "engine_template": null,
            "estimated_cold_start_ms": 180000,
            "min_replicas": 0,
            "max_replicas": 4,
            "target_concurrency": 8,
            "max_queue_depth": 64,
            "scale_down_idle_seconds": 900
          },
          {
            "profile_id": "llama-8b-h100",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "profile_revision": "e0f6a8b8e4c53dfe53e379dfd64ef18eccefc1e74a9500b11707cfc77a2fb60c",
            "compatibility_key": "6abeba3aae0a993085c9574ac4b4eaf4ad9e26eee91d5527d752c24d387737f1",
            "backend_url": "http://llama-8b.models.svc:8000",
            "hosting_mode": "checkpointed",
            "spec": {
              "engine_flags": [
                "--max-model-len=8192"
              ],
              "pricing": {
                "prompt_usd_per_mtok": 0.5,
                "completion_usd_per_mtok": 1.5
              },
              "endpoints": [
                "chat",
                "completions",
                "embeddings",
                "responses"
              ]
            },
            "engine_template": null,
            "estimated_cold_start_ms": 180000,
            "min_replicas": 0,
            "max_replicas": 4,
            "target_concurrency": 8,
            "max_queue_depth": 64,
            "scale_down_idle_seconds": 900
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
  "get_profile": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "profile_revision": "4dfbfe73d25722b1eb74d9f5763d50c86d91efbcc2476dd89b9422f6142b862f",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "backend_url": "http://llama-8b.models.svc:8000",
          "hosting_mode": "checkpointed",
          "spec": {
            "engine_flags": [
              "--max-model-len=8192"
            ],
            "pricing": {
              "prompt_usd_per_mtok": 0.5,
              "completion_usd_per_mtok": 1.5
            },
            "endpoints": [
              "chat",
              "completions",
              "embeddings",
              "responses"
            ]
          },
          "engine_template": null,
          "estimated_cold_start_ms": 180000,
          "min_replicas": 0,
          "max_replicas": 4,
          "target_concurrency": 8,
          "max_queue_depth": 64,
          "scale_down_idle_seconds": 900
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
  "list_activations": {
    "200": {
      "application/json": {
        "reply": [
          {
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "hosting_mode": "checkpointed",
            "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
            "profile_revision": "4dfbfe73d25722b1eb74d9f5763d50c86d91efbcc2476dd89b9422f6142b862f",
            "desired_state": "Active",
            "phase": "Ready",
            "estimated_cold_start_ms": 180000,
            "observed_generation": 1,
            "ready": true,
            "updated_at": "2026-01-15T09:00:00.000Z",
            "endpoint": "http://127.0.0.1:8000",
            "activation_started_at": "2026-01-15T09:00:00.000Z",
            "ready_at": "2026-01-15T09:00:00.000Z"
          },
          {
            "profile_id": "llama-8b-h100",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "hosting_mode": "checkpointed",
            "compatibility_key": "6abeba3aae0a993085c9574ac4b4eaf4ad9e26eee91d5527d752c24d387737f1",
            "profile_revision": "e0f6a8b8e4c53dfe53e379dfd64ef18eccefc1e74a9500b11707cfc77a2fb60c",
            "desired_state": "Active",
            "phase": "Pending",
            "estimated_cold_start_ms": 180000,
            "observed_generation": 0,
            "ready": false,
            "updated_at": "2026-01-15T09:00:00.000Z",
            "endpoint": null,
            "activation_started_at": "2026-01-15T09:00:00.000Z",
            "ready_at": null,
            "cluster_id": "01932c00-0000-7000-8000-000000000001"
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
  "report_activation": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "profile_id is required; desired_state is required; phase is required; ready is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "profile_id is required; desired_state is required; phase is required; ready is required",
          "errors": [
            {
              "field": "profile_id",
              "message": "is required"
            },
            {
              "field": "desired_state",
              "message": "is required"
            },
            {
              "field": "phase",
              "message": "is required"
            },
            {
              "field": "ready",
              "message": "is required"
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
        },
        "cluster_not_found": {
          "type": "urn:checkpoint-control-plane:problem:cluster_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such cluster.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "cluster_not_found",
          "message": "No such cluster."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "profile_held": {
          "type": "urn:checkpoint-control-plane:problem:profile_held",
          "title": "Conflict",
          "status": 409,
          "detail": "The cluster 01932c00-0000-7000-8000-000000000001 runs the workers of the profile. It holds the profile until it reports Suspended, or nothing for 90 seconds.",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "profile_held",
          "message": "The cluster 01932c00-0000-7000-8000-000000000001 runs the workers of the profile. It holds the profile until it reports Suspended, or nothing for 90 seconds."
        }
      }
    }
  },
  "put_worker_endpoint": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "metrics_url is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "metrics_url is required",
          "errors": [
            {
              "field": "metrics_url",
              "message": "is required"
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
  "set_profile_state": {
    "202": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "profile_id": "llama-8b-a10g",
          "desired_state": "Active",
          "desired_replicas": 1,
          "status": "Pending",
          "generation": 1,
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "requested_at": "2026-01-15T09:00:00.000Z",
          "deadline": "2026-01-15T09:00:00.000Z"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "desired_state is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "desired_state is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "desired_state",
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
    },
    "409": {
      "application/problem+json": {
        "fleet_budget_exceeded": {
          "type": "urn:checkpoint-control-plane:problem:fleet_budget_exceeded",
          "title": "Conflict",
          "status": 409,
          "detail": "The nodes of the fleet \"01932c00-0000-7000-8000-000000000001\" may cost 12.5 US dollars an hour: 100 are committed, and it would be 200.",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "fleet_budget_exceeded",
          "message": "The nodes of the fleet \"01932c00-0000-7000-8000-000000000001\" may cost 12.5 US dollars an hour: 100 are committed, and it would be 200."
        }
      }
    }
  },
  "list_capacity_intents": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "profile_id": "llama-8b-a10g",
            "desired_state": "Active",
            "desired_replicas": 1,
            "status": "Fulfilled",
            "generation": 1,
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z",
            "requested_at": "2026-01-15T09:00:00.000Z",
            "deadline": "2026-01-15T09:00:00.000Z"
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
  "list_artifacts": {
    "200": {
      "application/json": {
        "reply": [
          {
            "artifact_id": "llama-8b-a10g-0002",
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "hosting_mode": "checkpointed",
            "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
            "checkpoint_mode": "criu",
            "storage_tier": "shared",
            "uri": "s3://checkpoints/llama-8b-a10g/0002",
            "source": "controller",
            "status": "ready",
            "restore_count": 0,
            "metadata": {
              "node_name": "gpu-node-1",
              "node_boot_id": "01932c00-0000-7000-8000-000000000001",
              "machine": {
                "architecture": "x86_64",
                "criu": "4.2.1",
                "kernel_features": [
                  "inotify",
                  "ipv6"
                ],
                "libc": "glibc 2.36"
              }
            },
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z",
            "checksum": null,
            "parent_artifact_id": "llama-8b-a10g-0001",
            "logical_bytes": null,
            "physical_bytes": 17179869184,
            "reused_bytes": null,
            "written_bytes": null,
            "last_restored_at": null,
            "observed_restores": 0,
            "observed_restore_attempts": 0,
            "bytes_removed_at": null,
            "residency": {
              "state": "restorable",
              "reason": "It is ready on the shared tier, which outlives reboots.",
              "boot_tied": false,
              "original_tier": null,
              "copy_lost": false,
              "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
              "node_boot_id": "01932c00-0000-7000-8000-000000000002",
              "node_name": "gpu-node-1",
              "node_status": "Ready",
              "node_last_sync": "2026-01-15T09:00:00.000Z",
              "flags_verified": null
            }
          },
          {
            "artifact_id": "llama-8b-a10g-0001",
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "hosting_mode": "checkpointed",
            "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
            "checkpoint_mode": "criu",
            "storage_tier": "shared",
            "uri": "s3://checkpoints/llama-8b-a10g/0001",
            "source": "controller",
            "status": "ready",
            "restore_count": 0,
            "metadata": {
              "node_name": "gpu-node-1",
              "node_boot_id": "01932c00-0000-7000-8000-000000000001",
              "machine": {
                "architecture": "x86_64",
                "criu": "4.2.1",
                "kernel_features": [
                  "inotify",
                  "ipv6"
                ],
                "libc": "glibc 2.36"
              }
            },
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z",
            "checksum": null,
            "parent_artifact_id": null,
            "logical_bytes": null,
            "physical_bytes": 17179869184,
            "reused_bytes": null,
            "written_bytes": null,
            "last_restored_at": null,
            "observed_restores": 0,
            "observed_restore_attempts": 0,
            "bytes_removed_at": null,
            "residency": {
              "state": "restorable",
              "reason": "It is ready on the shared tier, which outlives reboots.",
              "boot_tied": false,
              "original_tier": null,
              "copy_lost": false,
              "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
              "node_boot_id": "01932c00-0000-7000-8000-000000000002",
              "node_name": "gpu-node-1",
              "node_status": "Ready",
              "node_last_sync": "2026-01-15T09:00:00.000Z",
              "flags_verified": null
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
  "register_artifact": {
    "200": {
      "application/json": {
        "reply": {
          "artifact_id": "llama-8b-a10g-0001",
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "hosting_mode": "checkpointed",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_mode": "criu",
          "storage_tier": "shared",
          "uri": "s3://checkpoints/llama-8b-a10g/0001",
          "source": "controller",
          "status": "ready",
          "restore_count": 0,
          "metadata": {
            "node_name": "gpu-node-1",
            "node_boot_id": "01932c00-0000-7000-8000-000000000001",
            "machine": {
              "architecture": "x86_64",
              "criu": "4.2.1",
              "kernel_features": [
                "inotify",
                "ipv6"
              ],
              "libc": "glibc 2.36"
            }
          },
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "checksum": null,
          "parent_artifact_id": null,
          "logical_bytes": null,
          "physical_bytes": 17179869184,
          "reused_bytes": null,
          "written_bytes": null,
          "last_restored_at": null,
          "observed_restores": 0,
          "observed_restore_attempts": 0,
          "bytes_removed_at": null,
          "residency": {
            "state": "restorable",
            "reason": "It is ready on the shared tier, which outlives reboots.",
            "boot_tied": false,
            "original_tier": null,
            "copy_lost": false,
            "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
            "node_boot_id": "01932c00-0000-7000-8000-000000000002",
            "node_name": "gpu-node-1",
            "node_status": "Ready",
            "node_last_sync": "2026-01-15T09:00:00.000Z",
            "flags_verified": null
          }
        }
      }
    },
    "201": {
      "application/json": {
        "reply": {
          "artifact_id": "llama-8b-a10g-0001",
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "hosting_mode": "checkpointed",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_mode": "criu",
          "storage_tier": "shared",
          "uri": "s3://checkpoints/llama-8b-a10g/0001",
          "source": "controller",
          "status": "ready",
          "restore_count": 0,
          "metadata": {
            "node_name": "gpu-node-1",
            "node_boot_id": "01932c00-0000-7000-8000-000000000001",
            "machine": {
              "architecture": "x86_64",
              "criu": "4.2.1",
              "kernel_features": [
                "inotify",
                "ipv6"
              ],
              "libc": "glibc 2.36"
            }
          },
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "checksum": null,
          "parent_artifact_id": null,
          "logical_bytes": null,
          "physical_bytes": 17179869184,
          "reused_bytes": null,
          "written_bytes": null,
          "last_restored_at": null,
          "observed_restores": 0,
          "observed_restore_attempts": 0,
          "bytes_removed_at": null,
          "residency": {
            "state": "restorable",
            "reason": "It is ready on the shared tier, which outlives reboots.",
            "boot_tied": false,
            "original_tier": null,
            "copy_lost": false,
            "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
            "node_boot_id": "01932c00-0000-7000-8000-000000000002",
            "node_name": "gpu-node-1",
            "node_status": "Ready",
            "node_last_sync": "2026-01-15T09:00:00.000Z",
            "flags_verified": null
          }
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_parent_artifact_id": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "parent_artifact_id names no artifact",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "parent_artifact_id names no artifact",
          "errors": [
            {
              "field": "parent_artifact_id",
              "message": "names no artifact"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "artifact_id is required; checkpoint_mode is required; compatibility_key is required; profile_id is required; uri is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "artifact_id is required; checkpoint_mode is required; compatibility_key is required; profile_id is required; uri is required",
          "errors": [
            {
              "field": "artifact_id",
              "message": "is required"
            },
            {
              "field": "checkpoint_mode",
              "message": "is required"
            },
            {
              "field": "compatibility_key",
              "message": "is required"
            },
            {
              "field": "profile_id",
              "message": "is required"
            },
            {
              "field": "uri",
              "message": "is required"
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
    },
    "409": {
      "application/problem+json": {
        "artifact_exists": {
          "type": "urn:checkpoint-control-plane:problem:artifact_exists",
          "title": "Conflict",
          "status": 409,
          "detail": "An artifact of this id is registered with another uri.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_exists",
          "message": "An artifact of this id is registered with another uri."
        }
      }
    }
  },
  "lookup_artifacts": {
    "200": {
      "application/json": {
        "reply": [
          {
            "artifact": {
              "artifact_id": "llama-8b-a10g-0002",
              "profile_id": "llama-8b-a10g",
              "logical_model": "llama-8b",
              "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
              "hosting_mode": "checkpointed",
              "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
              "checkpoint_mode": "criu",
              "storage_tier": "shared",
              "uri": "s3://checkpoints/llama-8b-a10g/0002",
              "source": "controller",
              "status": "ready",
              "restore_count": 0,
              "metadata": {
                "node_name": "gpu-node-1",
                "node_boot_id": "01932c00-0000-7000-8000-000000000001",
                "machine": {
                  "architecture": "x86_64",
                  "criu": "4.2.1",
                  "kernel_features": [
                    "inotify",
                    "ipv6"
                  ],
                  "libc": "glibc 2.36"
                }
              },
              "created_at": "2026-01-15T09:00:00.000Z",
              "updated_at": "2026-01-15T09:00:00.000Z",
              "checksum": null,
              "parent_artifact_id": "llama-8b-a10g-0001",
              "logical_bytes": null,
              "physical_bytes": 17179869184,
              "reused_bytes": null,
              "written_bytes": null,
              "last_restored_at": null,
              "observed_restores": 0,
              "observed_restore_attempts": 0,
              "bytes_removed_at": null,
              "residency": {
                "state": "restorable",
                "reason": "It is ready on the shared tier, which outlives reboots.",
                "boot_tied": false,
                "original_tier": null,
                "copy_lost": false,
                "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
                "node_boot_id": "01932c00-0000-7000-8000-000000000002",
                "node_name": "gpu-node-1",
                "node_status": "Ready",
                "node_last_sync": "2026-01-15T09:00:00.000Z",
                "flags_verified": null
              }
            },
            "restorable": false,
            "mismatches": [
              {
                "property": "kernel_features",
                "artifact_value": [
                  "inotify"
                ],
                "wanted_value": [],
                "severity": "block"
              },
              {
                "property": "libc",
                "artifact_value": "glibc 2.36",
                "wanted_value": "glibc 2.41",
                "severity": "warn"
              }
            ]
          },
          {
            "artifact": {
              "artifact_id": "llama-8b-a10g-0001",
              "profile_id": "llama-8b-a10g",
              "logical_model": "llama-8b",
              "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
              "hosting_mode": "checkpointed",
              "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
              "checkpoint_mode": "criu",
              "storage_tier": "shared",
              "uri": "s3://checkpoints/llama-8b-a10g/0001",
              "source": "controller",
              "status": "ready",
              "restore_count": 0,
              "metadata": {
                "node_name": "gpu-node-1",
                "node_boot_id": "01932c00-0000-7000-8000-000000000001",
                "machine": {
                  "architecture": "x86_64",
                  "criu": "4.2.1",
                  "kernel_features": [
                    "inotify",
                    "ipv6"
                  ],
                  "libc": "glibc 2.36"
                }
              },
              "created_at": "2026-01-15T09:00:00.000Z",
              "updated_at": "2026-01-15T09:00:00.000Z",
              "checksum": null,
              "parent_artifact_id": null,
              "logical_bytes": null,
              "physical_bytes": 17179869184,
              "reused_bytes": null,
              "written_bytes": null,
              "last_restored_at": null,
              "observed_restores": 0,
              "observed_restore_attempts": 0,
              "bytes_removed_at": null,
              "residency": {
                "state": "restorable",
                "reason": "It is ready on the shared tier, which outlives reboots.",
                "boot_tied": false,
                "original_tier": null,
                "copy_lost": false,
                "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
                "node_boot_id": "01932c00-0000-7000-8000-000000000002",
                "node_name": "gpu-node-1",
                "node_status": "Ready",
                "node_last_sync": "2026-01-15T09:00:00.000Z",
                "flags_verified": null
              }
            },
            "restorable": false,
            "mismatches": [
              {
                "property": "kernel_features",
                "artifact_value": [
                  "inotify"
                ],
                "wanted_value": [],
                "severity": "block"
              },
              {
                "property": "libc",
                "artifact_value": "glibc 2.36",
                "wanted_value": "glibc 2.41",
                "severity": "warn"
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
  "get_artifact": {
    "200": {
      "application/json": {
        "reply": {
          "artifact_id": "llama-8b-a10g-0001",
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "hosting_mode": "checkpointed",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_mode": "criu",
          "storage_tier": "shared",
          "uri": "s3://checkpoints/llama-8b-a10g/0001",
          "source": "controller",
          "status": "ready",
          "restore_count": 0,
          "metadata": {
            "node_name": "gpu-node-1",
            "node_boot_id": "01932c00-0000-7000-8000-000000000001",
            "machine": {
              "architecture": "x86_64",
              "criu": "4.2.1",
              "kernel_features": [
                "inotify",
                "ipv6"
              ],
              "libc": "glibc 2.36"
            }
          },
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "checksum": null,
          "parent_artifact_id": null,
          "logical_bytes": null,
          "physical_bytes": 17179869184,
          "reused_bytes": null,
          "written_bytes": null,
          "last_restored_at": null,
          "observed_restores": 0,
          "observed_restore_attempts": 0,
          "bytes_removed_at": null,
          "residency": {
            "state": "restorable",
            "reason": "It is ready on the shared tier, which outlives reboots.",
            "boot_tied": false,
            "original_tier": null,
            "copy_lost": false,
            "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
            "node_boot_id": "01932c00-0000-7000-8000-000000000002",
            "node_name": "gpu-node-1",
            "node_status": "Ready",
            "node_last_sync": "2026-01-15T09:00:00.000Z",
            "flags_verified": null
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "artifact_not_found": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_found",
          "message": "No such artifact."
        }
      }
    }
  },
  "delete_artifact": {
    "200": {
      "application/json": {
        "reply": {
          "artifact_id": "llama-8b-a10g-0003",
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "hosting_mode": "checkpointed",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_mode": "criu",
          "storage_tier": "shared",
          "uri": "s3://checkpoints/llama-8b-a10g/0003",
          "source": "controller",
          "status": "deleted",
          "restore_count": 0,
          "metadata": {},
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "checksum": null,
          "parent_artifact_id": null,
          "logical_bytes": null,
          "physical_bytes": null,
          "reused_bytes": null,
          "written_bytes": null,
          "last_restored_at": null,
          "observed_restores": 0,
          "observed_restore_attempts": 0,
          "bytes_removed_at": null,
          "residency": {
            "state": "deleted",
            "reason": "It was deleted.",
            "boot_tied": false,
            "original_tier": null,
            "copy_lost": false,
            "artifact_boot_id": null,
            "node_boot_id": null,
            "node_name": null,
            "node_status": null,
            "node_last_sync": null,
            "flags_verified": null
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "artifact_not_found": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_found",
          "message": "No such artifact."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "artifact_has_children": {
          "type": "urn:checkpoint-control-plane:problem:artifact_has_children",
          "title": "Conflict",
          "status": 409,
          "detail": "The artifact llama-8b-a10g-0002 needs this one. Deleting it needs force=true.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_has_children",
          "message": "The artifact llama-8b-a10g-0002 needs this one. Deleting it needs force=true."
        },
        "artifact_golden": {
          "type": "urn:checkpoint-control-plane:problem:artifact_golden",
          "title": "Conflict",
          "status": 409,
          "detail": "The artifact is golden. Deleting it needs force=true.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_golden",
          "message": "The artifact is golden. Deleting it needs force=true."
        }
      }
    }
  },
  "update_artifact": {
    "200": {
      "application/json": {
        "reply": {
          "artifact_id": "llama-8b-a10g-0002",
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "hosting_mode": "checkpointed",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_mode": "criu",
          "storage_tier": "shared",
          "uri": "s3://checkpoints/llama-8b-a10g/0002",
          "source": "controller",
          "status": "golden",
          "restore_count": 0,
          "metadata": {
            "node_name": "gpu-node-1",
            "node_boot_id": "01932c00-0000-7000-8000-000000000001",
            "machine": {
              "architecture": "x86_64",
              "criu": "4.2.1",
              "kernel_features": [
                "inotify",
                "ipv6"
              ],
              "libc": "glibc 2.36"
            }
          },
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "checksum": null,
          "parent_artifact_id": "llama-8b-a10g-0001",
          "logical_bytes": null,
          "physical_bytes": 17179869184,
          "reused_bytes": null,
          "written_bytes": null,
          "last_restored_at": null,
          "observed_restores": 0,
          "observed_restore_attempts": 0,
          "bytes_removed_at": null,
          "residency": {
            "state": "restorable",
            "reason": "It is golden on the shared tier, which outlives reboots.",
            "boot_tied": false,
            "original_tier": null,
            "copy_lost": false,
            "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
            "node_boot_id": "01932c00-0000-7000-8000-000000000002",
            "node_name": "gpu-node-1",
            "node_status": "Ready",
            "node_last_sync": "2026-01-15T09:00:00.000Z",
            "flags_verified": null
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
          "detail": "status must be one of ready, golden, quarantined, expired",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "status must be one of ready, golden, quarantined, expired",
          "errors": [
            {
              "field": "status",
              "message": "must be one of ready, golden, quarantined, expired"
            }
          ]
        }
      }
    },
    "403": {
      "application/problem+json": {
        "forbidden": {
          "type": "urn:checkpoint-control-plane:problem:forbidden",
          "title": "Forbidden",
          "status": 403,
          "detail": "Only operators may set status golden.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "forbidden",
          "message": "Only operators may set status golden."
        }
      }
    },
    "404": {
      "application/problem+json": {
        "artifact_not_found": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_found",
          "message": "No such artifact."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "artifact_deleted": {
          "type": "urn:checkpoint-control-plane:problem:artifact_deleted",
          "title": "Conflict",
          "status": 409,
          "detail": "The artifact is deleted, which is final.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_deleted",
          "message": "The artifact is deleted, which is final."
        },
        "no_promotion_pending": {
          "type": "urn:checkpoint-control-plane:problem:no_promotion_pending",
          "title": "Conflict",
          "status": 409,
          "detail": "No promotion of the artifact is pending.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "no_promotion_pending",
          "message": "No promotion of the artifact is pending."
        },
        "artifact_expired": {
          "type": "urn:checkpoint-control-plane:problem:artifact_expired",
          "title": "Conflict",
          "status": 409,
          "detail": "The bytes of the artifact have expired. Only a controller may report them as ready again.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_expired",
          "message": "The bytes of the artifact have expired. Only a controller may report them as ready again."
        }
      }
    }
  },
  "confirm_artifact_removal": {
    "404": {
      "application/problem+json": {
        "artifact_not_found": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_found",
          "message": "No such artifact."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "artifact_not_gone": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_gone",
          "title": "Conflict",
          "status": 409,
          "detail": "The artifact is ready. Only the removal of a deleted or expired one can be confirmed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_gone",
          "message": "The artifact is ready. Only the removal of a deleted or expired one can be confirmed."
        }
      }
    }
  },
  "list_artifact_ancestry": {
    "200": {
      "application/json": {
        "reply": [
          {
            "artifact_id": "llama-8b-a10g-0001",
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "hosting_mode": "checkpointed",
            "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
            "checkpoint_mode": "criu",
            "storage_tier": "shared",
            "uri": "s3://checkpoints/llama-8b-a10g/0001",
            "source": "controller",
            "status": "ready",
            "restore_count": 0,
            "metadata": {
              "node_name": "gpu-node-1",
              "node_boot_id": "01932c00-0000-7000-8000-000000000001",
              "machine": {
                "architecture": "x86_64",
                "criu": "4.2.1",
                "kernel_features": [
                  "inotify",
                  "ipv6"
                ],
                "libc": "glibc 2.36"
              }
            },
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z",
            "checksum": null,
            "parent_artifact_id": null,
            "logical_bytes": null,
            "physical_bytes": 17179869184,
            "reused_bytes": null,
            "written_bytes": null,
            "last_restored_at": null,
            "observed_restores": 0,
            "observed_restore_attempts": 0,
            "bytes_removed_at": null,
            "residency": {
              "state": "restorable",
              "reason": "It is ready on the shared tier, which outlives reboots.",
              "boot_tied": false,
              "original_tier": null,
              "copy_lost": false,
              "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
              "node_boot_id": "01932c00-0000-7000-8000-000000000002",
              "node_name": "gpu-node-1",
              "node_status": "Ready",
              "node_last_sync": "2026-01-15T09:00:00.000Z",
              "flags_verified": null
            }
          },
          {
            "artifact_id": "llama-8b-a10g-0002",
            "profile_id": "llama-8b-a10g",
            "logical_model": "llama-8b",
            "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
            "hosting_mode": "checkpointed",
            "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
            "checkpoint_mode": "criu",
            "storage_tier": "shared",
            "uri": "s3://checkpoints/llama-8b-a10g/0002",
            "source": "controller",
            "status": "ready",
            "restore_count": 0,
            "metadata": {
              "node_name": "gpu-node-1",
              "node_boot_id": "01932c00-0000-7000-8000-000000000001",
              "machine": {
                "architecture": "x86_64",
                "criu": "4.2.1",
                "kernel_features": [
                  "inotify",
                  "ipv6"
                ],
                "libc": "glibc 2.36"
              }
            },
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z",
            "checksum": null,
            "parent_artifact_id": "llama-8b-a10g-0001",
            "logical_bytes": null,
            "physical_bytes": 17179869184,
            "reused_bytes": null,
            "written_bytes": null,
            "last_restored_at": null,
            "observed_restores": 0,
            "observed_restore_attempts": 0,
            "bytes_removed_at": null,
            "residency": {
              "state": "restorable",
              "reason": "It is ready on the shared tier, which outlives reboots.",
              "boot_tied": false,
              "original_tier": null,
              "copy_lost": false,
              "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
              "node_boot_id": "01932c00-0000-7000-8000-000000000002",
              "node_name": "gpu-node-1",
              "node_status": "Ready",
              "node_last_sync": "2026-01-15T09:00:00.000Z",
              "flags_verified": null
            }
          }
        ]
      }
    },
    "404": {
      "application/problem+json": {
        "artifact_not_found": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_found",
          "message": "No such artifact."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "ancestry_too_large": {
          "type": "urn:checkpoint-control-plane:problem:ancestry_too_large",
          "title": "Conflict",
          "status": 409,
          "detail": "The chain of the artifact is too large for one answer. Read its parents one by one.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "ancestry_too_large",
          "message": "The chain of the artifact is too large for one answer. Read its parents one by one."
        }
      }
    }
  },
  "promote_artifact": {
    "200": {
      "application/json": {
        "reply": {
          "artifact_id": "llama-8b-a10g-0001",
          "profile_id": "llama-8b-a10g",
          "logical_model": "llama-8b",
          "exact_model": "meta-llama/Llama-3.1-8B-Instruct",
          "hosting_mode": "checkpointed",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_mode": "criu",
          "storage_tier": "local",
          "uri": "s3://checkpoints/llama-8b-a10g/0001",
          "source": "controller",
          "status": "ready",
          "restore_count": 0,
          "metadata": {
            "node_name": "gpu-node-1",
            "node_boot_id": "01932c00-0000-7000-8000-000000000001",
            "machine": {
              "architecture": "x86_64",
              "criu": "4.2.1",
              "kernel_features": [
                "inotify",
                "ipv6"
              ],
              "libc": "glibc 2.36"
            },
            "promotion": {
              "from": "shared",
              "requested_at": "2026-01-15T09:00:00.000Z",
              "deadline": "2026-01-15T09:00:00.000Z",
              "state": "pending"
            }
          },
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "checksum": null,
          "parent_artifact_id": null,
          "logical_bytes": null,
          "physical_bytes": 17179869184,
          "reused_bytes": null,
          "written_bytes": null,
          "last_restored_at": null,
          "observed_restores": 0,
          "observed_restore_attempts": 0,
          "bytes_removed_at": null,
          "residency": {
            "state": "restorable",
            "reason": "It is ready on the shared tier, which outlives reboots.",
            "boot_tied": false,
            "original_tier": null,
            "copy_lost": false,
            "artifact_boot_id": "01932c00-0000-7000-8000-000000000001",
            "node_boot_id": "01932c00-0000-7000-8000-000000000002",
            "node_name": "gpu-node-1",
            "node_status": "Ready",
            "node_last_sync": "2026-01-15T09:00:00.000Z",
            "flags_verified": null
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
          "detail": "tier must be hotter than local: memory",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "tier must be hotter than local: memory",
          "errors": [
            {
              "field": "tier",
              "message": "must be hotter than local: memory"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "artifact_not_found": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_found",
          "message": "No such artifact."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "artifact_not_usable": {
          "type": "urn:checkpoint-control-plane:problem:artifact_not_usable",
          "title": "Conflict",
          "status": 409,
          "detail": "The artifact is deleted. Only a ready or golden artifact can be promoted.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "artifact_not_usable",
          "message": "The artifact is deleted. Only a ready or golden artifact can be promoted."
        }
      }
    }
  },
  "get_profile_hosting": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "hosting_mode": "checkpointed",
          "profile_revision": "4dfbfe73d25722b1eb74d9f5763d50c86d91efbcc2476dd89b9422f6142b862f",
          "compatibility_key": "607182dabe20d441f3a8dc90431e2d977cdeba6f95c4d6e0514da507e209ece2",
          "checkpoint_owner": "controller",
          "cpu_fixture": false,
          "engine_template": null,
          "checkpoint_request": {
            "profile_id": "llama-8b-a10g",
            "kind": "checkpoint",
            "request_id": "01932c00-0000-7000-8000-000000000001",
            "status": "pending",
            "replace_existing": true,
            "requested_at": "2026-01-15T09:00:00.000Z",
            "started_at": null,
            "completed_at": null,
            "artifact_id": null,
            "error": null,
            "reason": "before the upgrade"
          }
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
  "restart_profile": {
    "202": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "kind": "restart",
          "request_id": "01932c00-0000-7000-8000-000000000001",
          "status": "pending",
          "replace_existing": true,
          "requested_at": "2026-01-15T09:00:00.000Z",
          "started_at": null,
          "completed_at": null,
          "artifact_id": null,
          "error": null,
          "reason": null
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
    },
    "409": {
      "application/problem+json": {
        "nothing_to_restore": {
          "type": "urn:checkpoint-control-plane:problem:nothing_to_restore",
          "title": "Conflict",
          "status": 409,
          "detail": "The profile has no artifact that can be restored where its workers run.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "nothing_to_restore",
          "message": "The profile has no artifact that can be restored where its workers run."
        }
      }
    }
  },
  "request_profile_checkpoint": {
    "202": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "kind": "checkpoint",
          "request_id": "01932c00-0000-7000-8000-000000000001",
          "status": "pending",
          "replace_existing": true,
          "requested_at": "2026-01-15T09:00:00.000Z",
          "started_at": null,
          "completed_at": null,
          "artifact_id": null,
          "error": null,
          "reason": "before the upgrade"
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
    },
    "409": {
      "application/problem+json": {
        "profile_does_not_checkpoint": {
          "type": "urn:checkpoint-control-plane:problem:profile_does_not_checkpoint",
          "title": "Conflict",
          "status": 409,
          "detail": "Workers of the profile are not checkpointed: see its hosting_mode and spec.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "profile_does_not_checkpoint",
          "message": "Workers of the profile are not checkpointed: see its hosting_mode and spec."
        }
      }
    }
  },
  "get_profile_checkpoint": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "kind": "checkpoint",
          "request_id": "01932c00-0000-7000-8000-000000000001",
          "status": "succeeded",
          "replace_existing": true,
          "requested_at": "2026-01-15T09:00:00.000Z",
          "started_at": "2026-01-15T09:00:00.000Z",
          "completed_at": "2026-01-15T09:00:00.000Z",
          "artifact_id": "llama-8b-a10g-0001",
          "error": null,
          "reason": "before the upgrade"
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_request_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_request_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No checkpoint or restart of the profile was ever requested.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_request_not_found",
          "message": "No checkpoint or restart of the profile was ever requested."
        }
      }
    }
  },
  "update_profile_checkpoint": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "kind": "checkpoint",
          "request_id": "01932c00-0000-7000-8000-000000000001",
          "status": "succeeded",
          "replace_existing": true,
          "requested_at": "2026-01-15T09:00:00.000Z",
          "started_at": "2026-01-15T09:00:00.000Z",
          "completed_at": "2026-01-15T09:00:00.000Z",
          "artifact_id": "llama-8b-a10g-0001",
          "error": null,
          "reason": "before the upgrade"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "request_id is required; status is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "request_id is required; status is required",
          "errors": [
            {
              "field": "request_id",
              "message": "is required"
            },
            {
              "field": "status",
              "message": "is required"
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
    },
    "409": {
      "application/problem+json": {
        "another_attempt": {
          "type": "urn:checkpoint-control-plane:problem:another_attempt",
          "title": "Conflict",
          "status": 409,
          "detail": "The report is not about the last attempt; nothing was changed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "another_attempt",
          "message": "The report is not about the last attempt; nothing was changed."
        },
        "another_artifact": {
          "type": "urn:checkpoint-control-plane:problem:another_artifact",
          "title": "Conflict",
          "status": 409,
          "detail": "The attempt has already produced another artifact.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "another_artifact",
          "message": "The attempt has already produced another artifact."
        },
        "checkpoint_request_state_conflict": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_request_state_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "The attempt is succeeded; it cannot become failed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_request_state_conflict",
          "message": "The attempt is succeeded; it cannot become failed."
        }
      }
    }
  },
  "list_lifecycle_events": {
    "200": {
      "application/json": {
        "reply": [
          {
            "event_id": "01932c00-0000-7000-8000-000000000001",
            "kind": "worker.restoring",
            "occurred_at": "2026-01-15T08:59:30.000Z",
            "payload": {
              "restore_checkpoint_path": "s3://checkpoints/llama-8b-a10g/0001"
            },
            "generation": null,
            "sequence": null,
            "profile_id": "llama-8b-a10g"
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
  "record_lifecycle_event": {
    "400": {
      "application/problem+json": {
        "validation_failed_schema_version": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "schema_version must be 1",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "schema_version must be 1",
          "errors": [
            {
              "field": "schema_version",
              "message": "must be 1"
            }
          ]
        },
        "validation_failed_kind": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "kind must be one of worker.scheduled, worker.pulling, worker.restoring, worker.loading, worker.warming, model.weights_ready, model.ready, worker.draining, worker.stopped, worker.failed, checkpoint.started, checkpoint.completed, checkpoint.failed, restore.started, restore.completed, restore.failed, route.published, route.withdrawn, node.booted",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "kind must be one of worker.scheduled, worker.pulling, worker.restoring, worker.loading, worker.warming, model.weights_ready, model.ready, worker.draining, worker.stopped, worker.failed, checkpoint.started, checkpoint.completed, checkpoint.failed, restore.started, restore.completed, restore.failed, route.published, route.withdrawn, node.booted",
          "errors": [
            {
              "field": "kind",
              "message": "must be one of worker.scheduled, worker.pulling, worker.restoring, worker.loading, worker.warming, model.weights_ready, model.ready, worker.draining, worker.stopped, worker.failed, checkpoint.started, checkpoint.completed, checkpoint.failed, restore.started, restore.completed, restore.failed, route.published, route.withdrawn, node.booted"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "schema_version is required; event_id is required; occurred_at is required; cluster_id is required; profile_id is required; and 1 more",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "schema_version is required; event_id is required; occurred_at is required; cluster_id is required; profile_id is required; and 1 more",
          "errors": [
            {
              "field": "schema_version",
              "message": "is required"
            },
            {
              "field": "event_id",
              "message": "is required"
            },
            {
              "field": "occurred_at",
              "message": "is required"
            },
            {
              "field": "cluster_id",
              "message": "is required"
            },
            {
              "field": "profile_id",
              "message": "is required"
            },
            {
              "field": "kind",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "cluster_not_found": {
          "type": "urn:checkpoint-control-plane:problem:cluster_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such cluster.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "cluster_not_found",
          "message": "No such cluster."
        },
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
    },
    "409": {
      "application/problem+json": {
        "event_seen": {
          "type": "urn:checkpoint-control-plane:problem:event_seen",
          "title": "Conflict",
          "status": 409,
          "detail": "An event with this id was recorded before; nothing was changed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "event_seen",
          "message": "An event with this id was recorded before; nothing was changed."
        }
      }
    }
  },
  "list_observations": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "observation_key": "restore-0001",
            "event_type": "restore",
            "evidence": "measured",
            "source": "controller",
            "started_at": "2026-01-15T08:59:40.000Z",
            "profile_id": "llama-8b-a10g",
            "experiment_id": "01932c00-0000-7000-8000-000000000002",
            "duration_ms": 5000,
            "ttft_ms": null,
            "prompt_tokens": null,
            "completion_tokens": null,
            "logical_bytes": null,
            "physical_bytes": null,
            "success": true,
            "fallback_used": null,
            "deadline_missed": null
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
  "record_observation": {
    "201": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "observation_key": "restore-0001",
          "event_type": "restore",
          "evidence": "measured",
          "source": "controller",
          "started_at": "2026-01-15T08:59:40.000Z",
          "profile_id": "llama-8b-a10g",
          "experiment_id": "01932c00-0000-7000-8000-000000000002",
          "duration_ms": 5000
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "observation_key is required; event_type is required; evidence is required; source is required; started_at is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "observation_key is required; event_type is required; evidence is required; source is required; started_at is required",
          "errors": [
            {
              "field": "observation_key",
              "message": "is required"
            },
            {
              "field": "event_type",
              "message": "is required"
            },
            {
              "field": "evidence",
              "message": "is required"
            },
            {
              "field": "source",
              "message": "is required"
            },
            {
              "field": "started_at",
              "message": "is required"
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
  "list_retention_policies": {
    "200": {
      "application/json": {
        "reply": [
          {
            "policy_id": "01932c00-0000-7000-8000-000000000001",
            "name": "a week, but five of each",
            "enabled": true,
            "max_age_days": 7,
            "max_count": 5,
            "min_tier": "shared",
            "profile_id": null
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
  "save_retention_policy": {
    "200": {
      "application/json": {
        "reply": {
          "policy_id": "01932c00-0000-7000-8000-000000000001",
          "name": "a week, but five of each",
          "enabled": true,
          "max_age_days": 7,
          "max_count": 5,
          "min_tier": "shared",
          "profile_id": null
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
  "preview_retention": {
    "200": {
      "application/json": {
        "reply": [
          {
            "artifact_id": "llama-8b-a10g-0002",
            "decision": "keep",
            "reason": "It is golden.",
            "policy_id": null
          },
          {
            "artifact_id": "llama-8b-a10g-0001",
            "decision": "keep",
            "reason": "A worker is running from it.",
            "policy_id": null
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
  "delete_retention_policy": {
    "404": {
      "application/problem+json": {
        "retention_policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:retention_policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such retention policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "retention_policy_not_found",
          "message": "No such retention policy."
        }
      }
    }
  },
  "get_profile_progress": {
    "200": {
      "application/json": {
        "reply": {
          "profile_id": "llama-8b-a10g",
          "ready": true,
          "phase": "Ready",
          "activation_started_at": "2026-01-15T08:59:30.000Z",
          "ready_at": "2026-01-15T09:00:00.000Z",
          "cold_start_ms": null,
          "restore_checkpoint_path": "s3://checkpoints/llama-8b-a10g/0001",
          "start_kind": "restore",
          "steps": [
            {
              "elapsed_ms": 0,
              "kind": "worker.restoring",
              "occurred_at": "2026-01-15T08:59:30.000Z",
              "payload": {
                "restore_checkpoint_path": "s3://checkpoints/llama-8b-a10g/0001"
              }
            },
            {
              "elapsed_ms": 0,
              "kind": "phase.Ready",
              "occurred_at": "2026-01-15T09:00:00.000Z",
              "payload": {
                "ready": true,
                "observed_generation": 1
              }
            },
            {
              "elapsed_ms": 0,
              "kind": "checkpoint_request.pending",
              "occurred_at": "2026-01-15T09:00:00.000Z",
              "payload": {
                "request_id": "01932c00-0000-7000-8000-000000000001",
                "kind": "checkpoint",
                "reason": "before the upgrade"
              }
            },
            {
              "elapsed_ms": 0,
              "kind": "checkpoint_request.running",
              "occurred_at": "2026-01-15T09:00:00.000Z",
              "payload": {
                "request_id": "01932c00-0000-7000-8000-000000000001",
                "kind": "checkpoint"
              }
            },
            {
              "elapsed_ms": 0,
              "kind": "checkpoint_request.succeeded",
              "occurred_at": "2026-01-15T09:00:00.000Z",
              "payload": {
                "request_id": "01932c00-0000-7000-8000-000000000001",
                "kind": "checkpoint",
                "artifact_id": "llama-8b-a10g-0001"
              }
            },
            {
              "elapsed_ms": 0,
              "kind": "checkpoint_request.pending",
              "occurred_at": "2026-01-15T09:00:00.000Z",
              "payload": {
                "request_id": "01932c00-0000-7000-8000-000000000002",
                "kind": "restart"
              }
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
  "list_experiments": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "evening peak",
            "scenario": "50 clients, 2,000 tokens each",
            "status": "running",
            "started_at": "2026-01-15T09:00:00.000Z",
            "parameters": {
              "clients": 50
            },
            "profile_id": "llama-8b-a10g",
            "completed_at": null,
            "observations": 1
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
  "create_experiment": {
    "201": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "name": "evening peak",
          "scenario": "50 clients, 2,000 tokens each",
          "status": "running",
          "started_at": "2026-01-15T09:00:00.000Z",
          "parameters": {
            "clients": 50
          },
          "profile_id": "llama-8b-a10g",
          "completed_at": null
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_profile_id": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "profile_id is no profile",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "profile_id is no profile",
          "errors": [
            {
              "field": "profile_id",
              "message": "is no profile"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "name is required; scenario is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "name is required; scenario is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "name",
              "message": "is required"
            },
            {
              "field": "scenario",
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
  "get_experiment": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "name": "evening peak",
          "scenario": "50 clients, 2,000 tokens each",
          "status": "running",
          "started_at": "2026-01-15T09:00:00.000Z",
          "parameters": {
            "clients": 50
          },
          "profile_id": "llama-8b-a10g",
          "completed_at": null
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
  "complete_experiment": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "name": "evening peak",
          "scenario": "50 clients, 2,000 tokens each",
          "status": "completed",
          "started_at": "2026-01-15T09:00:00.000Z",
          "parameters": {
            "clients": 50
          },
          "profile_id": "llama-8b-a10g",
          "completed_at": "2026-01-15T09:00:00.000Z"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "status is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "status is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "status",
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
        "experiment_not_found": {
          "type": "urn:checkpoint-control-plane:problem:experiment_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such experiment is running.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "experiment_not_found",
          "message": "No such experiment is running."
        }
      }
    }
  }
};
