import type { Logger } from 'pino';
import { pause, pauseBefore } from '../../../service/retries';
import type { ClusterClient, Selection } from './cluster-client';
import { ApiUnreachable, isRefusal, mayPassLater, WatchSilent } from './refusals';
import { trimmed, type KubeObject, type Resource } from './resources';

/** One object that is new or has changed, or that is gone: then as it was last seen. */
export interface Change<T> {
  readonly type: 'set' | 'gone';
  readonly object: T;
  /** The API server is back at an earlier state, so the version may be lower than one before. */
  readonly isEarlier?: boolean;
}

interface Settings {
  /** Only these; undefined: all. The role of the agent needs no more than them. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

const PAUSES = { attempts: Infinity, firstPauseMs: 250, longestPauseMs: 15_000 };
/** A proxy may end each watch at once; the API server has them for minutes. */
const SHORT_WATCH_MS = 1_000;
/** The version of an object that is too old for a watch. */
const GONE = 410;

/**
 * The objects of one kind as the API server has them: a list, and from then on a watch, which goes on behind
 * its last event. When the API server no longer knows that one, or returns at an earlier one because etcd was
 * restored, a list shows what has changed, and what is gone. While it does not answer, all stays as it was.
 */
export class Watched<T extends KubeObject> {
  private readonly objects = new Map<string, T>();
  private readonly uids = new Map<string, T>();
  /** By the uid of each owner. */
  private readonly owned = new Map<string, Set<string>>();
  private readonly listeners = new Set<(change: Change<T>) => void>();
  private readonly selections: readonly Selection[];
  private readonly unlisted: Set<Selection>;
  private readonly lost = new Set<Selection>();
  private readonly listed = Promise.withResolvers<void>();

  constructor(
    private readonly client: ClusterClient,
    readonly resource: Resource<T>,
    private readonly settings: Settings,
  ) {
    const { namespaces, labelSelector, fieldSelector } = settings;
    const selectors = { labelSelector, fieldSelector };
    this.selections =
      namespaces && resource.isNamespaced ? namespaces.map((namespace) => ({ namespace, ...selectors })) : [selectors];
    this.unlisted = new Set(this.selections);
    this.listed.promise.catch(() => undefined);
  }

  /** Until the signal ends it. Throws if the API server refuses for good, such as a missing verb. */
  async run(): Promise<void> {
    try {
      await Promise.all(this.selections.map((selection) => this.follow(selection)));
    } catch (error) {
      this.listed.reject(error);
      throw error;
    }
  }

  /** Resolves when all objects are known. */
  ready(): Promise<void> {
    return this.listed.promise;
  }

  /** Whether the API server answers, so that the local copy lags by a moment only. */
  get isCurrent(): boolean {
    return this.unlisted.size === 0 && this.lost.size === 0;
  }

  all(): IterableIterator<T> {
    return this.objects.values();
  }

  get(name: string, namespace?: string): T | undefined {
    return this.objects.get(keyOf(name, namespace));
  }

  byUid(uid: string): T | undefined {
    return this.uids.get(uid);
  }

  /** Those that have this owner. */
  byOwner(uid: string): T[] {
    return [...(this.owned.get(uid) ?? [])].flatMap((one) => this.uids.get(one) ?? []);
  }

