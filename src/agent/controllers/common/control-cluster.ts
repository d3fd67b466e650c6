import { join } from 'node:path';
import type { Logger } from 'pino';
import { NIL, v5 } from 'uuid';
import { readJson, writeJson } from '../../files/json-file';
import { ServiceClient } from '../../service/client';
import { OutboxReader, type Cursor, type OutboxHandler } from '../../service/outbox-reader';
import { isTransient } from '../../service/problems';
import { pause } from '../../service/retries';
import type { components } from '../../service/schema';
import type { ClusterContext, ControllerKind, ControllerOptions } from './cluster-context';
import { ClusterFacts } from './cluster-facts';
import { Inventory, type InventoryReport } from './inventory';
import type { Leadership, Term } from './leadership';
import { outboxCursor } from './outbox-cursor';
import { Registration } from './registration';
import { SoleReader } from './sole-reader';
import { StoredCheckpoints } from './stored-checkpoints';

/** What is under way then continues without this process, or is taken up by the next one. */
const STOPPED_WITHIN_MS = 2_000;
const RESYNC_AGAIN_MS = 1_000;

export interface ControlOptions extends ControllerOptions {
  readonly kind: ControllerKind;
  /** As the service distinguishes clusters; undefined: pods run in it. */
  readonly clusterKind?: components['schemas']['SaveClusterBody']['kind'];
  /** The machine on which the controller runs, as people know it. */
  readonly node: string;
  /**
   * Several such controllers may run, of which one acts. It needs nothing of what another one has kept: it
   * goes on where the service has the reader of the outbox, and takes up what is open there.
   */
  readonly leadership?: Leadership | undefined;
  /** Errors of what runs the workloads, after which the same attempt may succeed later. */
  readonly mayPass?: (error: unknown) => boolean;
}

/** Acts on some types of events. Each handler gets all events, and ignores those that are not for it. */
export interface EventHandler extends OutboxHandler {
  /** Continues what an earlier process has taken. @returns how many requests that is */
  resume?(): Promise<number>;
  /** Drops it instead: another process has acted since. */
  discard?(): Promise<void>;
  /** Resolves when nothing is under way. */
  idle?(): Promise<void>;
}

/** Runs until the signal of the cluster's context ends it. */
export interface Loop {
  run(): Promise<void>;
}

/** What distinguishes one kind of controller from the others. */
export interface ClusterParts {
  readonly inventory: InventoryReport;
  /** Whether the first report comes before all else; if it fails, the controller does not start. */
  readonly reportsFirst?: boolean;
  readonly handlers: readonly EventHandler[];
  readonly loops?: readonly Loop[];
}

/**
 * Acts for one cluster until the signal ends it: reports its inventory, reads the outbox as its only reader,
 * and removes from the store what the service has deprecated. What is taken is kept in the state directory,
 * so the process may be killed at any time.
 */
export async function controlCluster(
  options: ControlOptions,
  partsOf: (context: ClusterContext) => ClusterParts,
): Promise<void> {
  const { kind, clusterKind, clusterName, settings, node, log, say, mayPass, leadership } = options;
  const fault = new AbortController();
  const signal = AbortSignal.any([options.signal, fault.signal]);
  // Names of clusters hold any character.
  const directory = join(settings.stateDir, kind, v5(clusterName, NIL));
  const service = new ServiceClient({ ...settings, signal });
  const cluster = { cluster_name: clusterName, ...(clusterKind && { kind: clusterKind }) };
  const registration = new Registration(service, cluster, say);
  const clusterId = () => registration.clusterId;
  const context: ClusterContext = {
    ...options,
    signal,
    service,
    clusterId,
    directory,
    facts: new ClusterFacts(service, clusterId, node),
    mayPass: (error) => isTransient(error) || (mayPass?.(error) ?? false),
  };
  const { inventory: source, reportsFirst, handlers, loops = [] } = partsOf(context);
  const inventory = new Inventory(context, registration, source);

  const term = await leadership?.acquire(signal);
  const common = term?.common;
  const led = leadership?.hold(signal).catch((error: unknown) => fault.abort(error));
  try {
    const sole = await SoleReader.of(service, { kind, name: clusterName }, directory, common);
    await sole.claim();
    say(`Cluster ${clusterName} (${await registration.register()}) at ${settings.url}, node ${node}.`);
    if (reportsFirst) await inventory.round();
    if (term) await beginTerm(directory, term, handlers);
    let resumed = 0;
    for (const handler of handlers) resumed += (await handler.resume?.()) ?? 0;
    if (resumed > 0) say(`Continuing ${resumed} requests of an earlier run.`);

    const cursor = common === undefined ? outboxCursor(directory) : AT_THE_SERVICE;
    const reader = new OutboxReader(service, cursor, { consumerId: sole.consumerId, signal, log });
    const resync = async () => void (await Promise.all(handlers.map((handler) => handler.resync())));
    await Promise.all([
      inventory.run(),
      reader.run({
        take: async (events) => void (await Promise.all(handlers.map((handler) => handler.take(events)))),
        resync,
      }),
      // What another one had taken.
      ...(common === undefined ? [] : [untilDone(resync, signal, log)]),
      new StoredCheckpoints(context).run(),
      ...loops.map((loop) => loop.run()),
      sole.watch(signal, log, (failure) => fault.abort(failure)),
    ]);
    await Promise.race([Promise.all(handlers.map(async (handler) => handler.idle?.())), pause(STOPPED_WITHIN_MS)]);
    fault.signal.throwIfAborted();
  } finally {
    fault.abort(new Error('The controller ends.'));
    await led;
    await leadership?.release();
  }
}

/** The service knows what the reader has acknowledged, whichever process that was. */
const AT_THE_SERVICE: Cursor = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };

/**
 * If another process has acted since the last term of this state directory, its requests are as they were
 * before that: one that is done could be done twice. The service and the workloads say what is open.
 */
async function beginTerm(directory: string, term: Term, handlers: readonly EventHandler[]): Promise<void> {
  const file = join(directory, 'term.json');
  const last = await readJson<Term>(file);
  const isNext = last?.common === term.common && last.number + 1 === term.number;
  if (!isNext) for (const handler of handlers) await handler.discard?.();
  // Last: killed before, it discards again.
  await writeJson(file, term);
}

async function untilDone(step: () => Promise<void>, signal: AbortSignal, log: Logger): Promise<void> {
  while (!signal.aborted) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'the open requests of the cluster were not read');
      await pause(RESYNC_AGAIN_MS, signal);
    }
  }
}
