import { join } from 'node:path';
import { SERVICE_STORE, type Settings } from '../../../settings/settings';
import type { CheckpointStore } from '../../../store/checkpoint-store';
import type { Manifest } from '../../../store/manifest';
import { storeOf } from '../../../store/stores';
import type { StoreKind } from '../worker-runs';

/** As the service names the places of artifacts. */
export type ArtifactTier = 'local' | 'shared' | 'object';

const OBJECT = `${SERVICE_STORE}:`;

/** The value of `--store` for a kind of store. */
export const storeSetting = ({ store, stateDir }: Settings, kind: StoreKind): string =>
  kind === SERVICE_STORE ? SERVICE_STORE : store === SERVICE_STORE ? join(stateDir, 'store') : store;

/** The kind of store that a reference is of. */
export const storeKindOf = (reference: string): StoreKind => (reference.startsWith(OBJECT) ? 'service' : 'directory');

/** The stores that this agent can use: its own, and those that profiles ask for. */
export class ArtifactStores {
  /** Of the agent itself. */
  readonly usual: StoreKind;
  private readonly opened = new Map<StoreKind, Promise<CheckpointStore>>();

  constructor(
    private readonly settings: Settings,
    own: CheckpointStore,
    /** `local`: a directory of one machine, `shared`: one that every machine of a cluster sees. */
    private readonly directoryTier: Exclude<ArtifactTier, 'object'> = 'local',
  ) {
    this.usual = settings.store === SERVICE_STORE ? 'service' : 'directory';
    this.opened.set(this.usual, Promise.resolve(own));
  }

  tierOf(kind: StoreKind): ArtifactTier {
    return kind === 'service' ? 'object' : this.directoryTier;
  }

  open(kind: StoreKind): Promise<CheckpointStore> {
    let opened = this.opened.get(kind);
    if (!opened) {
      opened = storeOf({ ...this.settings, store: storeSetting(this.settings, kind) });
      this.opened.set(kind, opened);
      opened.catch(() => this.opened.delete(kind));
    }
    return opened;
  }

  /**
   * What killed agents left in the stores beside its own, which is looked after elsewhere: drafts of copies,
   * and copies that were half removed. An object storage that was not used has nothing of this agent.
   */
  async removeLeftovers(): Promise<void> {
    for (const kind of ['directory', 'service'] as const)
      if (kind !== this.usual && (kind === 'directory' || this.opened.has(kind)))
        await (await this.open(kind)).removeLeftovers();
  }

  /**
   * Whether its directory takes copies of what is in the object storage. A copy for all machines of a cluster
   * needs a directory that they have in common: that in the state directory is of this machine.
   */
  get takesCopies(): boolean {
    return this.directoryTier === 'local' || this.usual === 'directory';
  }

  /** The manifest of a checkpoint, if this store has it and it can be used. */
  async find(kind: StoreKind, id: string): Promise<Manifest | undefined> {
    const found = await (await this.open(kind)).find(id);
    return typeof found === 'string' ? undefined : found;
  }
}
