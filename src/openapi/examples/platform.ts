// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const PLATFORM: Record<string, Replies> = {
  "list_audit_entries": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "occurred_at": "2026-01-15T09:00:00.000Z",
            "actor_id": "01932c00-0000-7000-8000-000000000002",
            "actor_role": "operator",
            "action": "complete_experiment",
            "resource_type": "experiment",
            "resource_id": "01932c00-0000-7000-8000-000000000003",
            "request_id": "01932c00-0000-7000-8000-000000000004",
            "details": {
              "status": "completed"
            }
          },
          {
            "id": "01932c00-0000-7000-8000-000000000005",
            "occurred_at": "2026-01-15T09:00:00.000Z",
            "actor_id": "01932c00-0000-7000-8000-000000000002",
            "actor_role": "operator",
            "action": "upload_plugin",
            "resource_type": "plugin",
            "resource_id": "gpu-plugin",
            "request_id": "01932c00-0000-7000-8000-000000000006",
            "details": {
              "name": "gpu-plugin",
              "plugin": "gpu-plugin",
              "kind": "binary",
              "installDir": "/usr/local/bin",
              "version": "1.4.0",
              "arch": "amd64",
              "build": "release",
              "repository": "github.com/example/plugins",
              "daemonVersions": null,
              "checksum": "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
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
  "list_outbox_events": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": 1,
            "aggregate_type": "cluster",
            "aggregate_id": "01932c00-0000-7000-8000-000000000001",
            "event_type": "cluster.workload_queued",
            "payload": {
              "workload_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_id": "01932c00-0000-7000-8000-000000000001"
            },
            "created_at": "2026-01-15T09:00:00.000Z"
          },
          {
            "id": 2,
            "aggregate_type": "action",
            "aggregate_id": "01932c00-0000-7000-8000-000000000003",
            "event_type": "action.checkpoint_requested",
            "payload": {
              "action_id": "01932c00-0000-7000-8000-000000000003",
              "checkpoint_id": "01932c00-0000-7000-8000-000000000004",
              "cluster_id": "01932c00-0000-7000-8000-000000000001",
              "leave_running": true,
              "containers": [
                "main"
              ],
              "pod_uid": "01932c00-0000-7000-8000-000000000005"
            },
            "created_at": "2026-01-15T09:00:00.000Z"
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
          "detail": "consumer_id is required; after must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "consumer_id is required; after must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "consumer_id",
              "message": "is required"
            },
            {
              "field": "after",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    },
    "410": {
      "application/problem+json": {
        "cursor_ahead": {
          "type": "urn:checkpoint-control-plane:problem:cursor_ahead",
          "title": "Gone",
          "status": 410,
          "detail": "The cursor is beyond the newest event: read the state again, and continue from head.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "cursor_ahead",
          "message": "The cursor is beyond the newest event: read the state again, and continue from head.",
          "head": 28
        },
        "outbox_cursor_gone": {
          "type": "urn:checkpoint-control-plane:problem:outbox_cursor_gone",
          "title": "Gone",
          "status": 410,
          "detail": "Events after the cursor have been removed: read the state again.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "outbox_cursor_gone",
          "message": "Events after the cursor have been removed: read the state again.",
          "oldest_event_id": 28
        }
      }
    }
  },
  "list_outbox_consumers": {
    "200": {
      "application/json": {
        "reply": [
          {
            "consumer_id": "controller-eu-gpu-1",
            "acknowledged_event_id": 2,
            "lag_events": 26,
            "last_seen_at": "2026-01-15T09:00:00.000Z"
          }
        ]
      }
    }
  },
  "ack_outbox": {
    "400": {
      "application/problem+json": {
        "validation_failed_event_id": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "event_id is above the newest event",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "event_id is above the newest event",
          "errors": [
            {
              "field": "event_id",
              "message": "is above the newest event"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "consumer_id is required; event_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "consumer_id is required; event_id is required",
          "errors": [
            {
              "field": "consumer_id",
              "message": "is required"
            },
            {
              "field": "event_id",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "consumer_not_found": {
          "type": "urn:checkpoint-control-plane:problem:consumer_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No consumer with that name has read the outbox.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "consumer_not_found",
          "message": "No consumer with that name has read the outbox."
        }
      }
    }
  },
  "list_organisations": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "acme",
            "created_at": "2026-01-15T09:00:00.000Z"
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
  "create_organisation": {
    "201": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "name": "acme-research",
          "created_at": "2026-01-15T09:00:00.000Z"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "name is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "name is required",
          "errors": [
            {
              "field": "name",
              "message": "is required"
            }
          ]
        }
      }
    },
    "409": {
      "application/problem+json": {
        "organisation_exists": {
          "type": "urn:checkpoint-control-plane:problem:organisation_exists",
          "title": "Conflict",
          "status": 409,
          "detail": "An organisation with that name exists.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "organisation_exists",
          "message": "An organisation with that name exists."
        }
      }
    }
  },
  "list_tokens": {
    "200": {
      "application/json": {
        "reply": [
          {
            "token_id": "01932c00-0000-7000-8000-000000000001",
            "name": "cluster agent",
            "role": "controller",
            "scope": "organisation",
            "organisation_id": "01932c00-0000-7000-8000-000000000002",
            "organisation_name": "acme",
            "status": "active",
            "created_at": "2026-01-15T09:00:00.000Z",
            "expires_at": null,
            "last_used_at": null,
            "revoked_at": null
          },
          {
            "token_id": "01932c00-0000-7000-8000-000000000003",
            "name": "controller",
            "role": "controller",
            "scope": "organisation",
            "organisation_id": "01932c00-0000-7000-8000-000000000002",
            "organisation_name": "acme",
            "status": "active",
            "created_at": "2026-01-15T09:00:00.000Z",
            "expires_at": null,
            "last_used_at": null,
            "revoked_at": null
          },
          {
            "token_id": "01932c00-0000-7000-8000-000000000004",
            "name": "viewer",
            "role": "viewer",
            "scope": "organisation",
            "organisation_id": "01932c00-0000-7000-8000-000000000002",
            "organisation_name": "acme",
            "status": "active",
            "created_at": "2026-01-15T09:00:00.000Z",
            "expires_at": null,
            "last_used_at": null,
            "revoked_at": null
          },
          {
            "token_id": "01932c00-0000-7000-8000-000000000005",
            "name": "operator",
            "role": "operator",
            "scope": "organisation",
            "organisation_id": "01932c00-0000-7000-8000-000000000002",
            "organisation_name": "acme",
            "status": "active",
            "created_at": "2026-01-15T09:00:00.000Z",
            "expires_at": null,
            "last_used_at": null,
            "revoked_at": null
          },
          {
            "token_id": "01932c00-0000-7000-8000-000000000006",
            "name": "admin",
            "role": "admin",
            "scope": "organisation",
            "organisation_id": "01932c00-0000-7000-8000-000000000002",
            "organisation_name": "acme",
            "status": "active",
            "created_at": "2026-01-15T09:00:00.000Z",
            "expires_at": null,
            "last_used_at": "2026-01-15T09:00:00.000Z",
            "revoked_at": null
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
  "create_token": {
    "201": {
      "application/json": {
        "reply": {
          "token_id": "01932c00-0000-7000-8000-000000000001",
          "name": "cluster agent",
          "role": "controller",
          "scope": "organisation",
          "organisation_id": "01932c00-0000-7000-8000-000000000002",
          "created_at": "2026-01-15T09:00:00.000Z",
          "expires_at": null,
          "last_used_at": null,
          "revoked_at": null,
          "raw_token": "ccp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "name is required; role is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "name is required; role is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "name",
              "message": "is required"
            },
            {
              "field": "role",
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
    "403": {
      "application/problem+json": {
        "forbidden": {
          "type": "urn:checkpoint-control-plane:problem:forbidden",
          "title": "Forbidden",
          "status": 403,
          "detail": "Only an admin of platform scope may issue or revoke a token of that scope.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "forbidden",
          "message": "Only an admin of platform scope may issue or revoke a token of that scope."
        }
      }
    },
    "404": {
      "application/problem+json": {
        "organisation_not_found": {
          "type": "urn:checkpoint-control-plane:problem:organisation_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such organisation.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "organisation_not_found",
          "message": "No such organisation."
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
  "revoke_token": {
    "403": {
      "application/problem+json": {
        "forbidden": {
          "type": "urn:checkpoint-control-plane:problem:forbidden",
          "title": "Forbidden",
          "status": 403,
          "detail": "Only an admin of platform scope may issue or revoke a token of that scope.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "forbidden",
          "message": "Only an admin of platform scope may issue or revoke a token of that scope."
        }
      }
    },
    "404": {
      "application/problem+json": {
        "token_not_found": {
          "type": "urn:checkpoint-control-plane:problem:token_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such token.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "token_not_found",
          "message": "No such token."
        }
      }
    }
  },
  "get_user": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "404": {
      "application/problem+json": {
        "caller_not_found": {
          "type": "urn:checkpoint-control-plane:problem:caller_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "The caller has no id in this service.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "caller_not_found",
          "message": "The caller has no id in this service."
        }
      }
    }
  },
  "get_sign_in": {
    "200": {
      "application/json": {
        "reply": {
          "identity_provider": null
        }
      }
    }
  }
};
