import { readFileSync } from 'node:fs';
import { hostname, release } from 'node:os';
import { v5, NIL } from 'uuid';
import { ARCHITECTURE } from '../../machine/platform';
import type { NodeFacts } from './pod-resources';

/** This machine as a node. @param name in place of the host's name */
export function nodeFacts(name = hostname()): NodeFacts {
  // Two nodes on one machine, as tests and demonstrations have them, differ by their names.
  const machine = firstLine('/etc/machine-id') || hostname();
  return {
    name,
    uid: v5(`${machine} ${name}`, NIL),
    bootId: firstLine('/proc/sys/kernel/random/boot_id'),
    architecture: ARCHITECTURE,
    kernel: release(),
  };
}

function firstLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
