import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { pause } from '../../service/retries';
import { EndedFolders } from '../../supervisor/state/ended-folders';
import { workloadFolders } from '../../supervisor/state/workloads';
import type { LocalWorkloads } from './local-workloads';
import { isLive } from './pod-resources';

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** People read the log of what has ended. */
const KEPT_MS = 7 * DAY_MS;
/** Beyond so many, the oldest ones go earlier. */
const KEPT = 1_000;

interface Settings {
  readonly stateDir: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly kept?: number;
}

/**
 * Removes what workloads left on this machine long after they ended: status, logs, and the error output of
 * restores. Checkpoints are in the store, and stay.
 */
export class EndedWorkloads {
  private readonly folders: EndedFolders;

  constructor(
    private readonly workloads: LocalWorkloads,
    private readonly settings: Settings,
  ) {
    this.folders = new EndedFolders(settings.stateDir);
  }

  async run(): Promise<void> {
    const { signal, log } = this.settings;
    while (!signal.aborted) {
      await this.round().catch((error: unknown) => log.warn({ err: error }, 'ended workloads were not examined'));
      await pause(EVERY_MS, signal);
    }
  }

  async round(): Promise<void> {
    const { stateDir, log, kept = KEPT } = this.settings;
    const now = await this.folders.now();
    const live = new Set((await this.workloads.list()).statuses.filter(isLive).map(pathOf));
    const ended = workloadFolders(stateDir)
      .filter((folder) => !live.has(pathOf(folder)))
      .map((folder) => ({ folder, at: folder.recordedAt() ?? now }))
      .sort((one, other) => other.at - one.at);
    for (const [place, { folder, at }] of ended.entries())
      if ((place >= kept || now - at > KEPT_MS) && (await this.folders.remove(folder)))
        log.info({ namespace: folder.namespace, name: folder.name }, 'an ended workload was removed');
    await this.removeRestoreLogs(now);
    await this.folders.removeLeftovers(now);
  }

  private async removeRestoreLogs(now: number): Promise<void> {
    const directory = join(this.settings.stateDir, 'host', 'restores');
    for (const name of await readdir(directory).catch(() => [])) {
      const path = join(directory, name);
      if (this.workloads.awaitedErrors.includes(path)) continue;
      if (now - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true });
    }
  }
}

const pathOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;
