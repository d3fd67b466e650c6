// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const INVENTORY: Record<string, Replies> = {
  "list_clusters": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "eu-gpu-1",
            "kind": "kubernetes",
            "status": "active",
            "last_sync": "2026-01-15T09:00:00.000Z",
            "metadata": null
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
  "save_cluster": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_kind": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "kind must be one of kubernetes, slurm",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "kind must be one of kubernetes, slurm",
          "errors": [
            {
              "field": "kind",
              "message": "must be one of kubernetes, slurm"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "cluster_name is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "cluster_name is required",
          "errors": [
            {
              "field": "cluster_name",
              "message": "is required"
            }
          ]
        }
      }
    }
  },
  "count_clusters": {
    "200": {
      "application/json": {
        "reply": {
          "total_count": 1
        }
      }
    }
  },
  "create_cluster_workload": {
    "200": {
      "text/plain": {
        "reply": "added to queue"
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
    }
  },
  "list_workloads": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "kind": "job",
            "status": "queued",
            "created_at": "2026-01-15T09:00:00.000Z",
            "taken_at": null,
            "taken_by": null,
            "error": null
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
  "get_workload": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "cluster_id": "01932c00-0000-7000-8000-000000000002",
          "kind": "job",
          "status": "queued",
          "created_at": "2026-01-15T09:00:00.000Z",
          "taken_at": null,
          "taken_by": null,
          "error": null,
          "manifest": {
            "kind": "Job",
            "metadata": {
              "name": "train"
            },
            "spec": {}
          }
        }
      }
    },
    "404": {
      "application/problem+json": {
        "workload_not_found": {
          "type": "urn:checkpoint-control-plane:problem:workload_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such workload.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "workload_not_found",
          "message": "No such workload."
        }
      }
    }
  },
  "update_workload": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "cluster_id": "01932c00-0000-7000-8000-000000000002",
          "kind": "job",
          "status": "refused",
          "created_at": "2026-01-15T09:00:00.000Z",
          "taken_at": "2026-01-15T09:00:00.000Z",
          "taken_by": "01932c00-0000-7000-8000-000000000003",
          "error": "quota exceeded",
          "manifest": {
            "kind": "Job",
            "metadata": {
              "name": "train"
            },
            "spec": {}
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
          "detail": "status is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "status is required",
          "errors": [
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
        "workload_not_found": {
          "type": "urn:checkpoint-control-plane:problem:workload_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such workload.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "workload_not_found",
          "message": "No such workload."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "workload_outcome_known": {
          "type": "urn:checkpoint-control-plane:problem:workload_outcome_known",
          "title": "Conflict",
          "status": 409,
          "detail": "The workload was already reported as refused.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "workload_outcome_known",
          "message": "The workload was already reported as refused."
        }
      }
    }
  },
  "delete_cluster": {
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
        }
      }
    }
  },
  "list_hosts": {
    "200": {
      "application/json": {
        "reply": [
          {
            "Hostname": "gpu-1",
            "OS": "linux",
            "CPU": {
              "Count": 64
            },
            "Memory": {
              "Total": 540140630016
            },
            "ID": "host-1"
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
  "put_host": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "CPU must be an object",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "CPU must be an object",
          "errors": [
            {
              "field": "CPU",
              "message": "must be an object"
            }
          ]
        }
      }
    }
  },
  "delete_host": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "id must not contain the character U+0000",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "id must not contain the character U+0000",
          "errors": [
            {
              "field": "id",
              "message": "must not contain the character U+0000"
            }
          ]
        }
      }
    }
  },
  "list_legacy_jobs": {
    "200": {
      "application/json": {
        "reply": [
          {
            "Type": "process",
            "State": {
              "PID": 4711,
              "IsRunning": true,
              "Host": {
                "ID": "host-1"
              }
            },
            "JID": "train-1"
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
  "put_legacy_job": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "State must be an object",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "State must be an object",
          "errors": [
            {
              "field": "State",
              "message": "must be an object"
            }
          ]
        }
      }
    }
  },
  "delete_legacy_job": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "jid must not contain the character U+0000",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "jid must not contain the character U+0000",
          "errors": [
            {
              "field": "jid",
              "message": "must not contain the character U+0000"
            }
          ]
        }
      }
    }
  },
  "list_legacy_job_checkpoints": {
    "200": {
      "application/json": {
        "reply": [
          {
            "JID": "train-1",
            "Path": "/checkpoints/train-1",
            "Time": 1795200000000,
            "Size": 1048576,
            "ID": "01932c00-0000-7000-8000-000000000001"
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
  "put_legacy_job_checkpoint": {
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
          "detail": "Path must be a string",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "Path must be a string",
          "errors": [
            {
              "field": "Path",
              "message": "must be a string"
            }
          ]
        }
      }
    }
  },
  "delete_legacy_job_checkpoint": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "id must not contain the character U+0000",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "id must not contain the character U+0000",
          "errors": [
            {
              "field": "id",
              "message": "must not contain the character U+0000"
            }
          ]
        }
      }
    }
  },
  "list_nodes": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "gpu-node-1",
            "status": "Ready",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "cluster_name": "eu-gpu-1",
            "compute_type": "gpu",
            "instance_type": "m5.large",
            "region": "eu-west-1",
            "capacity_type": "on-demand"
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
  "get_nodes_summary": {
    "200": {
      "application/json": {
        "reply": [
          {
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "value": "Ready",
            "count": 1
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
  "count_nodes": {
    "200": {
      "application/json": {
        "reply": {
          "total_count": 1
        }
      }
    }
  },
  "list_pods": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "uid": "01932c00-0000-7000-8000-000000000002",
            "resource_version": "100",
            "cluster_id": "01932c00-0000-7000-8000-000000000003",
            "name": "train-89nms",
            "namespace": "training",
            "status": "Running",
            "reason": null,
            "age": "120m",
            "ready": "1/1",
            "node": "gpu-node-1",
            "restarts": 0,
            "monitored_by_policies": [],
            "start_time": "2026-01-15T08:00:00.000Z"
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
  "count_pods": {
    "200": {
      "application/json": {
        "reply": {
          "total_count": 1
        }
      }
    }
  },
  "list_pod_namespaces": {
    "200": {
      "application/json": {
        "reply": {
          "namespaces": [
            "training"
          ]
        }
      }
    }
  },
  "list_pod_statuses": {
    "200": {
      "application/json": {
        "reply": {
          "statuses": [
            "Running"
          ]
        }
      }
    }
  },
  "list_pods_paginated": {
    "200": {
      "application/json": {
        "reply": {
          "pods": [
            {
              "id": "01932c00-0000-7000-8000-000000000001",
              "uid": "01932c00-0000-7000-8000-000000000002",
              "resource_version": "100",
              "cluster_id": "01932c00-0000-7000-8000-000000000003",
              "name": "train-89nms",
              "namespace": "training",
              "status": "Running",
              "reason": null,
              "age": "120m",
              "ready": "1/1",
              "node": "gpu-node-1",
              "restarts": 0,
              "monitored_by_policies": [],
              "start_time": "2026-01-15T08:00:00.000Z"
            }
          ],
          "total_count": 1,
          "available_filters": {
            "statuses": [
              "Running"
            ],
            "namespaces": [
              "training"
            ]
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
  "list_jobs": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "uid": "01932c00-0000-7000-8000-000000000002",
            "resource_version": "100",
            "cluster_id": "01932c00-0000-7000-8000-000000000003",
            "name": "train",
            "namespace": "training",
            "status": "Running",
            "age": "120m",
            "monitored_by_policies": [],
            "policy_count": 0,
            "pod_ids": [
              "01932c00-0000-7000-8000-000000000004"
            ],
            "pod_count": 1,
            "completions": "0/1",
            "duration": "60m",
            "startTime": "2026-01-15T08:00:00.000Z",
            "priority": 100
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
  "count_jobs": {
    "200": {
      "application/json": {
        "reply": {
          "total_count": 1
        }
      }
    }
  },
  "list_job_namespaces": {
    "200": {
      "application/json": {
        "reply": {
          "namespaces": [
            "training"
          ]
        }
      }
    }
  },
  "list_job_statuses": {
    "200": {
      "application/json": {
        "reply": {
          "statuses": [
            "Running"
          ]
        }
      }
    }
  },
  "list_jobs_paginated": {
    "200": {
      "application/json": {
        "reply": {
          "jobs": [
            {
              "id": "01932c00-0000-7000-8000-000000000001",
              "uid": "01932c00-0000-7000-8000-000000000002",
              "resource_version": "100",
              "cluster_id": "01932c00-0000-7000-8000-000000000003",
              "name": "train",
              "namespace": "training",
              "status": "Running",
              "age": "120m",
              "monitored_by_policies": [],
              "policy_count": 0,
              "pod_ids": [
                "01932c00-0000-7000-8000-000000000004"
              ],
              "pod_count": 1,
              "completions": "0/1",
              "duration": "60m",
              "startTime": "2026-01-15T08:00:00.000Z",
              "priority": 100
            }
          ],
          "total_count": 1,
          "available_filters": {
            "statuses": [
              "Running"
            ],
            "namespaces": [
              "training"
            ]
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
  "list_job_priorities": {
    "200": {
      "application/json": {
        "reply": {
          "priorities": [
            100
          ],
          "priority_counts": {
            "100": 1
          }
        }
      }
    }
  },
  "list_jobs_by_priority": {
    "200": {
      "application/json": {
        "reply": {
          "jobs": [
            {
              "id": "01932c00-0000-7000-8000-000000000001",
              "uid": "01932c00-0000-7000-8000-000000000002",
              "resource_version": "100",
              "cluster_id": "01932c00-0000-7000-8000-000000000003",
              "name": "train",
              "namespace": "training",
              "status": "Running",
              "age": "120m",
              "monitored_by_policies": [],
              "policy_count": 0,
              "pod_ids": [
                "01932c00-0000-7000-8000-000000000004"
              ],
              "pod_count": 1,
              "completions": "0/1",
              "duration": "60m",
              "startTime": "2026-01-15T08:00:00.000Z",
              "priority": 100
            }
          ],
          "total_count": 1,
          "available_filters": {
            "statuses": [
              "Running"
            ],
            "namespaces": [
              "training"
            ]
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
          "detail": "priority must be a 32-bit integer",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "priority must be a 32-bit integer",
          "errors": [
            {
              "field": "priority",
              "message": "must be a 32-bit integer"
            }
          ]
        }
      }
    }
  },
  "filter_jobs": {
    "200": {
      "application/json": {
        "reply": {
          "jobs": [
            {
              "id": "01932c00-0000-7000-8000-000000000001",
              "name": "train",
              "namespace": "training",
              "status": "Running",
              "pod_count": 1,
              "priority": 100,
              "start_time": "2026-01-15T08:00:00.000Z"
            }
          ],
          "total_count": 1,
          "available_priorities": [
            100
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
  "list_job_pods": {
    "200": {
      "application/json": {
        "reply": {
          "job_id": "01932c00-0000-7000-8000-000000000001",
          "job_name": "train",
          "total_count": 1,
          "pods": [
            {
              "id": "01932c00-0000-7000-8000-000000000002",
              "name": "train-89nms",
              "namespace": "training",
              "status": "Running",
              "owner_reference": "Job/train"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "job_not_found": {
          "type": "urn:checkpoint-control-plane:problem:job_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such job.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "job_not_found",
          "message": "No such job."
        }
      }
    }
  },
  "sync_cluster": {
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
          "detail": "resource is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "resource is required",
          "errors": [
            {
              "field": "resource",
              "message": "is required"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "node_not_found": {
          "type": "urn:checkpoint-control-plane:problem:node_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "The cluster has not reported the node gpu-node-9 yet.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "node_not_found",
          "message": "The cluster has not reported the node gpu-node-9 yet."
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
  "sync_cluster_batch": {
    "200": {
      "application/json": {
        "reply": {
          "synced": 2,
          "failed": []
        }
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "cluster_id is required; resources is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "cluster_id is required; resources is required",
          "errors": [
            {
              "field": "cluster_id",
              "message": "is required"
            },
            {
              "field": "resources",
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
        }
      }
    }
  },
  "list_slurm_jobs": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": 2,
            "job_id": 4711,
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "name": "llm-eval",
            "nodes": "n1",
            "priority": 0,
            "status": "RUNNING",
            "start_time": 1768464100,
            "submit_time": 1768464000,
            "account": null,
            "partition": "gpu",
            "work_dir": null,
            "num_cpus": null,
            "num_nodes": null,
            "exit_code": null,
            "derived_ec": null,
            "derived_es": null,
            "end_time": 0,
            "failed_node": null,
            "kill_requid": null,
            "state_reason_prev": null,
            "time_suspended": null
          },
          {
            "id": 1,
            "job_id": 4700,
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "name": "prepare",
            "nodes": "n1",
            "priority": 0,
            "status": "COMPLETED",
            "start_time": 1768458700,
            "submit_time": 1768458600,
            "account": null,
            "partition": "gpu",
            "work_dir": null,
            "num_cpus": null,
            "num_nodes": null,
            "exit_code": null,
            "derived_ec": null,
            "derived_es": null,
            "end_time": 1768460400,
            "failed_node": null,
            "kill_requid": null,
            "state_reason_prev": null,
            "time_suspended": null
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
  "sync_slurm_jobs": {
    "200": {
      "text/plain": {
        "reply": "synced 2 jobs"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "jobs is required; cluster_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "jobs is required; cluster_id is required",
          "errors": [
            {
              "field": "jobs",
              "message": "is required"
            },
            {
              "field": "cluster_id",
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
        }
      }
    }
  },
  "list_slurm_jobs_paginated": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": 2,
            "job_id": 4711,
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "name": "llm-eval",
            "nodes": "n1",
            "priority": 0,
            "status": "RUNNING",
            "start_time": 1768464100,
            "submit_time": 1768464000,
            "account": null,
            "partition": "gpu",
            "work_dir": null,
            "num_cpus": null,
            "num_nodes": null,
            "exit_code": null,
            "derived_ec": null,
            "derived_es": null,
            "end_time": 0,
            "failed_node": null,
            "kill_requid": null,
            "state_reason_prev": null,
            "time_suspended": null
          },
          {
            "id": 1,
            "job_id": 4700,
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "name": "prepare",
            "nodes": "n1",
            "priority": 0,
            "status": "COMPLETED",
            "start_time": 1768458700,
            "submit_time": 1768458600,
            "account": null,
            "partition": "gpu",
            "work_dir": null,
            "num_cpus": null,
            "num_nodes": null,
            "exit_code": null,
            "derived_ec": null,
            "derived_es": null,
            "end_time": 1768460400,
            "failed_node": null,
            "kill_requid": null,
            "state_reason_prev": null,
            "time_suspended": null
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
          "detail": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "offset",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "list_slurm_events": {
    "200": {
      "application/json": {
        "reply": [
          {
            "job_id": 4700,
            "cluster_id": "01932c00-0000-7000-8000-000000000001",
            "name": "prepare",
            "status": "COMPLETED",
            "timestamp": 1768460400,
            "derived_ec": null,
            "exit_code": null,
            "failed_node": null,
            "kill_requid": null,
            "partition": "gpu",
            "reason": null,
            "time_suspended": null
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
  "list_slurm_inventory_clusters": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "spike",
            "status": "ACTIVE",
            "metadata": {
              "nodes": "n[1-3]"
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
  "list_slurm_inventory_clusters_paginated": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "spike",
            "status": "ACTIVE",
            "metadata": {
              "nodes": "n[1-3]"
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
          "detail": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "offset",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "sync_slurm_clusters": {
    "200": {
      "text/plain": {
        "reply": "synced 1 clusters"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_errors": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "errors": [
            {
              "field": "errors",
              "message": "must be empty: Slurm says that its call failed (Unable to contact slurm controller)"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "clusters is required; cluster_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "clusters is required; cluster_id is required",
          "errors": [
            {
              "field": "clusters",
              "message": "is required"
            },
            {
              "field": "cluster_id",
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
        }
      }
    }
  },
  "list_slurm_inventory_nodes": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "n1",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "status": "MIXED+DRAIN",
            "cpus": 2,
            "memory": 8000,
            "partitions": [
              "gpu"
            ],
            "reason": "disk check",
            "alloc_cpus": 1,
            "load": 1.73,
            "alloc_memory": 256,
            "free_memory": 6931
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
  "list_slurm_inventory_nodes_paginated": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "n1",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "status": "MIXED+DRAIN",
            "cpus": 2,
            "memory": 8000,
            "partitions": [
              "gpu"
            ],
            "reason": "disk check",
            "alloc_cpus": 1,
            "load": 1.73,
            "alloc_memory": 256,
            "free_memory": 6931
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
          "detail": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "offset",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "sync_slurm_nodes": {
    "200": {
      "text/plain": {
        "reply": "synced 1 nodes"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_errors": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "errors": [
            {
              "field": "errors",
              "message": "must be empty: Slurm says that its call failed (Unable to contact slurm controller)"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "nodes is required; cluster_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "nodes is required; cluster_id is required",
          "errors": [
            {
              "field": "nodes",
              "message": "is required"
            },
            {
              "field": "cluster_id",
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
        }
      }
    }
  },
  "list_slurm_inventory_partitions": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "gpu",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "state": "UNKNOWN",
            "nodes": "n[1-2]",
            "total_nodes": 2,
            "total_cpus": 0,
            "priority_tier": 1,
            "max_time": -1,
            "default_time": -1,
            "is_default": false
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
  "list_slurm_inventory_partitions_paginated": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "gpu",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "state": "UNKNOWN",
            "nodes": "n[1-2]",
            "total_nodes": 2,
            "total_cpus": 0,
            "priority_tier": 1,
            "max_time": -1,
            "default_time": -1,
            "is_default": false
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
          "detail": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "offset must be an integer that a double holds exactly (up to 2^53-1)",
          "errors": [
            {
              "field": "offset",
              "message": "must be an integer that a double holds exactly (up to 2^53-1)"
            }
          ]
        }
      }
    }
  },
  "sync_slurm_partitions": {
    "200": {
      "text/plain": {
        "reply": "synced 1 partitions"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_errors": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "errors": [
            {
              "field": "errors",
              "message": "must be empty: Slurm says that its call failed (Unable to contact slurm controller)"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "partitions is required; cluster_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "partitions is required; cluster_id is required",
          "errors": [
            {
              "field": "partitions",
              "message": "is required"
            },
            {
              "field": "cluster_id",
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
        }
      }
    }
  },
  "list_maintenance_windows": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "firmware",
            "cluster_id": "01932c00-0000-7000-8000-000000000002",
            "reason": null,
            "status": "scheduled",
            "start_time": "2026-01-16T09:00:00.000Z",
            "end_time": "2026-01-16T10:00:00.000Z",
            "created_at": "2026-01-15T09:00:00.000Z",
            "nodes": [
              "n1",
              "n2",
              "n3"
            ],
            "partitions": null
          },
          {
            "id": "01932c00-0000-7000-8000-000000000003",
            "name": null,
            "cluster_id": null,
            "reason": "Firmware",
            "status": "scheduled",
            "start_time": "2026-01-17T09:00:00.000Z",
            "end_time": "2026-01-17T11:00:00.000Z",
            "created_at": "2026-01-15T09:00:00.000Z",
            "nodes": [
              "n1"
            ],
            "partitions": null
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
  "create_maintenance_window": {
    "201": {
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
          "detail": "start_time is required; end_time is required; reason is required; unknown_member is not a member of this body",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "start_time is required; end_time is required; reason is required; unknown_member is not a member of this body",
          "errors": [
            {
              "field": "start_time",
              "message": "is required"
            },
            {
              "field": "end_time",
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
    }
  },
  "sync_maintenance_windows": {
    "200": {
      "text/plain": {
        "reply": "synced 1 maintenance windows"
      }
    },
    "400": {
      "application/problem+json": {
        "validation_failed_errors": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "errors must be empty: Slurm says that its call failed (Unable to contact slurm controller)",
          "errors": [
            {
              "field": "errors",
              "message": "must be empty: Slurm says that its call failed (Unable to contact slurm controller)"
            }
          ]
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "cluster_id is required",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "cluster_id is required",
          "errors": [
            {
              "field": "cluster_id",
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
        }
      }
    }
  },
  "get_maintenance_window": {
    "200": {
      "application/json": {
        "reply": {
          "id": "01932c00-0000-7000-8000-000000000001",
          "name": null,
          "cluster_id": null,
          "reason": "Firmware",
          "status": "scheduled",
          "start_time": "2026-01-17T09:00:00.000Z",
          "end_time": "2026-01-17T11:00:00.000Z",
          "created_at": "2026-01-15T09:00:00.000Z",
          "nodes": [
            "n1"
          ],
          "partitions": null
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
        "maintenance_window_not_found": {
          "type": "urn:checkpoint-control-plane:problem:maintenance_window_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such maintenance window.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "maintenance_window_not_found",
          "message": "No such maintenance window."
        }
      }
    }
  },
  "update_maintenance_window": {
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
        "maintenance_window_not_found": {
          "type": "urn:checkpoint-control-plane:problem:maintenance_window_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such maintenance window.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "maintenance_window_not_found",
          "message": "No such maintenance window."
        }
      }
    }
  },
  "delete_maintenance_window": {
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
        "maintenance_window_not_found": {
          "type": "urn:checkpoint-control-plane:problem:maintenance_window_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such maintenance window.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "maintenance_window_not_found",
          "message": "No such maintenance window."
        }
      }
    }
  }
};
