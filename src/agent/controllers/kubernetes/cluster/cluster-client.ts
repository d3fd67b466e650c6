import { createInterface } from 'node:readline';
import { STATUS_CODES } from 'node:http';
import { request as send, type Dispatcher } from 'undici';
import { pause } from '../../../service/retries';
import { Places } from '../../common/places';
import type { Access } from './access';
import { ApiRefusal, ApiUnreachable, isRefusal, type Asked, WatchSilent } from './refusals';
import { apiVersionOf, NODES, pathOf, trimmed, type KubeObject, type Place, type Resource } from './resources';

/** Who wrote a member of an object, for server-side apply. */
export const FIELD_MANAGER = 'ccp-agent';

const DEADLINE_MS = 30_000;
/** Of one page; the API server cuts larger lists. */
const OBJECTS_A_PAGE = 500;
/** The API server ends a watch after so long, and says until where it came. */
const WATCH_SECONDS = 300;
/** Code of undici. */
const BODY_TIMEOUT = 'UND_ERR_BODY_TIMEOUT';
/** Of those that are answered at once; the others wait. Thousands of restores may look for their pods. */
const REQUESTS_AT_ONCE = 64;
/** A server that is too busy asks for a pause of a second as a rule. */
const BUSY_ATTEMPTS = 5;
const LONGEST_PAUSE_SECONDS = 10;

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface Listed<T> {
  readonly items: readonly T[];
  /** Where a watch goes on. */
  readonly resourceVersion: string;
}

/** A line of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

interface ClientOptions {
  /** Of one request that is no watch. */
  readonly deadlineMs?: number;
  /** How often a request is sent to a server that is too busy. */
  readonly busyAttempts?: number;
  /** Is asked before each request that changes something; throws what the request then throws. */
  readonly mayChange?: () => void;
}

const READING: readonly string[] = ['get', 'list', 'watch'];

interface Wish {
  /** Behind that of the object. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The API server, with objects as it writes them: the generated models of the client library would drop
 * members that they do not know. A refusal is an `ApiRefusal`, an outage an `ApiUnreachable`.
 */
export class ClusterClient {
  private readonly places = new Places(REQUESTS_AT_ONCE);

  /** @param signal ends requests: the agent stops */
  constructor(
    readonly access: Access,
    private readonly signal: AbortSignal,
    private readonly options: ClientOptions = {},
  ) {}

  /** @returns undefined if there is none */
  async get<T extends KubeObject>(resource: Resource<T>, place: Place): Promise<T | undefined> {
    try {
      return (await this.ask({ verb: 'get', resource, place })) as T;
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      throw error;
    }
  }

