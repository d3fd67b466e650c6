import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from '../bench';

/** A part of the busy time of the service's processes. */
export interface CpuShare {
  /** A package, a folder of the service, a module of Node, or V8 itself. */
  readonly place: string;
  /** 0 to 1. */
  readonly share: number;
}

/** One statement that the service ran in the profiled round of a case. */
export interface HeavyStatement {
  /** As PostgreSQL normalises it. */
  readonly text: string;
  readonly calls: number;
  /** Milliseconds of all calls. */
  readonly totalMs: number;
  /** Of all that ran in this round, 0 to 1. */
  readonly share: number;
  /** As `explain (generic_plan)` shows it, or why it cannot. */
  readonly plan: string;
}

/** What one round more showed, which is not part of the figures. */
export interface Profile {
  readonly shares: readonly CpuShare[];
  readonly statements: readonly HeavyStatement[];
}

export interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgresql: string;
}

export interface StoredResult {
  /** The day on which it was measured, in UTC. */
  readonly date: string;
  /** Of the service. */
  readonly version: string;
  readonly machine: Machine;
  readonly result: CaseResult;
  readonly profile?: Profile;
}

const FILE = join(__dirname, 'results.json');

export const readResults = (): Record<string, StoredResult> =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, StoredResult>) : {};

/** Keeps those of cases that did not run now. */
export function storeResults(measured: readonly StoredResult[]): Record<string, StoredResult> {
  const all = { ...readResults(), ...Object.fromEntries(measured.map((one) => [one.result.name, one])) };
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
  return all;
}
