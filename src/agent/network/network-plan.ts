import { isIP } from 'node:net';
import { AgentFailure } from '../failures';

export type NetworkMode = 'host' | 'isolated';

/** What the options of a run say of its network. */
export interface NetworkWish {
  /** undefined: as the checkpoint; without one, that of the host. */
  readonly mode?: NetworkMode | undefined;
  /** undefined: as the checkpoint, at a free port of the host; without one, nowhere. */
  readonly publish?: PublishWish | undefined;
  /** The address of the machine at which it is published; undefined: only the machine itself reaches it. */
  readonly address?: string | undefined;
}

export interface PublishWish {
  /** 0: a free one. */
  readonly hostPort: number;
  /** On which the workload listens; 0: that of the checkpoint, or one that the agent chooses. */
  readonly port: number;
}

/** A network namespace of the workload's own, as a manifest notes it. */
export interface IsolatedNetwork {
  readonly mode: 'isolated';
  /** The port that the workload listens on; null if it is not published. */
  readonly port: number | null;
}

/** undefined: the network of the host. */
export type NetworkPlan =
  | { readonly publish: { readonly hostPort: number; readonly port: number } | undefined }
  | undefined;

/** The namespace is the workload's own, so this port is free. */
const CHOSEN_PORT = 8000;

const MAX_PORT = 65_535;

export function planToLaunch({ mode, publish }: NetworkWish): NetworkPlan {
  if (mode === undefined && publish === undefined) return undefined;
  return planFor(mode, publish, CHOSEN_PORT);
}

/**
 * @param checkpoint what its manifest notes
 * @throws AgentFailure `incompatible`: images of one kind of network do not fit into the other
 */
export function planToRestore({ mode, publish }: NetworkWish, checkpoint: IsolatedNetwork | undefined): NetworkPlan {
  const wanted = mode ?? (publish ? 'isolated' : undefined);
  const taken = checkpoint?.mode ?? 'host';
  if (wanted !== undefined && wanted !== taken)
    throw new AgentFailure({
      cause: 'incompatible',
      message:
        taken === 'isolated'
          ? 'The checkpoint is of a workload with a network of its own, and cannot use the network of the host.'
          : 'The checkpoint is of a workload in the network of the host, and cannot get a network of its own.',
      remedy: `Restore it with --network ${taken}, or without this option.`,
    });
  if (!checkpoint) return undefined;
  const { port } = checkpoint;
  return planFor(taken, publish ?? (port === null ? undefined : { hostPort: 0, port }), port);
}

function planFor(mode: NetworkMode | undefined, publish: PublishWish | undefined, chosen: number | null): NetworkPlan {
  if (mode === 'host') {
    if (publish)
      throw usage('--publish needs --network isolated: in the network of the host, every port is reachable.');
    return undefined;
  }
  if (!publish) return { publish };
  const port = publish.port === 0 ? chosen : publish.port;
  if (port === null) throw usage('The checkpoint names no port: give one with --publish HOST_PORT:PORT.');
  return { publish: { hostPort: publish.hostPort, port } };
}

/**
 * @param mode of the option `--network`
 * @param publish `HOST_PORT` or `HOST_PORT:PORT`
 * @param address of the option `--publish-address`
 */
export function networkWishOf(mode: string | undefined, publish: string | undefined, address?: string): NetworkWish {
  if (!isMode(mode)) throw usage(`"${mode}" is not a network: host or isolated.`);
  if (address !== undefined && isIP(address) === 0) throw usage(`"${address}" is not an IP address.`);
  const wish = { mode, publish: publish === undefined ? undefined : publishOf(publish), address };
  // Whatever a checkpoint says.
  if (mode === 'host') planToLaunch(wish);
  return wish;
}

const isMode = (text: string | undefined): text is NetworkMode | undefined =>
  text === undefined || text === 'host' || text === 'isolated';

function publishOf(text: string): PublishWish {
  const [hostPort, port] = (/^(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? []).slice(1).map((part) => Number(part ?? 0));
  if (hostPort === undefined || port === undefined || hostPort > MAX_PORT || port > MAX_PORT)
    throw usage(`"${text}" is not HOST_PORT:PORT, with ports of at most ${MAX_PORT}.`);
  return { hostPort, port };
}

/** Whether it may be one: a manifest comes from a file. */
export const isIsolatedNetwork = (value: unknown): value is IsolatedNetwork => {
  const { mode, port } = (value ?? {}) as Partial<IsolatedNetwork>;
  return mode === 'isolated' && (port === null || (Number.isInteger(port) && port! > 0 && port! <= MAX_PORT));
};

const usage = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
