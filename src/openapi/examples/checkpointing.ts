// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const CHECKPOINTING: Record<string, Replies> = {
  "list_operations": {
    "200": {
      "application/json": {
        "reply": [
          {
            "operation_id": "01932c00-0000-7000-8000-000000000001",
            "op_type": "checkpoint",
            "result": "succeeded",
            "action_id": "01932c00-0000-7000-8000-000000000002",
            "checkpoint_id": "01932c00-0000-7000-8000-000000000001",
            "cluster_id": "01932c00-0000-7000-8000-000000000003",
            "restore_uuid": "",
            "name": "train-89nms",
            "namespace": "training",
            "node_name": "gpu-node-1",
            "pod_uid": "01932c00-0000-7000-8000-000000000004",
            "kind": "simple",
            "platform": "linux/amd64",
            "gpu_model": "NVIDIA H100",
            "reason": "manual",
            "source": "profile",
            "storage_tier": "",
            "workload_type": "kubernetes",
            "failure_reason": "",
            "failure_stage": "",
            "duration_ns": 2359000000,
            "pause_ns": 0,
            "logical_bytes": 1610612736,
            "physical_bytes": 1610612736,
            "started_at_ms": 1768467600000,
            "completed_at_ms": 1768467600000,
            "pod_ready_at_ms": null,
            "pod_scheduled_at_ms": null
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
          "detail": "result must be one of running, succeeded, failed, fallback",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "result must be one of running, succeeded, failed, fallback",
          "errors": [
            {
              "field": "result",
              "message": "must be one of running, succeeded, failed, fallback"
            }
          ]
        },
        "validation_failed_after": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "after must be the operation_id of an attempt",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "after must be the operation_id of an attempt",
          "errors": [
            {
              "field": "after",
              "message": "must be the operation_id of an attempt"
            }
          ]
        }
      }
    }
  },
  "get_operation": {
    "200": {
      "application/json": {
        "reply": {
          "operation_id": "01932c00-0000-7000-8000-000000000001",
          "op_type": "checkpoint",
          "result": "succeeded",
          "action_id": "01932c00-0000-7000-8000-000000000002",
          "checkpoint_id": "01932c00-0000-7000-8000-000000000001",
          "cluster_id": "01932c00-0000-7000-8000-000000000003",
          "restore_uuid": "",
          "name": "train-89nms",
          "namespace": "training",
          "node_name": "gpu-node-1",
          "pod_uid": "01932c00-0000-7000-8000-000000000004",
          "kind": "simple",
          "platform": "linux/amd64",
          "gpu_model": "NVIDIA H100",
          "reason": "manual",
          "source": "profile",
          "storage_tier": "",
          "workload_type": "kubernetes",
          "failure_reason": "",
          "failure_stage": "",
          "duration_ns": 2359000000,
          "pause_ns": 0,
          "logical_bytes": 1610612736,
          "physical_bytes": 1610612736,
          "started_at_ms": 1768467600000,
          "completed_at_ms": 1768467600000,
          "pod_ready_at_ms": null,
          "pod_scheduled_at_ms": null,
          "restores": [],
          "stages": [
            {
              "seq": 0,
              "stage": "criu dump",
              "bytes_in": 0,
              "bytes_out": 1610612736,
              "duration_ns": 2359000000,
              "reason": "",
              "result": "succeeded"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "operation_not_found": {
          "type": "urn:checkpoint-control-plane:problem:operation_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No attempt with that id was reported.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "operation_not_found",
          "message": "No attempt with that id was reported."
        }
      }
    }
  },
  "list_actions": {
    "200": {
      "application/json": {
        "reply": [
          {
            "action_id": "01932c00-0000-7000-8000-000000000001",
            "checkpoint_id": "01932c00-0000-7000-8000-000000000002",
            "status": "ready",
            "type": "checkpoint_pod",
            "details": {
              "pod_id": "01932c00-0000-7000-8000-000000000003",
              "kind": "simple",
              "reason": "manual",
              "leave_running": true
            },
            "gpu": "NVIDIA H100",
            "platform": "linux/amd64",
            "action_timestamp": "2026-01-15T09:00:00.000Z",
            "checkpoint_completed_timestamp": "2026-01-15T09:00:00.000Z",
            "checkpoint_name": "train",
            "delta": false,
            "node_name": "gpu-node-1",
            "parent_checkpoint_id": null,
            "reason": "manual",
            "total_duration": 2359000000,
            "total_io": 1610612736,
            "workload_kind": "Job",
            "leave_running": true
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
  "get_action": {
    "200": {
      "application/json": {
        "reply": {
          "action_id": "01932c00-0000-7000-8000-000000000001",
          "type": "checkpoint_pod",
          "status": "ready",
          "details": {
            "pod_id": "01932c00-0000-7000-8000-000000000002",
            "kind": "simple",
            "reason": "manual",
            "leave_running": true
          },
          "checkpoint_id": "01932c00-0000-7000-8000-000000000003",
          "checkpoint_ids": [
            "01932c00-0000-7000-8000-000000000003"
          ],
          "checkpoint_name": "train",
          "checkpoint_size": 1610612736,
          "checkpoint_info": {
            "name": "checkpoint",
            "duration": 3506000000,
            "io": 0,
            "components": [
              {
                "name": "criu dump",
                "duration": 2359000000,
                "io": 1610612736
              }
            ]
          },
          "action_timestamp": "2026-01-15T09:00:00.000Z",
          "checkpoint_completed_timestamp": "2026-01-15T09:00:00.000Z",
          "gpu": "NVIDIA H100",
          "node_name": "gpu-node-1",
          "platform": "linux/amd64",
          "reason": "manual",
          "restore_path": "s3://checkpoints/train/1",
          "total_duration": 2359000000,
          "total_io": 1610612736,
          "leave_running": true,
          "containers": [
            "main"
          ],
          "error": null,
          "pod_metadata": {
            "name": "train-89nms",
            "namespace": "training",
            "uid": "01932c00-0000-7000-8000-000000000004",
            "resourceVersion": "100",
            "creationTimestamp": "2026-01-15T07:00:00.000Z",
            "ownerReferences": [
              {
                "kind": "Job",
                "name": "train",
                "uid": "01932c00-0000-7000-8000-000000000005",
                "controller": true
              }
            ]
          },
          "pod_spec": {
            "containers": [
              {
                "name": "main",
                "image": "train:1"
              }
            ],
            "nodeName": "gpu-node-1",
            "priority": 100
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
          "detail": "id must be a UUID",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "id must be a UUID",
          "errors": [
            {
              "field": "id",
              "message": "must be a UUID"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
        }
      }
    }
  },
  "get_newest_pod_action": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "404": {
      "application/problem+json": {
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No action was requested for that pod.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No action was requested for that pod."
        }
      }
    }
  },
  "upload_action_pod": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "status is required; action_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "status is required; action_id is required",
          "errors": [
            {
              "field": "status",
              "message": "is required"
            },
            {
              "field": "action_id",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
        }
      }
    }
  },
  "checkpoint_pod": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_pod_id": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "pod_id is required, or cluster_id, namespace and pod_name together",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "pod_id is required, or cluster_id, namespace and pod_name together",
          "errors": [
            {
              "field": "pod_id",
              "message": "is required, or cluster_id, namespace and pod_name together"
            }
          ]
        },
        "validation_failed_containers_0": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "containers[0] is not a running container of the pod",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "containers[0] is not a running container of the pod",
          "errors": [
            {
              "field": "containers[0]",
              "message": "is not a running container of the pod"
            }
          ]
        },
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
        "nothing_to_checkpoint": {
          "type": "urn:checkpoint-control-plane:problem:nothing_to_checkpoint",
          "title": "Not Found",
          "status": 404,
          "detail": "No running pod matches, or none of its containers to checkpoint runs.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "nothing_to_checkpoint",
          "message": "No running pod matches, or none of its containers to checkpoint runs."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "node_silent": {
          "type": "urn:checkpoint-control-plane:problem:node_silent",
          "title": "Conflict",
          "status": 409,
          "detail": "The node gpu-node-1 of the pod has been silent for over 5 minutes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "node_silent",
          "message": "The node gpu-node-1 of the pod has been silent for over 5 minutes.",
          "last_seen_at": "2026-01-15T08:00:00.000Z"
        }
      }
    }
  },
  "get_checkpoint_status": {
    "200": {
      "application/json": {
        "reply": {
          "status": "processing",
          "details": "main: dump, 536870912 of 1073741824 bytes"
        }
      }
    },
    "404": {
      "application/problem+json": {
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
        }
      }
    }
  },
  "get_checkpoint_path": {
    "200": {
      "text/plain": {
        "reply": "s3://checkpoints/train/1"
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
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No checkpoint with that name is ready.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No checkpoint with that name is ready."
        }
      }
    }
  },
  "list_checkpoints": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "status": "ready",
            "gpu": "NVIDIA H100",
            "platform": "linux/amd64",
            "delta": false,
            "checksum": null,
            "info": {
              "name": "checkpoint",
              "duration": 3506000000,
              "io": 0,
              "components": [
                {
                  "name": "criu dump",
                  "duration": 2359000000,
                  "io": 1610612736
                }
              ]
            },
            "name": "train",
            "parent_checkpoint_id": null,
            "action_id": "01932c00-0000-7000-8000-000000000002",
            "container_name": "main",
            "restore_path": "s3://checkpoints/train/1",
            "pod_name": "train-89nms",
            "namespace": "training",
            "cluster_id": "01932c00-0000-7000-8000-000000000003",
            "created_at": "2026-01-15T09:00:00.000Z",
            "bytes_removed_at": null,
            "job_id": null
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
  "create_checkpoint": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "name must not be empty",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "name must not be empty",
          "errors": [
            {
              "field": "name",
              "message": "must not be empty"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "parent_checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:parent_checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No checkpoint has the id of the parent.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "parent_checkpoint_not_found",
          "message": "No checkpoint has the id of the parent."
        },
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "not_a_checkpoint_action": {
          "type": "urn:checkpoint-control-plane:problem:not_a_checkpoint_action",
          "title": "Conflict",
          "status": 409,
          "detail": "The action is not a checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "not_a_checkpoint_action",
          "message": "The action is not a checkpoint."
        },
        "action_over": {
          "type": "urn:checkpoint-control-plane:problem:action_over",
          "title": "Conflict",
          "status": 409,
          "detail": "The action missed its deadline, or ended before a node took it up.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_over",
          "message": "The action missed its deadline, or ended before a node took it up."
        }
      }
    }
  },
  "put_checkpoint_info": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "platform is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "platform is required",
          "errors": [
            {
              "field": "platform",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "checkpoint_state_conflict": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_state_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "A checkpoint that is ready cannot become deprecated.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_state_conflict",
          "message": "A checkpoint that is ready cannot become deprecated."
        }
      }
    }
  },
  "report_checkpoint_progress": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "stage is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "stage is required",
          "errors": [
            {
              "field": "stage",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "checkpoint_state_conflict": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_state_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "The checkpoint has ended: it is ready.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_state_conflict",
          "message": "The checkpoint has ended: it is ready."
        }
      }
    }
  },
  "report_checkpoint_uploaded": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "restore_path must be a string",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "restore_path must be a string",
          "errors": [
            {
              "field": "restore_path",
              "message": "must be a string"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "another_restore_path": {
          "type": "urn:checkpoint-control-plane:problem:another_restore_path",
          "title": "Conflict",
          "status": 409,
          "detail": "The checkpoint was already uploaded with another restore_path.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "another_restore_path",
          "message": "The checkpoint was already uploaded with another restore_path."
        }
      }
    }
  },
  "deprecate_checkpoint": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "id must be a UUID",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "id must be a UUID",
          "errors": [
            {
              "field": "id",
              "message": "must be a UUID"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    }
  },
  "confirm_checkpoint_removal": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "id must be a UUID",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "id must be a UUID",
          "errors": [
            {
              "field": "id",
              "message": "must be a UUID"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "checkpoint_state_conflict": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_state_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "The checkpoint is ready. Only the removal of a deprecated one can be confirmed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_state_conflict",
          "message": "The checkpoint is ready. Only the removal of a deprecated one can be confirmed."
        }
      }
    }
  },
  "list_forgotten_checkpoints": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "restore_path": "s3://checkpoints/former/1",
            "forgotten_at": "2026-01-15T09:00:00.000Z",
            "removable_at": "2026-01-22T09:00:00.000Z",
            "removable": false
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
  "restore_pod": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "action_id is required; reason is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "action_id is required; reason is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "action_id",
              "message": "is required"
            },
            {
              "field": "reason",
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
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "checkpoint_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_ready",
          "title": "Conflict",
          "status": 409,
          "detail": "The action has no checkpoint that is ready to restore.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_ready",
          "message": "The action has no checkpoint that is ready to restore."
        }
      }
    }
  },
  "list_restores": {
    "200": {
      "application/json": {
        "reply": [
          {
            "restore_uuid": "01932c00-0000-7000-8000-000000000001",
            "checkpoint_id": "01932c00-0000-7000-8000-000000000002",
            "started_at": "2026-01-15T08:59:00.000Z",
            "metadata": {
              "pod_uid": "01932c00-0000-7000-8000-000000000003",
              "node_name": "gpu-node-1"
            },
            "completed_at": "2026-01-15T08:59:04.000Z",
            "action_id": null,
            "id": "01932c00-0000-7000-8000-000000000004",
            "status": "succeeded",
            "created_at": "2026-01-15T09:00:00.000Z",
            "updated_at": "2026-01-15T09:00:00.000Z",
            "events": [
              {
                "kind": "restore_start",
                "received_at": "2026-01-15T09:00:00.000Z"
              },
              {
                "kind": "restore_success",
                "received_at": "2026-01-15T09:00:00.000Z"
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
  "get_restore": {
    "200": {
      "application/json": {
        "reply": {
          "restore_uuid": "01932c00-0000-7000-8000-000000000001",
          "checkpoint_id": "01932c00-0000-7000-8000-000000000002",
          "started_at": "2026-01-15T08:59:00.000Z",
          "metadata": {
            "pod_uid": "01932c00-0000-7000-8000-000000000003",
            "node_name": "gpu-node-1"
          },
          "completed_at": "2026-01-15T08:59:04.000Z",
          "action_id": null,
          "id": "01932c00-0000-7000-8000-000000000004",
          "status": "succeeded",
          "created_at": "2026-01-15T09:00:00.000Z",
          "updated_at": "2026-01-15T09:00:00.000Z",
          "events": [
            {
              "kind": "restore_start",
              "received_at": "2026-01-15T09:00:00.000Z"
            },
            {
              "kind": "restore_success",
              "received_at": "2026-01-15T09:00:00.000Z"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "restore_not_found": {
          "type": "urn:checkpoint-control-plane:problem:restore_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such restore.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "restore_not_found",
          "message": "No such restore."
        }
      }
    }
  },
  "put_restore_profile": {
    "200": {
      "application/json": {
        "reply": {
          "restore_uuid": "01932c00-0000-7000-8000-000000000001",
          "profile_object_path": null
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "body must be valid JSON",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "body must be valid JSON",
          "errors": [
            {
              "field": "body",
              "message": "must be valid JSON"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "restore_not_found": {
          "type": "urn:checkpoint-control-plane:problem:restore_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such restore.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "restore_not_found",
          "message": "No such restore."
        }
      }
    }
  },
  "record_restore_start": {
    "200": {
      "application/json": {
        "reply": {
          "restore_uuid": "01932c00-0000-7000-8000-000000000001",
          "status": "started"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "restore_uuid is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "restore_uuid is required",
          "errors": [
            {
              "field": "restore_uuid",
              "message": "is required"
            }
          ]
        }
      }
    },
    "409": {
      "application/problem+json": {
        "operation_id_taken": {
          "type": "urn:checkpoint-control-plane:problem:operation_id_taken",
          "title": "Conflict",
          "status": 409,
          "detail": "01932c00-0000-7000-8000-000000000001 is the id of an attempt of another kind.",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "operation_id_taken",
          "message": "01932c00-0000-7000-8000-000000000001 is the id of an attempt of another kind."
        }
      }
    }
  },
  "record_restore_success": {
    "200": {
      "application/json": {
        "reply": {
          "restore_uuid": "01932c00-0000-7000-8000-000000000001",
          "status": "succeeded"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "restore_uuid is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "restore_uuid is required",
          "errors": [
            {
              "field": "restore_uuid",
              "message": "is required"
            }
          ]
        }
      }
    }
  },
  "record_restore_error": {
    "200": {
      "application/json": {
        "reply": {
          "restore_uuid": "01932c00-0000-7000-8000-000000000001",
          "status": "failed"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "restore_uuid is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "restore_uuid is required",
          "errors": [
            {
              "field": "restore_uuid",
              "message": "is required"
            }
          ]
        }
      }
    }
  },
  "get_file_url": {
    "200": {
      "text/plain": {
        "reply": "http://127.0.0.1:8000/objects/files/01932c00-0000-7000-8000-000000000001/checkpoints/01932c00-0000-7000-8000-000000000002/manifest.json?tag=x&expires=x&signature=x"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "errors": [
            {
              "field": "path",
              "message": "must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "file_not_found": {
          "type": "urn:checkpoint-control-plane:problem:file_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "There is no file with that path.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "file_not_found",
          "message": "There is no file with that path."
        }
      }
    },
    "413": {
      "application/problem+json": {
        "file_too_large": {
          "type": "urn:checkpoint-control-plane:problem:file_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The file has more than 1 bytes, so it is not served.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "file_too_large",
          "message": "The file has more than 1 bytes, so it is not served."
        }
      }
    },
    "502": {
      "application/problem+json": {
        "object_storage_failed": {
          "type": "urn:checkpoint-control-plane:problem:object_storage_failed",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The object storage failed, or did not answer in time.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "object_storage_failed",
          "message": "The object storage failed, or did not answer in time."
        }
      }
    }
  },
  "create_file_url": {
    "200": {
      "text/plain": {
        "reply": "http://127.0.0.1:8000/objects/files/01932c00-0000-7000-8000-000000000001/checkpoints/01932c00-0000-7000-8000-000000000002/manifest.json?expires=x&signature=x"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "errors": [
            {
              "field": "path",
              "message": "must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -"
            }
          ]
        }
      }
    }
  },
  "delete_file": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "errors": [
            {
              "field": "path",
              "message": "must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -"
            }
          ]
        }
      }
    },
    "502": {
      "application/problem+json": {
        "object_storage_failed": {
          "type": "urn:checkpoint-control-plane:problem:object_storage_failed",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The object storage failed, or did not answer in time.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "object_storage_failed",
          "message": "The object storage failed, or did not answer in time."
        }
      }
    }
  },
  "list_directory": {
    "200": {
      "application/json": {
        "reply": [
          "01932c00-0000-7000-8000-000000000001/"
        ]
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "path must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "errors": [
            {
              "field": "path",
              "message": "must have at most 700 characters: parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -"
            }
          ]
        }
      }
    },
    "502": {
      "application/problem+json": {
        "object_storage_failed": {
          "type": "urn:checkpoint-control-plane:problem:object_storage_failed",
          "title": "Bad Gateway",
          "status": 502,
          "detail": "The object storage failed, or did not answer in time.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "object_storage_failed",
          "message": "The object storage failed, or did not answer in time."
        }
      }
    }
  },
  "checkpoint_slurm_job": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "cluster_id is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "cluster_id is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "cluster_id",
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
        "nothing_to_checkpoint": {
          "type": "urn:checkpoint-control-plane:problem:nothing_to_checkpoint",
          "title": "Not Found",
          "status": 404,
          "detail": "No running job matches.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "nothing_to_checkpoint",
          "message": "No running job matches."
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
    }
  },
  "get_slurm_checkpoint_path": {
    "200": {
      "text/plain": {
        "reply": "/scratch/checkpoints/4711"
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
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No checkpoint with that name is ready.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No checkpoint with that name is ready."
        }
      }
    }
  },
  "list_slurm_checkpoints": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "status": "ready",
            "gpu": "NVIDIA H100",
            "checksum": null,
            "name": "llm-eval",
            "info": {
              "name": "checkpoint",
              "duration": 3506000000,
              "io": 0,
              "components": []
            },
            "action_id": "01932c00-0000-7000-8000-000000000002",
            "job_id": 4711,
            "cluster_id": "01932c00-0000-7000-8000-000000000003",
            "created_at": "2026-01-15T09:00:00.000Z",
            "bytes_removed_at": null
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
  "create_slurm_checkpoint": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "404": {
      "application/problem+json": {
        "parent_checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:parent_checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No checkpoint has the id of the parent.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "parent_checkpoint_not_found",
          "message": "No checkpoint has the id of the parent."
        },
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "not_a_checkpoint_action": {
          "type": "urn:checkpoint-control-plane:problem:not_a_checkpoint_action",
          "title": "Conflict",
          "status": 409,
          "detail": "The action is not a checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "not_a_checkpoint_action",
          "message": "The action is not a checkpoint."
        },
        "workload_type_conflict": {
          "type": "urn:checkpoint-control-plane:problem:workload_type_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "The action does not belong to a Slurm job.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "workload_type_conflict",
          "message": "The action does not belong to a Slurm job."
        },
        "action_over": {
          "type": "urn:checkpoint-control-plane:problem:action_over",
          "title": "Conflict",
          "status": 409,
          "detail": "The action missed its deadline, or ended before a node took it up.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_over",
          "message": "The action missed its deadline, or ended before a node took it up."
        }
      }
    }
  },
  "put_slurm_checkpoint_info": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "platform is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "platform is required",
          "errors": [
            {
              "field": "platform",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "checkpoint_state_conflict": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_state_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "A checkpoint that is ready cannot become deprecated.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_state_conflict",
          "message": "A checkpoint that is ready cannot become deprecated."
        }
      }
    }
  },
  "report_slurm_checkpoint_uploaded": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "another_restore_path": {
          "type": "urn:checkpoint-control-plane:problem:another_restore_path",
          "title": "Conflict",
          "status": 409,
          "detail": "The checkpoint was already uploaded with another restore_path.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "another_restore_path",
          "message": "The checkpoint was already uploaded with another restore_path."
        }
      }
    }
  },
  "deprecate_slurm_checkpoint": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "404": {
      "application/problem+json": {
        "checkpoint_not_found": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such checkpoint.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_found",
          "message": "No such checkpoint."
        }
      }
    }
  },
  "restore_slurm_job": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_cluster_id": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "cluster_id must be the id of a Slurm cluster",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "cluster_id must be the id of a Slurm cluster",
          "errors": [
            {
              "field": "cluster_id",
              "message": "must be the id of a Slurm cluster"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "action_id is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "action_id is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "action_id",
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
        "action_not_found": {
          "type": "urn:checkpoint-control-plane:problem:action_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such action.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "action_not_found",
          "message": "No such action."
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
        "checkpoint_not_ready": {
          "type": "urn:checkpoint-control-plane:problem:checkpoint_not_ready",
          "title": "Conflict",
          "status": 409,
          "detail": "The action has no checkpoint that is ready to restore.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "checkpoint_not_ready",
          "message": "The action has no checkpoint that is ready to restore."
        },
        "workload_type_conflict": {
          "type": "urn:checkpoint-control-plane:problem:workload_type_conflict",
          "title": "Conflict",
          "status": 409,
          "detail": "The action does not belong to a Slurm job.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "workload_type_conflict",
          "message": "The action does not belong to a Slurm job."
        }
      }
    }
  },
  "get_policy_schedule": {
    "200": {
      "application/json": {
        "reply": {
          "from": "2026-01-11T21:00:00.000Z",
          "until": "2026-01-18T21:00:00.000Z",
          "at": "2026-01-15T09:00:00.000Z",
          "bucket_seconds": 3600,
          "total_count": 1,
          "policies": [
            {
              "policy_id": "01932c00-0000-7000-8000-000000000001",
              "name": "jobs, daily",
              "status": "active",
              "paused": false,
              "trigger": "heartbeat",
              "interval_seconds": 86400,
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "next_at": "2026-01-16T09:00:00.000Z",
              "firings": [
                {
                  "from": "2026-01-16T09:00:00.000Z",
                  "until": "2026-01-16T10:00:00.000Z",
                  "beats": 1,
                  "planned": 1,
                  "overdue": 0,
                  "fired": 0,
                  "requested": 0,
                  "ready": 0,
                  "failed": 0,
                  "late": 0,
                  "missed": 0,
                  "empty": 0
                },
                {
                  "from": "2026-01-17T09:00:00.000Z",
                  "until": "2026-01-17T10:00:00.000Z",
                  "beats": 1,
                  "planned": 1,
                  "overdue": 0,
                  "fired": 0,
                  "requested": 0,
                  "ready": 0,
                  "failed": 0,
                  "late": 0,
                  "missed": 0,
                  "empty": 0
                },
                {
                  "from": "2026-01-18T09:00:00.000Z",
                  "until": "2026-01-18T10:00:00.000Z",
                  "beats": 1,
                  "planned": 1,
                  "overdue": 0,
                  "fired": 0,
                  "requested": 0,
                  "ready": 0,
                  "failed": 0,
                  "late": 0,
                  "missed": 0,
                  "empty": 0
                }
              ]
            }
          ],
          "next_firings": [
            {
              "policy_id": "01932c00-0000-7000-8000-000000000003",
              "name": "training, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-16T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000001",
              "name": "jobs, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-16T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000003",
              "name": "training, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-17T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000001",
              "name": "jobs, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-17T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000003",
              "name": "training, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-18T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000001",
              "name": "jobs, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-18T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000003",
              "name": "training, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-19T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000001",
              "name": "jobs, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-19T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000003",
              "name": "training, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-20T09:00:00.000Z",
              "until": null
            },
            {
              "policy_id": "01932c00-0000-7000-8000-000000000001",
              "name": "jobs, daily",
              "trigger": "heartbeat",
              "cluster_id": "01932c00-0000-7000-8000-000000000002",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "at": "2026-01-20T09:00:00.000Z",
              "until": null
            }
          ],
          "waiting": [],
          "waiting_count": 0
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_empty": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "until must be after from",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "until must be after from",
          "errors": [
            {
              "field": "until",
              "message": "must be after from"
            }
          ]
        },
        "validation_failed_too_long": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "until must be at most 32 days after from",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "until must be at most 32 days after from",
          "errors": [
            {
              "field": "until",
              "message": "must be at most 32 days after from"
            }
          ]
        },
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
  "preview_pipeline_policy": {
    "200": {
      "application/json": {
        "reply": {
          "cluster_id": "01932c00-0000-7000-8000-000000000001",
          "cluster_name": "eu-gpu-1",
          "cluster_status": "active",
          "workload_count": 1,
          "pod_count": 1,
          "pods": [
            {
              "id": "01932c00-0000-7000-8000-000000000002",
              "name": "train-89nms",
              "namespace": "training",
              "status": "Running"
            }
          ],
          "job_count": 1,
          "jobs": [
            {
              "id": "01932c00-0000-7000-8000-000000000003",
              "name": "train",
              "namespace": "training",
              "status": "Running",
              "priority": 100,
              "pod_count": 1
            }
          ],
          "first_at": "2026-01-16T09:00:00.000Z",
          "kept_count": 7,
          "going_count": 0,
          "next_firings": [
            "2026-01-16T09:00:00.000Z",
            "2026-01-17T09:00:00.000Z",
            "2026-01-18T09:00:00.000Z",
            "2026-01-19T09:00:00.000Z",
            "2026-01-20T09:00:00.000Z",
            "2026-01-21T09:00:00.000Z",
            "2026-01-22T09:00:00.000Z",
            "2026-01-23T09:00:00.000Z",
            "2026-01-24T09:00:00.000Z",
            "2026-01-25T09:00:00.000Z"
          ],
          "warnings": []
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "pipeline is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "pipeline is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "pipeline",
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
        "pod_not_found": {
          "type": "urn:checkpoint-control-plane:problem:pod_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "The cluster has not reported the pod 01932c00-0000-7000-8000-000000000001 of the filter.",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "pod_not_found",
          "message": "The cluster has not reported the pod 01932c00-0000-7000-8000-000000000001 of the filter."
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
    }
  },
  "create_pipeline_policy": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "pipeline is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "pipeline is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "pipeline",
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
        "pod_not_found": {
          "type": "urn:checkpoint-control-plane:problem:pod_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "The cluster has not reported the pod 01932c00-0000-7000-8000-000000000001 of the filter.",
          "instance": "01932c00-0000-7000-8000-000000000002",
          "code": "pod_not_found",
          "message": "The cluster has not reported the pod 01932c00-0000-7000-8000-000000000001 of the filter."
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
    }
  },
  "list_pipeline_policies": {
    "200": {
      "application/json": {
        "reply": {
          "policies": [
            {
              "id": "01932c00-0000-7000-8000-000000000001",
              "status": "active",
              "pod_count": 1,
              "name": "jobs, daily",
              "job_count": 1,
              "pipeline": {
                "trigger": {
                  "type": "heartbeat",
                  "config": {
                    "interval_seconds": 86400,
                    "max_checkpoints": 24
                  }
                },
                "filter": {
                  "type": "jobs",
                  "config": {
                    "cluster_id": "01932c00-0000-7000-8000-000000000002",
                    "namespace": "training",
                    "priority": null
                  }
                },
                "action": {
                  "type": "checkpoint",
                  "config": {
                    "kind": "simple",
                    "runc_root": null
                  }
                }
              },
              "timestamp": "2026-01-15T09:00:00.000Z",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "paused": false,
              "keep_last": 7,
              "next_at": "2026-01-16T09:00:00.000Z",
              "last_beat_at": null,
              "last_firing": null
            },
            {
              "id": "01932c00-0000-7000-8000-000000000003",
              "status": "active",
              "pod_count": 1,
              "name": "training, daily",
              "job_count": null,
              "pipeline": {
                "trigger": {
                  "type": "heartbeat",
                  "config": {
                    "interval_seconds": 86400,
                    "max_checkpoints": 24
                  }
                },
                "filter": {
                  "type": "pods",
                  "config": {
                    "cluster_id": "01932c00-0000-7000-8000-000000000002",
                    "pod_ids": [
                      "01932c00-0000-7000-8000-000000000004"
                    ]
                  }
                },
                "action": {
                  "type": "checkpoint",
                  "config": {
                    "kind": "simple",
                    "runc_root": null
                  }
                }
              },
              "timestamp": "2026-01-15T09:00:00.000Z",
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "paused": false,
              "keep_last": 7,
              "next_at": "2026-01-16T09:00:00.000Z",
              "last_beat_at": null,
              "last_firing": null
            }
          ],
          "total_count": 2
        }
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
  "get_pipeline_policy": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "status": "active",
          "pod_count": 1,
          "name": "training, daily",
          "job_count": null,
          "pipeline": {
            "trigger": {
              "type": "heartbeat",
              "config": {
                "interval_seconds": 86400,
                "max_checkpoints": 24
              }
            },
            "filter": {
              "type": "pods",
              "config": {
                "cluster_id": "01932c00-0000-7000-8000-000000000002",
                "pod_ids": [
                  "01932c00-0000-7000-8000-000000000003"
                ]
              }
            },
            "action": {
              "type": "checkpoint",
              "config": {
                "kind": "simple",
                "runc_root": null
              }
            }
          },
          "timestamp": "2026-01-15T09:00:00.000Z",
          "cluster_name": "eu-gpu-1",
          "cluster_status": "active",
          "paused": false,
          "keep_last": 7,
          "next_at": "2026-01-16T09:00:00.000Z",
          "last_beat_at": null,
          "last_firing": null
        }
      }
    },
    "404": {
      "application/problem+json": {
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    }
  },
  "update_pipeline_policy": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "status": "active",
          "pod_count": 1,
          "name": "jobs, daily",
          "job_count": 1,
          "pipeline": {
            "trigger": {
              "type": "heartbeat",
              "config": {
                "interval_seconds": 86400,
                "max_checkpoints": 24
              }
            },
            "filter": {
              "type": "jobs",
              "config": {
                "cluster_id": "01932c00-0000-7000-8000-000000000002",
                "namespace": "training",
                "priority": null
              }
            },
            "action": {
              "type": "checkpoint",
              "config": {
                "kind": "simple",
                "runc_root": null
              }
            }
          },
          "timestamp": "2026-01-15T09:00:00.000Z",
          "cluster_name": "eu-gpu-1",
          "cluster_status": "active",
          "paused": true,
          "keep_last": 7,
          "next_at": null,
          "last_beat_at": null,
          "last_firing": null
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "policy_id must be a UUID",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "policy_id must be a UUID",
          "errors": [
            {
              "field": "policy_id",
              "message": "must be a UUID"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "policy_disabled": {
          "type": "urn:checkpoint-control-plane:problem:policy_disabled",
          "title": "Conflict",
          "status": 409,
          "detail": "The policy is disabled: no beat of it acts any more. Create a new one.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_disabled",
          "message": "The policy is disabled: no beat of it acts any more. Create a new one."
        },
        "policy_changed": {
          "type": "urn:checkpoint-control-plane:problem:policy_changed",
          "title": "Conflict",
          "status": 409,
          "detail": "The policy was changed meanwhile: keep_last is null, and not 12. Nothing of this change was done.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_changed",
          "message": "The policy was changed meanwhile: keep_last is null, and not 12. Nothing of this change was done."
        }
      }
    }
  },
  "list_policies": {
    "200": {
      "application/json": {
        "reply": {
          "policies": [
            {
              "id": "01932c00-0000-7000-8000-000000000001",
              "status": "active",
              "policy_type": "heartbeat",
              "input": 86400,
              "resource": "jobs",
              "resource_list": [
                "01932c00-0000-7000-8000-000000000002"
              ],
              "pod_count": 1,
              "job_count": 1,
              "timestamp": "2026-01-15T09:00:00.000Z",
              "cluster_id": "01932c00-0000-7000-8000-000000000003",
              "namespace": "training",
              "start_time": null,
              "end_time": null,
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "paused": false,
              "keep_last": 7,
              "next_at": "2026-01-16T09:00:00.000Z",
              "last_beat_at": null,
              "last_firing": null
            },
            {
              "id": "01932c00-0000-7000-8000-000000000004",
              "status": "active",
              "policy_type": "heartbeat",
              "input": 86400,
              "resource": "pods",
              "resource_list": [
                "01932c00-0000-7000-8000-000000000005"
              ],
              "pod_count": 1,
              "job_count": null,
              "timestamp": "2026-01-15T09:00:00.000Z",
              "cluster_id": "01932c00-0000-7000-8000-000000000003",
              "namespace": null,
              "start_time": null,
              "end_time": null,
              "cluster_name": "eu-gpu-1",
              "cluster_status": "active",
              "paused": false,
              "keep_last": 7,
              "next_at": "2026-01-16T09:00:00.000Z",
              "last_beat_at": null,
              "last_firing": null
            }
          ],
          "total_count": 2
        }
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
  "delete_policy": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "id is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "id is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "id",
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
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    }
  },
  "sync_job_policies": {
    "200": {
      "text/plain": {
        "reply": "matched 2 jobs and 2 pods of 2 policies"
      }
    }
  },
  "get_policy_activity": {
    "200": {
      "application/json": {
        "reply": {
          "policy_id": "01932c00-0000-7000-8000-000000000001",
          "total_checkpoints": 0,
          "successful_checkpoints": 0,
          "failed_checkpoints": 0,
          "recent_checkpoints": [],
          "last_checkpoint_at": null
        }
      }
    },
    "404": {
      "application/problem+json": {
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    }
  },
  "get_policy_job_status": {
    "200": {
      "application/json": {
        "reply": {
          "policy_id": "01932c00-0000-7000-8000-000000000001",
          "job_ids": [
            "01932c00-0000-7000-8000-000000000002"
          ],
          "tracked_pods": [
            "01932c00-0000-7000-8000-000000000003"
          ],
          "pod_count": 1,
          "job_status": "Running",
          "last_updated": "2026-01-15T09:00:00.000Z"
        }
      }
    },
    "404": {
      "application/problem+json": {
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    }
  },
  "list_policy_jobs": {
    "200": {
      "application/json": {
        "reply": {
          "policy_id": "01932c00-0000-7000-8000-000000000001",
          "count": 1,
          "affected_jobs": [
            {
              "id": "01932c00-0000-7000-8000-000000000002",
              "name": "train",
              "namespace": "training",
              "status": "Running",
              "priority": 100,
              "pod_count": 1
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "policy_not_of_jobs": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_of_jobs",
          "title": "Not Found",
          "status": 404,
          "detail": "The filter of the policy does not select jobs.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_of_jobs",
          "message": "The filter of the policy does not select jobs."
        },
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    }
  },
  "list_policy_pods": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "train-89nms",
            "namespace": "training",
            "status": "Running"
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
    },
    "404": {
      "application/problem+json": {
        "policy_not_found": {
          "type": "urn:checkpoint-control-plane:problem:policy_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such policy.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "policy_not_found",
          "message": "No such policy."
        }
      }
    }
  }
};
