import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Cause, FailureFacts } from '../../failures';
import type { MachineFacts } from '../../machine/machine-facts';
import { readJsonSync, writeJsonSync } from '../../files/json-file';
import type { Manifest } from '../../store/manifest';

/** A repaired store, or a fault that was none, gets another chance after this time. */
export const REMEMBERED_MS = 3_600_000;

const DAMAGED: Cause = 'checkpoint_damaged';

/** What does not change by itself: a repeated restore would only fail again. */
const LASTING: readonly Cause[] = [DAMAGED, 'incompatible', 'cpu_features', 'cgroup_mode'];

type Refused = Pick<Manifest, 'id' | 'reference'>;

interface Refusal {
  readonly failure: FailureFacts;
  /** Of what was refused; undefined: an older supervisor has refused it. */
  readonly reference?: string;
  readonly refusedAt: string;
  /** What restores depend on: another CRIU may restore what an older one could not. */
  readonly machine: string;
}

/** Checkpoints that cannot be restored here, so that nobody reads their images again and again. */
export class Refusals {
  private readonly directory: string;

  constructor(
    stateDir: string,
    private readonly machine: MachineFacts,
    private readonly now: () => number = Date.now,
  ) {
    this.directory = join(stateDir, 'refusals');
  }

  /** @returns why it was refused; undefined if it may be tried */
  find({ id, reference }: Refused): FailureFacts | undefined {
    const refusal = readJsonSync<Refusal>(this.pathOf(id));
    if (refusal?.machine !== this.fingerprint() || this.isOld(refusal)) return undefined;
    const { failure, refusedAt } = refusal;
    // An original is as good as it was, whatever its copy is.
    if (failure.cause === DAMAGED && (refusal.reference ?? reference) !== reference) return undefined;
    return { ...failure, message: `${failure.message} It was refused at ${refusedAt}, and is not tried again yet.` };
  }

  /** Remembers a failure that lasts; forgets those that are old. It cannot fail: then it is found again. */
  note(refused: Refused, failure: FailureFacts): void {
    if (!LASTING.includes(failure.cause)) return;
    try {
      this.write(refused, failure);
    } catch {
      // The disk is full, or another supervisor notes the same. That does not take the place of the failure.
    }
  }

  private write({ id, reference }: Refused, failure: FailureFacts): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.directory)) {
      const path = join(this.directory, name);
      const refusal = readJsonSync<Refusal>(path);
      if (refusal && this.isOld(refusal)) rmSync(path, { force: true });
    }
    const refusal: Refusal = {
      ...{ failure, reference },
      refusedAt: new Date(this.now()).toISOString(),
      machine: this.fingerprint(),
    };
    writeJsonSync(this.pathOf(id), refusal);
  }

  private isOld({ refusedAt }: Refusal): boolean {
    const age = this.now() - Date.parse(refusedAt);
    // The clock may have been ahead, by a year perhaps.
    return !(age >= 0 && age <= REMEMBERED_MS);
  }

  private fingerprint(): string {
    const { architecture, pageSize, cpuFlags, libc, criu, cgroupMode, kernelFeatures } = this.machine;
    return createHash('sha256')
      .update(JSON.stringify([architecture, pageSize, cpuFlags, libc, criu, cgroupMode, kernelFeatures]))
      .digest('hex');
  }

  private pathOf(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}
