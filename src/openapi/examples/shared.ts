// Written by npm run openapi:examples, from replies of a running service.
import type { Replies } from '../replies';

export const SHARED: Record<string, Replies> = {
  "plain": {
    "401": {
      "application/problem+json": {
        "unauthenticated": {
          "type": "urn:checkpoint-control-plane:problem:unauthenticated",
          "title": "Unauthorized",
          "status": 401,
          "detail": "A valid bearer token is needed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unauthenticated",
          "message": "A valid bearer token is needed."
        }
      }
    },
    "403": {
      "application/problem+json": {
        "forbidden": {
          "type": "urn:checkpoint-control-plane:problem:forbidden",
          "title": "Forbidden",
          "status": 403,
          "detail": "The role viewer may not call save_cluster.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "forbidden",
          "message": "The role viewer may not call save_cluster."
        }
      }
    },
    "413": {
      "application/problem+json": {
        "body_too_large": {
          "type": "urn:checkpoint-control-plane:problem:body_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The body must be at most 1048576 bytes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "body_too_large",
          "message": "The body must be at most 1048576 bytes."
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
          "message": "The body must be application/json."
        }
      }
    },
    "422": {
      "application/problem+json": {
        "idempotency_key_reused": {
          "type": "urn:checkpoint-control-plane:problem:idempotency_key_reused",
          "title": "Unprocessable Entity",
          "status": 422,
          "detail": "This Idempotency-Key was used with another body or path.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "idempotency_key_reused",
          "message": "This Idempotency-Key was used with another body or path."
        }
      }
    },
    "500": {
      "application/problem+json": {
        "internal_error": {
          "type": "urn:checkpoint-control-plane:problem:internal_error",
          "title": "Internal Server Error",
          "status": 500,
          "detail": "Something went wrong on our side.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "internal_error",
          "message": "Something went wrong on our side."
        }
      }
    },
    "503": {
      "application/problem+json": {
        "starting": {
          "type": "urn:checkpoint-control-plane:problem:starting",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "This instance is starting.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "starting",
          "message": "This instance is starting."
        },
        "identity_provider_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:identity_provider_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The keys of the identity provider cannot be read; try again.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "identity_provider_unavailable",
          "message": "The keys of the identity provider cannot be read; try again."
        }
      }
    }
  },
  "inference": {
    "401": {
      "application/problem+json": {
        "unauthenticated": {
          "type": "urn:checkpoint-control-plane:problem:unauthenticated",
          "title": "Unauthorized",
          "status": 401,
          "detail": "A valid bearer token is needed.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "unauthenticated",
          "message": "A valid bearer token is needed."
        }
      }
    },
    "403": {
      "application/problem+json": {
        "forbidden": {
          "type": "urn:checkpoint-control-plane:problem:forbidden",
          "title": "Forbidden",
          "status": 403,
          "detail": "The role viewer may not call create_inference_key.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "forbidden",
          "message": "The role viewer may not call create_inference_key."
        }
      }
    },
    "413": {
      "application/problem+json": {
        "body_too_large": {
          "type": "urn:checkpoint-control-plane:problem:body_too_large",
          "title": "Payload Too Large",
          "status": 413,
          "detail": "The body must be at most 1048576 bytes.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "body_too_large",
          "message": "The body must be at most 1048576 bytes."
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
          "message": "The body must be application/json."
        }
      }
    },
    "422": {
      "application/problem+json": {
        "idempotency_key_reused": {
          "type": "urn:checkpoint-control-plane:problem:idempotency_key_reused",
          "title": "Unprocessable Entity",
          "status": 422,
          "detail": "This Idempotency-Key was used with another body or path.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "idempotency_key_reused",
          "message": "This Idempotency-Key was used with another body or path."
        }
      }
    },
    "500": {
      "application/problem+json": {
        "internal_error": {
          "type": "urn:checkpoint-control-plane:problem:internal_error",
          "title": "Internal Server Error",
          "status": 500,
          "detail": "Something went wrong on our side.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "internal_error",
          "message": "Something went wrong on our side."
        }
      }
    },
    "503": {
      "application/problem+json": {
        "starting": {
          "type": "urn:checkpoint-control-plane:problem:starting",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "This instance is starting.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "starting",
          "message": "This instance is starting.",
          "error": {
            "message": "This instance is starting.",
            "type": "server_error",
            "param": null,
            "code": "starting"
          }
        },
        "identity_provider_unavailable": {
          "type": "urn:checkpoint-control-plane:problem:identity_provider_unavailable",
          "title": "Service Unavailable",
          "status": 503,
          "detail": "The keys of the identity provider cannot be read; try again.",
          "instance": "01932c00-0000-7000-8000-000000000001",
          "code": "identity_provider_unavailable",
          "message": "The keys of the identity provider cannot be read; try again."
        }
      }
    }
  }
};