  /** Calls it with each change from now on, in order. @returns what ends this */
  onChange(listener: (change: Change<T>) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private async follow(selection: Selection): Promise<void> {
    const { signal, log } = this.settings;
    let [version, isListed] = ['', false];
    for (let failed = 0; !signal.aborted;) {
      try {
        // A watch from a version in the future shows nothing until then.
        if (this.lost.has(selection) && isBefore(await this.client.version(this.resource, selection), version))
          isListed = false;
        if (!isListed) version = await this.list(selection, version);
        isListed = true;
        const from = version;
        const beganMs = performance.now();
        const onOpen = (): void => void this.lost.delete(selection);
        for await (const { type, object } of this.client.watch(this.resource, selection, from, { signal, onOpen })) {
          if (type === 'ERROR') throw errorOf(object);
          version = object.metadata?.resourceVersion ?? version;
          if (type === 'DELETED') this.remove(object);
          else if (type !== 'BOOKMARK') this.set(object);
          failed = 0;
        }
        if (performance.now() - beganMs >= SHORT_WATCH_MS) continue;
        failed++;
        await pause(pauseBefore(failed, PAUSES, null, 0), signal);
      } catch (error) {
        if (signal.aborted) return;
        const isOutdated = isRefusal(error, GONE) || error instanceof Outdated;
        if (!isOutdated && !mayPassLater(error)) throw error;
        // A list shows what the watch can no longer show.
        if (isOutdated) isListed = false;
        else {
          this.lost.add(selection);
          // As a rule nothing has changed. The next watch shows whether the API server answers.
          if (error instanceof WatchSilent) continue;
          if (failed === 0) log.warn({ err: error, resource: this.resource.plural }, 'a watch was lost');
        }
        failed++;
        await pause(pauseBefore(failed, PAUSES, null, 0), signal);
      }
    }
  }

  /** @param last version before. @returns the version of the list */
  private async list(selection: Selection, last: string): Promise<string> {
    const { items, resourceVersion } = await this.client.list(this.resource, selection);
    const isEarlier = isBefore(resourceVersion, last);
    const seen = new Set(items.map((object) => keyOfObject(object)));
    for (const [key, object] of this.objects) if (!seen.has(key) && isIn(object, selection)) this.remove(object);
    for (const object of items) this.set(object, isEarlier);
    if (this.unlisted.delete(selection) && this.unlisted.size === 0) this.listed.resolve();
    return resourceVersion;
  }

  private set(object: T, isEarlier = false): void {
    const key = keyOfObject(object);
    const known = this.objects.get(key);
    if (known && known.metadata?.uid !== object.metadata?.uid) this.remove(known);
    else if (!isEarlier && known && known.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
    const kept = trimmed(object, this.resource);
    this.objects.set(key, kept);
    if (known) this.unindex(known);
    this.index(kept);
    this.notify({ type: 'set', object: kept, isEarlier });
  }

  private remove(object: T): void {
    const key = keyOfObject(object);
    const known = this.objects.get(key);
    if (!known || known.metadata?.uid !== object.metadata?.uid) return;
    this.objects.delete(key);
    this.unindex(known);
    this.notify({ type: 'gone', object: trimmed(object, this.resource) });
  }

  private index(object: T): void {
    const { uid } = object.metadata ?? {};
    if (uid === undefined) return;
    this.uids.set(uid, object);
    for (const owner of ownersOf(object)) this.owned.set(owner, (this.owned.get(owner) ?? new Set()).add(uid));
  }

  private unindex(object: T): void {
    const { uid } = object.metadata ?? {};
    if (uid === undefined) return;
    this.uids.delete(uid);
    for (const owner of ownersOf(object)) {
      const owned = this.owned.get(owner);
      owned?.delete(uid);
      if (owned?.size === 0) this.owned.delete(owner);
    }
  }

  private notify(change: Change<T>): void {
    for (const listener of this.listeners) listener(change);
  }
}

/** The API server no longer knows where the watch was. */
class Outdated extends Error {}

const DECIMAL = /^\d+$/;

/** Whether the first of two versions is the older one; false if they cannot be compared. */
const isBefore = (version: string, other: string): boolean =>
  DECIMAL.test(version) && DECIMAL.test(other) && BigInt(version) < BigInt(other);

function errorOf(object: unknown): Error {
  const { code, message = 'unknown' } = object as { code?: number; message?: string };
  // Any other fault of a watch ends with it, and the next one begins at the same place.
  return code === GONE ? new Outdated(message) : new ApiUnreachable(`The watch ended: ${message}`);
}

const keyOf = (name: string, namespace = ''): string => `${namespace}/${name}`;

const keyOfObject = ({ metadata }: KubeObject): string => keyOf(metadata?.name ?? '', metadata?.namespace);

function ownersOf({ metadata }: KubeObject): string[] {
  const { ownerReferences = [] } = (metadata ?? {}) as { readonly ownerReferences?: readonly { uid: string }[] };
  return ownerReferences.map(({ uid }) => uid);
}

const isIn = ({ metadata }: KubeObject, { namespace }: Selection): boolean =>
  namespace === undefined || metadata?.namespace === namespace;
