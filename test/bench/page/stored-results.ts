import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from '../bench';
import type { Machine } from './machine';

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
  /** Of all that clients sent in this round, 0 to 1. */
  readonly share: number;
  /** Whether it runs in a function or a trigger: its time is part of another statement's. */
  readonly isNested: boolean;
  /** Whether the plan is one that ran; else it is the one for any values. */
  readonly hasRun: boolean;
  /** As `explain` shows it, or why it cannot. */
  readonly plan: string;
}

/** What one round more showed, which is not part of the figures. */
export interface Profile {
  readonly shares: readonly CpuShare[];
  readonly statements: readonly HeavyStatement[];
}

export interface StoredResult {
  /** The day on which it was measured, in UTC. */
  readonly date: string;
  /** When its run began: results with the same time are of one run. Older results have none. */
  readonly run?: string;
  /** Of the service. */
  readonly version: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly result: CaseResult;
  readonly profile?: Profile;
}

/** Formatted as all files are. */
export const RESULTS_FILE = join(__dirname, 'results.json');

export const readResults = (): Record<string, StoredResult> =>
  existsSync(RESULTS_FILE) ? (JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as Record<string, StoredResult>) : {};

/** Keeps those of cases that did not run now. */
export function storeResults(measured: readonly StoredResult[]): Record<string, StoredResult> {
  const all = { ...readResults(), ...Object.fromEntries(measured.map((one) => [one.result.name, one])) };
  writeFileSync(RESULTS_FILE, `${JSON.stringify(all, null, 2)}\n`);
  return all;
}