  /** All, page by page, as they were at one moment; each without what nobody here reads. */
  async list<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}): Promise<Listed<T>> {
    const { namespace, ...selectors } = selection;
    const asked = { verb: 'list', resource, place: { namespace } };
    const items: T[] = [];
    for (let next: string | undefined; ;) {
      const query = { ...selectors, limit: OBJECTS_A_PAGE, continue: next };
      const page = (await this.ask(asked, { query })) as ListPage<T>;
      // Lists leave out what their kind says already.
      for (const item of page.items)
        items.push(trimmed({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...item }, resource));
      next = page.metadata.continue || undefined;
      if (next === undefined) return { items, resourceVersion: page.metadata.resourceVersion ?? '' };
    }
  }

  /** @returns the version at which the API server is now, that of a list */
  async version(resource: Resource, { namespace, ...selectors }: Selection = {}): Promise<string> {
    const asked = { verb: 'list', resource, place: { namespace } };
    const page = (await this.ask(asked, { query: { ...selectors, limit: 1 } })) as ListPage<KubeObject>;
    return page.metadata.resourceVersion ?? '';
  }

  /**
   * What happens from a version on, until the API server ends it. Throws if the connection breaks, and
   * `WatchSilent` if nothing comes for long.
   * @param resourceVersion of a list, or of the last event
   * @param onOpen is called when the API server has accepted the watch
   */
  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    selection: Selection,
    resourceVersion: string,
    { signal = this.signal, onOpen }: { readonly signal?: AbortSignal; readonly onOpen?: () => void } = {},
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { namespace, ...selectors } = selection;
    const asked = { verb: 'watch', resource, place: { namespace } };
    const query = {
      ...selectors,
      ...{ watch: true, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS, resourceVersion },
    };
    const body = await this.open(asked, { query, signal });
    onOpen?.();
    const lines = createInterface({ input: body, crlfDelay: Infinity });
    // Whoever leaves an open watch ends it below. Nobody waits for this error, which would end the process.
    lines.on('error', () => {});
    try {
      for await (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent<T>;
      // The interface ends without an error when its input fails.
      if (body.errored) throw body.errored;
    } catch (error) {
      signal.throwIfAborted();
      if ((error as { code?: unknown }).code === BODY_TIMEOUT)
        throw new WatchSilent(`The Kubernetes API server sent nothing on the watch of ${resource.plural}.`);
      throw unreachable(asked, error);
    } finally {
      body.on('error', () => {}).destroy();
    }
  }

  /** @param isDryRun asks whether it would be made, and makes none */
  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    { isDryRun = false }: { readonly isDryRun?: boolean } = {},
  ): Promise<T> {
    const place = { namespace: object.metadata?.namespace };
    const query = { fieldManager: FIELD_MANAGER, ...(isDryRun && { dryRun: 'All' }) };
    return (await this.ask({ verb: 'create', resource, place }, { body: object, query })) as T;
  }

  /** The object must be as it was read: a conflict is an `ApiRefusal` with 409. */
  async replace<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    const { namespace, name } = object.metadata ?? {};
    const query = { fieldManager: FIELD_MANAGER };
    return (await this.ask({ verb: 'update', resource, place: { namespace, name } }, { body: object, query })) as T;
  }

  /** @param patch a merge patch: its members replace those of the object, null removes */
  async patch<T extends KubeObject>(resource: Resource<T>, place: Place, patch: object): Promise<T> {
    const wish = { body: patch, contentType: 'application/merge-patch+json', query: { fieldManager: FIELD_MANAGER } };
    return (await this.ask({ verb: 'patch', resource, place }, wish)) as T;
  }

  /** Server-side apply. @param isForced takes members over from other managers */
  async apply<T extends KubeObject>(resource: Resource<T>, object: T, isForced = false): Promise<T> {
    const { namespace, name } = object.metadata ?? {};
    const query = { fieldManager: FIELD_MANAGER, force: isForced };
    // JSON is YAML, and this type is the one that all versions take.
    const wish = { body: object, contentType: 'application/apply-patch+yaml', query };
    return (await this.ask({ verb: 'patch', resource, place: { namespace, name } }, wish)) as T;
  }

  /**
   * Does nothing if there is none.
   * @param uid deletes only the object of this uid: not one that has its name since
   * @param graceSeconds undefined: that of the object
   * @param isDryRun asks whether it would be deleted, and deletes nothing
   */
  async delete(
    resource: Resource,
    place: Place,
    {
      uid,
      graceSeconds,
      isDryRun = false,
    }: { readonly uid?: string; readonly graceSeconds?: number; readonly isDryRun?: boolean } = {},
  ): Promise<void> {
    const body = {
      ...{ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
      // Here, and not in the query, which the API server does not read beside a body.
      ...(isDryRun && { dryRun: ['All'] }),
    };
    try {
      await this.ask({ verb: 'delete', resource, place }, { body });
    } catch (error) {
      // 409: another object has this name.
      if (!isRefusal(error, 404) && !(uid !== undefined && isRefusal(error, 409))) throw error;
    }
  }

  /**
   * Asks the kubelet of a node, by way of the API server, which needs `create` for `nodes/proxy`. What the
   * kubelet refuses is an `ApiRefusal` too. It is asked once. @param path of the kubelet's own API
   */
  async postToKubelet(node: string, path: readonly string[], query: Wish['query'], withinMs: number): Promise<unknown> {
    const asked = { verb: 'create', resource: NODES, place: { name: node, subresource: 'proxy' } };
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(withinMs)]);
    const body = await this.open(asked, { query, path, signal });
    return jsonIn(await body.text());
  }

  private async ask(asked: Asked, wish: Wish = {}): Promise<unknown> {
    const { busyAttempts = BUSY_ATTEMPTS } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.places.run(() => this.askOnce(asked, wish));
      } catch (error) {
        // 429: nothing has happened.
        if (!isRefusal(error, 429) || attempt >= busyAttempts) throw error;
        const seconds = Math.min(error.retryAfterSeconds ?? 1, LONGEST_PAUSE_SECONDS);
        await pause(seconds * 1_000, this.signal);
        this.signal.throwIfAborted();
      }
    }
  }

  private async askOnce(asked: Asked, wish: Wish): Promise<unknown> {
    this.signal.throwIfAborted();
    const deadline = AbortSignal.timeout(this.options.deadlineMs ?? DEADLINE_MS);
    const signal = AbortSignal.any([wish.signal ?? this.signal, deadline]);
    const body = await this.open(asked, { ...wish, signal });
    try {
      return JSON.parse(await body.text());
    } catch (error) {
      this.signal.throwIfAborted();
      throw unreachable(asked, error);
    }
  }

  /** @returns the body of an answer. Throws if the answer is a failure. */
  private async open(
    asked: Asked,
    { path = [], query = {}, body, contentType, signal }: Wish,
  ): Promise<Dispatcher.ResponseData['body']> {
    const url = new URL(
      `${this.access.server}${[pathOf(asked.resource, asked.place), ...path.map(encodeURIComponent)].join('/')}`,
    );
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    let answer: Dispatcher.ResponseData;
    try {
      const { headers, dispatcher } = await this.access.connection();
      if (!READING.includes(asked.verb)) this.options.mayChange?.();
      answer = await send(url, {
        method: METHODS[asked.verb] ?? 'GET',
        headers: {
          ...headers,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        dispatcher,
        signal,
      });
    } catch (error) {
      this.signal.throwIfAborted();
      throw error instanceof ApiUnreachable ? error : unreachable(asked, error);
    }
    if (answer.statusCode < 400) return answer.body;
    const text = await answer.body.text().catch(() => '');
    throw ApiRefusal.of(asked, answer.statusCode, jsonIn(text) ?? (text || STATUS_CODES[answer.statusCode]));
  }
}

interface ListPage<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[];
}

const METHODS: Readonly<Record<string, Dispatcher.HttpMethod>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

function unreachable({ verb, resource: { plural } }: Asked, error: unknown): ApiUnreachable {
  const { code, message } = error as { code?: unknown; message?: string };
  const why = typeof code === 'string' && code !== '' ? code : (message ?? String(error));
  return new ApiUnreachable(`The Kubernetes API server did not answer to ${verb} ${plural}: ${why}`, { cause: error });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
