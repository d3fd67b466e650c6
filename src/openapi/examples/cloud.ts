// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const CLOUD: Record<string, Replies> = {
  "download_main_binary": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "exact must be true or false",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "exact must be true or false",
          "errors": [
            {
              "field": "exact",
              "message": "must be true or false"
            }
          ]
        },
        "validation_failed_version": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "version",
              "message": "must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_arch": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "arch",
              "message": "must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_build": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "build must be one of alpha, release",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "build must be one of alpha, release",
          "errors": [
            {
              "field": "build",
              "message": "must be one of alpha, release"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "plugin_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:plugin_unavailable",
          "title": "Not Found",
          "status": 404,
          "detail": "The uploaded file does not match its checksum, or is too large.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_unavailable",
          "message": "The uploaded file does not match its checksum, or is too large."
        },
        "plugin_not_found": {
          "type": "urn:checkpoint-control-plane:problem:plugin_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No file with that name, version, architecture and build was uploaded.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_not_found",
          "message": "No file with that name, version, architecture and build was uploaded."
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
  "download_install_script": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "exact must be true or false",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "exact must be true or false",
          "errors": [
            {
              "field": "exact",
              "message": "must be true or false"
            }
          ]
        },
        "validation_failed_version": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "version",
              "message": "must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_arch": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "arch",
              "message": "must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_build": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "build must be one of alpha, release",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "build must be one of alpha, release",
          "errors": [
            {
              "field": "build",
              "message": "must be one of alpha, release"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "plugin_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:plugin_unavailable",
          "title": "Not Found",
          "status": 404,
          "detail": "The uploaded file does not match its checksum, or is too large.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_unavailable",
          "message": "The uploaded file does not match its checksum, or is too large."
        },
        "plugin_not_found": {
          "type": "urn:checkpoint-control-plane:problem:plugin_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No file with that name, version, architecture and build was uploaded.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_not_found",
          "message": "No file with that name, version, architecture and build was uploaded."
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
  "download_slurm_install_script": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "exact must be true or false",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "exact must be true or false",
          "errors": [
            {
              "field": "exact",
              "message": "must be true or false"
            }
          ]
        },
        "validation_failed_version": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "version",
              "message": "must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_arch": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "arch",
              "message": "must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_build": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "build must be one of alpha, release",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "build must be one of alpha, release",
          "errors": [
            {
              "field": "build",
              "message": "must be one of alpha, release"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "plugin_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:plugin_unavailable",
          "title": "Not Found",
          "status": 404,
          "detail": "The uploaded file does not match its checksum, or is too large.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_unavailable",
          "message": "The uploaded file does not match its checksum, or is too large."
        },
        "plugin_not_found": {
          "type": "urn:checkpoint-control-plane:problem:plugin_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No file with that name, version, architecture and build was uploaded.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_not_found",
          "message": "No file with that name, version, architecture and build was uploaded."
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
  "list_plugins": {
    "200": {
      "application/json": {
        "reply": [
          {
            "name": "gpu-plugin",
            "version": "1.4.0",
            "latest_version": "1.4.0",
            "published_at": "2026-01-15T09:00:00.000Z",
            "size": 10,
            "status": "AVAILABLE",
            "type": "SUPPORTED",
            "binaries": [
              {
                "name": "gpu-plugin",
                "install_dir": "/usr/local/bin",
                "checksum": "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
              }
            ],
            "libraries": []
          },
          {
            "name": "install",
            "version": "1.4.0",
            "latest_version": "1.4.0",
            "published_at": "2026-01-15T09:00:00.000Z",
            "size": 10,
            "status": "AVAILABLE",
            "type": "SUPPORTED",
            "binaries": [
              {
                "name": "install",
                "install_dir": "/usr/local/bin",
                "checksum": "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
              }
            ],
            "libraries": []
          },
          {
            "name": "install-slurm",
            "version": "1.4.0",
            "latest_version": "1.4.0",
            "published_at": "2026-01-15T09:00:00.000Z",
            "size": 10,
            "status": "AVAILABLE",
            "type": "SUPPORTED",
            "binaries": [
              {
                "name": "install-slurm",
                "install_dir": "/usr/local/bin",
                "checksum": "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
              }
            ],
            "libraries": []
          },
          {
            "name": "main",
            "version": "1.4.0",
            "latest_version": "1.4.0",
            "published_at": "2026-01-15T09:00:00.000Z",
            "size": 10,
            "status": "AVAILABLE",
            "type": "SUPPORTED",
            "binaries": [
              {
                "name": "main",
                "install_dir": "/usr/local/bin",
                "checksum": "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
              }
            ],
            "libraries": []
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
  "download_plugin_binary": {
    "400": {
      "application/problem+json": {
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "exact must be true or false",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "exact must be true or false",
          "errors": [
            {
              "field": "exact",
              "message": "must be true or false"
            }
          ]
        },
        "validation_failed_version": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "version must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "version",
              "message": "must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_arch": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "arch must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit",
          "errors": [
            {
              "field": "arch",
              "message": "must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit"
            }
          ]
        },
        "validation_failed_build": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "build must be one of alpha, release",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "build must be one of alpha, release",
          "errors": [
            {
              "field": "build",
              "message": "must be one of alpha, release"
            }
          ]
        },
        "validation_failed_binary_name": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "binary_name must be at most 6 parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "binary_name must be at most 6 parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -",
          "errors": [
            {
              "field": "binary_name",
              "message": "must be at most 6 parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -"
            }
          ]
        }
      }
    },
    "404": {
      "application/problem+json": {
        "plugin_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:plugin_unavailable",
          "title": "Not Found",
          "status": 404,
          "detail": "The uploaded file does not match its checksum, or is too large.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_unavailable",
          "message": "The uploaded file does not match its checksum, or is too large."
        },
        "plugin_not_found": {
          "type": "urn:checkpoint-control-plane:problem:plugin_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No file with that name, version, architecture and build was uploaded.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "plugin_not_found",
          "message": "No file with that name, version, architecture and build was uploaded."
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
  "upload_plugin": {
    "200": {
      "application/json": {
        "reply": {
          "latest_upload_url": "http://127.0.0.1:8000/objects/plugins/01932c00-0000-7000-8000-000000000001/main/release-amd64-latest/01932c00-0000-7000-8000-000000000002/main?expires=x&signature=x",
          "version_upload_url": "http://127.0.0.1:8000/objects/plugins/01932c00-0000-7000-8000-000000000001/main/release-amd64-1.4.0/01932c00-0000-7000-8000-000000000003/main?expires=x&signature=x"
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
    "403": {
      "application/problem+json": {
        "forbidden": {
          "type": "urn:checkpoint-control-plane:problem:forbidden",
          "title": "Forbidden",
          "status": 403,
          "detail": "The role viewer may not call upload_plugin.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "forbidden",
          "message": "The role viewer may not call upload_plugin."
        },
        "another_organisation_publishes": {
          "type": "urn:checkpoint-control-plane:problem:another_organisation_publishes",
          "title": "Forbidden",
          "status": 403,
          "detail": "Plugins are public here and belong to the first organisation: only it publishes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "another_organisation_publishes",
          "message": "Plugins are public here and belong to the first organisation: only it publishes."
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
  "list_instances": {
    "200": {
      "application/json": {
        "reply": [
          {
            "id": "01932c00-0000-7000-8000-000000000001",
            "name": "burst-1",
            "cloud_provider": "hyperstack",
            "instance_type": "A6000",
            "region": "canada-1",
            "status": "creating",
            "created_at": "2026-01-15T09:00:00.000Z",
            "reason": null,
            "hourly_price": null,
            "cost_estimate": null,
            "active_at": null
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
  "create_instance": {
    "200": {
      "application/json": {
        "reply": {
          "instance_id": "01932c00-0000-7000-8000-000000000001",
          "cloud_provider": "hyperstack",
          "instance_type": "A6000",
          "region": "canada-1",
          "status": "creating"
        }
      }
    },
    "400": {
      "application/problem+json": {
        "instance_refused": {
          "type": "urn:checkpoint-control-plane:problem:instance_refused",
          "title": "Bad Request",
          "status": 400,
          "detail": "The marketplace refuses this instance: os is not supported",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "instance_refused",
          "message": "The marketplace refuses this instance: os is not supported"
        },
        "validation_failed": {
          "type": "urn:checkpoint-control-plane:problem:validation_failed",
          "title": "Bad Request",
          "status": 400,
          "detail": "cloud is required; name is required; region is required; marketplace_cloud is required; marketplace_instance_type is required; and 1 more",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "validation_failed",
          "message": "cloud is required; name is required; region is required; marketplace_cloud is required; marketplace_instance_type is required; and 1 more",
          "errors": [
            {
              "field": "cloud",
              "message": "is required"
            },
            {
              "field": "name",
              "message": "is required"
            },
            {
              "field": "region",
              "message": "is required"
            },
            {
              "field": "marketplace_cloud",
              "message": "is required"
            },
            {
              "field": "marketplace_instance_type",
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
        "out_of_capacity": {
          "type": "urn:checkpoint-control-plane:problem:out_of_capacity",
          "title": "Conflict",
          "status": 409,
          "detail": "The marketplace has no capacity left for this instance: take another type or region.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "out_of_capacity",
          "message": "The marketplace has no capacity left for this instance: take another type or region."
        }
      }
    },
    "503": {
      "application/problem+json": {
        "marketplace_busy": {
          "type": "urn:checkpoint-control-plane:problem:marketplace_busy",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The marketplace takes no more requests for now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "marketplace_busy",
          "message": "The marketplace takes no more requests for now."
        },
        "marketplace_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:marketplace_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "Nothing was done: the marketplace fails.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "marketplace_unavailable",
          "message": "Nothing was done: the marketplace fails."
        },
        "bursting_key_refused": {
          "type": "urn:checkpoint-control-plane:problem:bursting_key_refused",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The marketplace refuses the configured key.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "bursting_key_refused",
          "message": "The marketplace refuses the configured key."
        },
        "bursting_not_configured": {
          "type": "urn:checkpoint-control-plane:problem:bursting_not_configured",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No marketplace is configured (MARKETPLACE_API_KEY).",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "bursting_not_configured",
          "message": "No marketplace is configured (MARKETPLACE_API_KEY)."
        }
      }
    }
  },
  "get_bursting_status": {
    "200": {
      "application/json": {
        "reply": {
          "status": "configured",
          "message": "The marketplace accepts the key.",
          "can_use_bursting": true
        }
      }
    }
  },
  "list_instance_types": {
    "200": {
      "application/json": {
        "reply": [
          {
            "cloud": "hyperstack",
            "cloud_instance_type": "gpu_1x_a6000",
            "deployment_type": "vm",
            "marketplace_instance_type": "A6000",
            "hourly_price": 57,
            "availability": [
              {
                "available": true,
                "display_name": "CA, Montreal",
                "region": "canada-1"
              }
            ],
            "boot_time": {
              "min_boot_in_sec": 180,
              "max_boot_in_sec": 300
            },
            "configuration": {
              "gpu_type": "A6000",
              "interconnect": "pcie",
              "memory_in_gb": 48,
              "num_gpus": 1,
              "storage_in_gb": 256,
              "vcpus": 6,
              "vram_per_gpu_in_gb": 48,
              "nvlink": false,
              "os_options": [
                "ubuntu22.04_cuda12.2_shade_os"
              ]
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
    },
    "503": {
      "application/problem+json": {
        "marketplace_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:marketplace_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "Nothing was done: the marketplace fails.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "marketplace_unavailable",
          "message": "Nothing was done: the marketplace fails."
        },
        "marketplace_busy": {
          "type": "urn:checkpoint-control-plane:problem:marketplace_busy",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The marketplace takes no more requests for now.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "marketplace_busy",
          "message": "The marketplace takes no more requests for now."
        },
        "bursting_key_refused": {
          "type": "urn:checkpoint-control-plane:problem:bursting_key_refused",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The marketplace refuses the configured key.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "bursting_key_refused",
          "message": "The marketplace refuses the configured key."
        }
      }
    }
  },
  "delete_instance": {
    "200": {
      "text/plain": {
        "reply": "01932c00-0000-7000-8000-000000000001"
      }
    },
    "404": {
      "application/problem+json": {
        "instance_not_found": {
          "type": "urn:checkpoint-control-plane:problem:instance_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such instance.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "instance_not_found",
          "message": "No such instance."
        }
      }
    },
    "409": {
      "application/problem+json": {
        "machine_of_another_key": {
          "type": "urn:checkpoint-control-plane:problem:machine_of_another_key",
          "title": "Conflict",
          "status": 409,
          "detail": "The machine was rented with another key of the marketplace, and the configured one does not list it. Delete it with that key configured, or at the marketplace; then an admin may have it forgotten (forget=true).",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "machine_of_another_key",
          "message": "The machine was rented with another key of the marketplace, and the configured one does not list it. Delete it with that key configured, or at the marketplace; then an admin may have it forgotten (forget=true)."
        }
      }
    },
    "503": {
      "application/problem+json": {
        "bursting_not_configured": {
          "type": "urn:checkpoint-control-plane:problem:bursting_not_configured",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "No marketplace is configured (MARKETPLACE_API_KEY).",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "bursting_not_configured",
          "message": "No marketplace is configured (MARKETPLACE_API_KEY)."
        }
      }
    }
  },
  "get_instance_status": {
    "200": {
      "application/json": {
        "reply": {
          "instance_id": "01932c00-0000-7000-8000-000000000001",
          "status": "creating",
          "metadata": {
            "name": "burst-1",
            "cloud_provider": "hyperstack",
            "instance_type": "A6000",
            "region": "canada-1",
            "marketplace_id": "01932c00-0000-7000-8000-000000000002",
            "asked_at": "2026-01-15T09:00:00.000Z",
            "seen_at": null,
            "asked": {
              "marketplace_cloud": true,
              "os": "ubuntu22.04_cuda12.2_shade_os"
            }
          },
          "created_at": "2026-01-15T09:00:00.000Z",
          "ip_address": null,
          "ssh_user": null,
          "ssh_port": null
        }
      }
    },
    "404": {
      "application/problem+json": {
        "instance_not_found": {
          "type": "urn:checkpoint-control-plane:problem:instance_not_found",
          "title": "Not Found",
          "status": 404,
          "detail": "No such instance.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "instance_not_found",
          "message": "No such instance."
        }
      }
    }
  }
};
