import { NetworkNamespace } from './network-namespace';
import {
  planToLaunch,
  planToRestore,
  type IsolatedNetwork,
  type NetworkMode,
  type NetworkPlan,
  type NetworkWish,
} from './network-plan';
import { PortPublisher, type Published } from './port-publisher';

export interface NetworkStatus {
  readonly mode: NetworkMode;
  /** On which the workload listens in its own network; null: in that of the host, or not published. */
  readonly port: number | null;
  /** Where it can be reached on this machine; null if nowhere, and for the network of the host. */
  readonly published: Published | null;
}

/** Images name the namespace of the workload so; a restore puts another one in its place. */
const KEY = 'ccp-network';

/** The network of one workload: that of the host, or a namespace of its own with a published port. */
export class WorkloadNetwork {
  private plan: NetworkPlan;
  private mode: NetworkMode | undefined;
  private namespace: NetworkNamespace | undefined;
  private publisher: PortPublisher | undefined;
  private opening: Promise<void> | undefined;

  constructor(
    private readonly wish: NetworkWish,
    /** The status changed by itself. */
    private readonly changed: () => void,
    private readonly say: (sentence: string) => void,
  ) {}

  /** Before a launch. @throws AgentFailure */
  openToLaunch(): Promise<void> {
    return this.open(planToLaunch(this.wish));
  }

  /**
   * Before a restore, for which it is a fresh one.
   * @param checkpoint what its manifest notes
   * @throws AgentFailure at once if it does not fit to what is wanted; later if it cannot be made
   */
  openToRestore(checkpoint: IsolatedNetwork | undefined): Promise<void> {
    return this.open(planToRestore(this.wish, checkpoint));
  }

  private open(plan: NetworkPlan): Promise<void> {
    this.plan = plan;
    this.mode = plan ? 'isolated' : 'host';
    this.opening = this.make();
    // Whoever waits for it learns of it.
    this.opening.catch(() => {});
    return this.opening;
  }

  private async make(): Promise<void> {
    if (!this.plan) return;
    this.namespace = await NetworkNamespace.make();
    const { publish } = this.plan;
    if (!publish) return;
    const { namespace, changed, say } = this;
    this.publisher = await PortPublisher.start({ ...publish, address: this.wish.address, namespace, changed, say });
  }

  /** null: not known yet. */
  get status(): NetworkStatus | null {
    if (this.mode === undefined) return null;
    return { mode: this.mode, port: this.port, published: this.publisher?.published ?? null };
  }

  private get port(): number | null {
    return this.plan?.publish?.port ?? null;
  }

  /** What stands before the command of the workload. */
  get enter(): readonly string[] {
    return this.namespace?.enter ?? [];
  }

  /** What its environment has besides: a server learns where to listen. */
  get environment(): Readonly<Record<string, string>> {
    return this.port === null ? {} : { PORT: String(this.port) };
  }

  /** For CRIU: what is no part of the images; undefined for the network of the host. */
  get external(): { readonly key: string; readonly inode: number; readonly file: number } | undefined {
    return this.namespace && { key: KEY, inode: this.namespace.inode, file: this.namespace.file };
  }

  /** For the manifest. */
  get noted(): { readonly network?: IsolatedNetwork } {
    return this.plan ? { network: { mode: 'isolated', port: this.port } } : {};
  }

  async close(): Promise<void> {
    await this.opening?.catch(() => {});
    await this.publisher?.close();
    this.namespace?.close();
    this.namespace = undefined;
  }
}
