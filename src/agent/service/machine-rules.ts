// Written by `npm run openapi`: how the service compares machines.

export const MACHINE_RULES = {
  "architecture": {
    "fits": "equal",
    "mismatch": "block"
  },
  "page_size": {
    "fits": "equal",
    "mismatch": "block"
  },
  "criu": {
    "fits": "at_least",
    "mismatch": "block"
  },
  "cpu_flags": {
    "fits": "all_of",
    "mismatch": "block"
  },
  "kernel_features": {
    "fits": "all_of",
    "mismatch": "block"
  },
  "libc": {
    "fits": "equal",
    "mismatch": "warn"
  },
  "cgroup_mode": {
    "fits": "equal",
    "mismatch": "warn"
  },
  "image_digest": {
    "fits": "equal",
    "mismatch": "warn"
  },
  "gpus": {
    "fits": "all_of",
    "mismatch": "warn"
  },
  "gpu_driver": {
    "fits": "equal",
    "mismatch": "warn"
  }
} as const;
