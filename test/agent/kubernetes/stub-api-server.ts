import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

export interface StubObject {
  apiVersion?: string;
  kind?: string;
  metadata: { name: string; namespace?: string; uid?: string; resourceVersion?: string; [member: string]: unknown };
  [member: string]: unknown;
}

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly plural: string;
  readonly object: StubObject;
  readonly version: number;
}

const KINDS: Readonly<Record<string, string>> = {
  nodes: 'Node',
  pods: 'Pod',
  jobs: 'Job',
  deployments: 'Deployment',
  leases: 'Lease',
};

/** What the API server of Kubernetes does for its clients: lists, watches that go on, conflicts, refusals. */
export class StubApiServer {
  /**
   * Requests as `verb resource`: `watch pods`; `version pods` is a list of one, `try pods` a dry run of a new
   * pod, and `try delete pods` one of an end.
   */
  readonly requests: string[] = [];
  /** `verb resource` that nobody may do. */
  readonly denied = new Set<string>();
  /** The words of an admission rule that forbids a request, written as in `requests`. */
  forbids: (request: string) => string | undefined = () => undefined;
  /** A status and words with which a request fails, written as in `requests`. */
  fails: (request: string) => [status: number, message: string] | undefined = () => undefined;
  /** Manifests with this member are refused, with these words. */
  invalid: { member: string; message: string } | undefined;
  /** `verb resource` that are accepted and never answered. */
  readonly hanging = new Set<string>();
  /** `verb resource` whose connection breaks. */
  readonly breaking = new Set<string>();
  /** `verb resource` that fail inside, such as by an admission webhook. */
  readonly failing = new Set<string>();
  /** Whether objects that are deleted stay until somebody removes them, as pods do while they terminate. */
  terminates = false;
  /** Whether each watch ends as soon as it is open. */
  endsWatches = false;
  /** Whether it answers at all. */
  isDown = false;
  private readonly objects = new Map<string, StubObject>();
  private readonly changes: Change[] = [];
  private readonly watches = new Set<{ plural: string; response: ServerResponse }>();
  private version = 100;
  /** Changes up to here are forgotten. */
  private compacted = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => refuse(response, 500, 'InternalError', String(error)));
    });
  }

  static async start(): Promise<StubApiServer> {
    const stub = new StubApiServer();
    await new Promise<void>((resolve) => stub.server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get kubeconfig(): object {
    const { port } = this.server.address() as AddressInfo;
    return {
      apiVersion: 'v1',
      kind: 'Config',
      // The client library allows plain HTTP only so.
      clusters: [{ name: 'stub', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'agent', user: { token: 'agent' } }],
      contexts: [{ name: 'stub', context: { cluster: 'stub', user: 'agent', namespace: 'ccp' } }],
      'current-context': 'stub',
    };
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  /** Creates or changes an object, as somebody else does. */
  put(plural: string, object: StubObject): StubObject {
    const key = keyOf(plural, object.metadata.namespace, object.metadata.name);
    const known = this.objects.get(key);
    const stored = {
      apiVersion: 'v1',
      kind: KINDS[plural],
      ...object,
      metadata: {
        ...object.metadata,
        uid: known?.metadata.uid ?? object.metadata.uid ?? randomUUID(),
        creationTimestamp: known?.metadata.creationTimestamp ?? new Date().toISOString().replace(/\.\d+Z/, 'Z'),
        resourceVersion: String(++this.version),
      },
    };
    this.objects.set(key, stored);
    this.tell({ type: known ? 'MODIFIED' : 'ADDED', plural, object: stored, version: this.version });
    return stored;
  }

  remove(plural: string, name: string, namespace?: string): void {
    const key = keyOf(plural, namespace, name);
    const known = this.objects.get(key);
    if (!known) return;
    this.objects.delete(key);
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: String(++this.version) } };
    this.tell({ type: 'DELETED', plural, object, version: this.version });
  }

  get(plural: string, name: string, namespace?: string): StubObject | undefined {
    return this.objects.get(keyOf(plural, namespace, name));
  }

  /** Names of the objects of a kind, in their order. */
  names(plural: string): string[] {
    const found = [...this.objects].filter(([key]) => key.startsWith(`${plural} `));
    return found.map(([, { metadata }]) => metadata.name).sort();
  }

  count(request: string): number {
    return this.requests.filter((one) => one === request).length;
  }

  /** Ends all watches, as a restart does. */
  dropWatches(): void {
    for (const { response } of this.watches) response.destroy();
    this.watches.clear();
  }

  /** Forgets all changes so far, as etcd does after some minutes. */
  compact(): void {
    this.compacted = this.version;
  }

  /** @returns what sets it back to this moment, as a restore of etcd does: versions are used again */
  snapshot(): () => void {
    const [version, objects, changes] = [this.version, new Map(this.objects), this.changes.length];
    return () => {
      this.version = version;
      this.objects.clear();
      for (const [key, object] of objects) this.objects.set(key, object);
      this.changes.length = changes;
      this.dropWatches();
    };
  }

  private tell(change: Change): void {
    this.changes.push(change);
    for (const { plural, response } of this.watches) if (plural === change.plural) response.write(lineOf(change));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isDown) return void response.destroy();
    const url = new URL(request.url ?? '', 'http://stub');
    const parts = url.pathname.split('/').filter(Boolean);
    const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
    const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest[1] : undefined;
    const [plural = '', name] = namespace === undefined ? rest : rest.slice(2);
    const query = url.searchParams;
    const verb = verbOf(request.method ?? '', name, query);
    const body = request.method === 'GET' ? undefined : ((await json(request)) as StubObject);
    const isDryRun = body?.dryRun !== undefined || query.get('dryRun') === 'All';
    const tried = verb === 'create' ? 'try' : `try ${verb}`;
    const asked = `${query.get('limit') === '1' ? 'version' : isDryRun ? tried : verb} ${plural}`;
    this.requests.push(asked);
    if (plural === 'selfsubjectaccessreviews') return this.review(response, body!);
    if (this.hanging.has(`${verb} ${plural}`)) return;
    if (this.breaking.has(`${verb} ${plural}`)) return void response.destroy();
    if (this.failing.has(`${verb} ${plural}`))
      return refuse(response, 500, 'InternalError', `failed calling webhook for ${plural}`);
    if (this.denied.has(`${verb} ${plural}`))
      return refuse(response, 403, 'Forbidden', `User "agent" cannot ${verb} resource "${plural}"`);
    const forbidden = this.forbids(asked);
    if (forbidden !== undefined) return refuse(response, 403, 'Forbidden', forbidden);
    const failed = this.fails(asked);
    if (failed) return refuse(response, failed[0], 'Failure', failed[1]);
    if (verb === 'list') return this.list(response, plural, namespace);
    if (verb === 'watch') return this.watch(response, plural, Number(query.get('resourceVersion')));
    this.change(response, { verb, plural, namespace, name, body, query });
  }

  private review(response: ServerResponse, body: StubObject): void {
    const { verb, resource, subresource } = (body.spec as { resourceAttributes: Record<string, string> })
      .resourceAttributes;
    const what = subresource === undefined ? resource : `${resource}/${subresource}`;
    send(response, 201, { ...body, status: { allowed: !this.denied.has(`${verb} ${what}`) } });
  }

  private list(response: ServerResponse, plural: string, namespace: string | undefined): void {
    const items = [...this.objects]
      .filter(
        ([key, { metadata }]) =>
          key.startsWith(`${plural} `) && (namespace === undefined || metadata.namespace === namespace),
      )
      // Lists leave them out.
      .map(([, { kind: _kind, apiVersion: _apiVersion, ...object }]) => object);
    send(response, 200, { kind: 'List', metadata: { resourceVersion: String(this.version) }, items });
  }

  private watch(response: ServerResponse, plural: string, from: number): void {
    if (from < this.compacted) {
      const object = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
      response.writeHead(200, { 'content-type': 'application/json' });
      // Nothing follows, and it may stay open.
      response.write(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (this.endsWatches) return void response.end();
    for (const change of this.changes)
      if (change.plural === plural && change.version > from) response.write(lineOf(change));
    const watch = { plural, response };
    this.watches.add(watch);
    response.on('close', () => this.watches.delete(watch));
  }

  private change(
    response: ServerResponse,
    {
      verb,
      plural,
      namespace,
      name = '',
      body,
      query,
    }: { verb: string; plural: string; namespace?: string; name?: string; body?: StubObject; query: URLSearchParams },
  ): void {
    const known = this.get(plural, name, namespace);
    const { invalid } = this;
    if (body && invalid && JSON.stringify(body).includes(`"${invalid.member}"`))
      return refuse(response, 422, 'Invalid', invalid.message);
    if (verb === 'create') {
      if (this.get(plural, body!.metadata.name, namespace)) return refuse(response, 409, 'AlreadyExists', 'it exists');
      return send(response, 201, query.get('dryRun') === 'All' ? body : this.put(plural, body!));
    }
    if (!known && !query.has('force')) return refuse(response, 404, 'NotFound', `${plural} "${name}" not found`);
    if (verb === 'get') return send(response, 200, known);
    if (verb === 'delete' && body?.dryRun !== undefined) return send(response, 200, known);
    if (verb === 'delete') {
      const deletionTimestamp = new Date().toISOString().replace(/\.\d+Z/, 'Z');
      if (this.terminates) this.put(plural, { ...known!, metadata: { ...known!.metadata, deletionTimestamp } });
      else this.remove(plural, name, namespace);
      return send(response, 200, known);
    }
    const { resourceVersion } = body!.metadata;
    const isConditional = verb === 'update' || resourceVersion !== undefined;
    if (isConditional && resourceVersion !== known!.metadata.resourceVersion)
      return refuse(response, 409, 'Conflict', 'the object has been modified');
    send(response, 200, this.put(plural, verb === 'update' ? body! : (merged(known ?? {}, body!) as StubObject)));
  }
}

const keyOf = (plural: string, namespace = '', name: string): string => `${plural} ${namespace}/${name}`;

const lineOf = ({ type, object }: Change): string => `${JSON.stringify({ type, object })}\n`;

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  if (method === 'GET' && name === undefined) return query.get('watch') === 'true' ? 'watch' : 'list';
  return { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }[method] ?? method;
}

/** A JSON merge patch. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = { ...(target as Record<string, unknown>) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

function send(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

const refuse = (response: ServerResponse, code: number, reason: string, message: string): void =>
  send(response, code, { kind: 'Status', status: 'Failure', code, reason, message });
