import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import type { MarketplaceSettings } from '../../src/1-platform/config/environment';

type MarketplaceOperation = 'list' | 'types' | 'info' | 'create' | 'delete';

/** How requests of one kind fail or wait. */
export interface Behaviour {
  /** Answers with this status instead of acting. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The body: JSON, or text as it is; a function gets the request. */
  readonly body?: unknown;
  /** Waits for this before it acts. */
  readonly before?: (ask: MarketplaceAsk) => Promise<unknown> | void;
  /** Acts, and waits for this before it answers. */
  readonly after?: (ask: MarketplaceAsk) => Promise<unknown> | void;
  /** Closes the connection, before or after acting. */
  readonly cut?: 'before' | 'after';
  /** Applies to this many requests only. */
  readonly times?: number;
}

export interface MarketplaceAsk {
  readonly operation: MarketplaceOperation;
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly body: JsonObject;
}

/**
 * A machine as the API shows it, with members that the service does not know, among them those of the
 * request.
 */
export interface MarketMachine extends JsonObject {
  id: string;
  status: string;
  tags: string[];
}

export const MARKETPLACE_KEY = 'key-of-the-marketplace-9f8e7d6c';

const ROUTES: readonly [MarketplaceOperation, string, RegExp][] = [
  ['list', 'GET', /^\/v1\/instances$/],
  ['types', 'GET', /^\/v1\/instances\/types$/],
  ['create', 'POST', /^\/v1\/instances\/create$/],
  ['info', 'GET', /^\/v1\/instances\/([^/]+)\/info$/],
  ['delete', 'POST', /^\/v1\/instances\/([^/]+)\/delete$/],
];

/** A machine with an A6000, as the API lists it. */
export const buildMachine = (overrides: JsonObject = {}): MarketMachine => ({
  id: newId(),
  cloud: 'hyperstack',
  region: 'canada-1',
  shade_instance_type: 'A6000',
  cloud_instance_type: 'gpu_1x_a6000',
  cloud_assigned_id: newId(),
  shade_cloud: true,
  name: 'somebody',
  configuration: { memory_in_gb: 12, num_gpus: 1, gpu_type: 'A6000', gpu_manufacturer: 'nvidia', os: 'ubuntu_22' },
  ip: null,
  ssh_user: 'shadeform',
  ssh_port: null,
  status: 'creating',
  status_details: 'downloading',
  cost_estimate: '0',
  hourly_price: 210,
  tags: [] as string[],
  created_at: '2026-01-02T03:04:05.006Z',
  active_at: null,
  deleted_at: null,
  boot_time: { min_boot_in_sec: 180, max_boot_in_sec: 300 },
  ...overrides,
});

/** A type with a GPU, as the API offers it. */
export const buildType = (overrides: JsonObject = {}, configuration: JsonObject = {}): JsonObject => ({
  cloud: 'hyperstack',
  shade_instance_type: 'A6000',
  cloud_instance_type: 'gpu_1x_a6000',
  configuration: {
    memory_in_gb: 48,
    storage_in_gb: 256,
    vcpus: 6,
    num_gpus: 1,
    gpu_type: 'A6000',
    interconnect: 'pcie',
    nvlink: false,
    vram_per_gpu_in_gb: 48,
    os_options: ['ubuntu22.04_cuda12.2_shade_os'],
    gpu_manufacturer: 'nvidia',
    ...configuration,
  },
  memory_in_gb: 48,
  num_gpus: 1,
  hourly_price: 57,
  deployment_type: 'vm',
  availability: [{ region: 'canada-1', available: true, display_name: 'CA, Montreal', score: 1 }],
  boot_time: { min_boot_in_sec: 180, max_boot_in_sec: 300 },
  ...overrides,
});

/** Serves the marketplace's API on a socket. */
export class Marketplace {
  /** The requests in order. */
  machines: MarketMachine[] = [];
  types: JsonObject[] = [];
  asks: MarketplaceAsk[] = [];
  /** Keys of the one account. */
  keys = [MARKETPLACE_KEY];
  private readonly behaviours = new Map<MarketplaceOperation, { behaviour: Behaviour; left: number }>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Marketplace> {
    const server = createServer();
    const marketplace = new Marketplace(server);
    server.on('request', (request, response) => void marketplace.answer(request, response));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return marketplace;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  settings(overrides: Partial<MarketplaceSettings> = {}): MarketplaceSettings {
    return { url: this.url, key: MARKETPLACE_KEY, timeoutMs: 2_000, ...overrides };
  }

  /** Applies to all further requests of a kind, or to a number of them. */
  behaves(operation: MarketplaceOperation, behaviour: Behaviour): void {
    this.behaviours.set(operation, { behaviour, left: behaviour.times ?? Infinity });
  }

  /** Applies to every operation. */
  allBehave(behaviour: Behaviour): void {
    for (const [operation] of ROUTES) this.behaves(operation, behaviour);
  }

  /** Answers normally again and forgets its requests; its machines stay. */
  behavesAgain(): void {
    this.behaviours.clear();
    this.asks = [];
  }

  reset(): void {
    this.behavesAgain();
    this.machines = [];
    this.types = [];
    this.keys = [MARKETPLACE_KEY];
  }

  asked(operation: MarketplaceOperation): MarketplaceAsk[] {
    return this.asks.filter((ask) => ask.operation === operation);
  }

  /** The machines that cost money and belong to the record with this id. */
  machinesOf(recordId: string): MarketMachine[] {
    return this.machines.filter(({ tags, status }) => tags.includes(`ccp-${recordId}`) && status !== 'deleted');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = url.split('?')[0] ?? '';
    const [operation, , pattern] = ROUTES.find(([, verb, route]) => verb === method && route.test(path)) ?? [];
    const send = (status: number, body: unknown, more: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
    };
    if (operation === undefined || !pattern) return send(404, { message: `no route ${method} ${path}` });
    const ask = { operation, headers, url, body: text === '' ? {} : (JSON.parse(text) as JsonObject) };
    this.asks.push(ask);
    const { before, after, cut, status, body, headers: more } = this.behaviourOf(operation);
    await before?.(ask);
    if (cut === 'before') return void request.socket.destroy();
    if (status !== undefined) return send(status, typeof body === 'function' ? body(ask) : body, more);
    if (!this.keys.includes(String(headers['x-api-key']))) return send(401, { message: 'Unauthorized' });
    const [code, answer] = this.does(operation, pattern.exec(path)?.[1] ?? '', ask.body);
    await after?.(ask);
    if (cut === 'after') return void request.socket.destroy();
    send(code, body === undefined ? answer : body, more);
  }

  private behaviourOf(operation: MarketplaceOperation): Behaviour {
    const set = this.behaviours.get(operation);
    if (!set || set.left <= 0) return {};
    set.left--;
    return set.behaviour;
  }

  private does(operation: MarketplaceOperation, id: string, asked: JsonObject): [number, unknown] {
    if (operation === 'list') return [200, { instances: this.machines, page: { next: null } }];
    if (operation === 'types') return [200, { instance_types: this.types }];
    if (operation === 'create') {
      // Returns the members of the request, secrets included, as the real one does.
      const machine = buildMachine({ ...asked, id: newId(), status: 'creating' });
      this.machines.push(machine);
      return [200, { id: machine.id, warnings: [] }];
    }
    const machine = this.machines.find((one) => one.id === id);
    if (!machine) return [404, { message: 'no such instance' }];
    if (operation === 'info') return [200, machine];
    machine.status = 'deleting';
    return [200, undefined];
  }
}

/** A promise with its resolver, to delay a request. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

export const slow = (milliseconds: number): Behaviour => ({
  before: () => sleep(milliseconds, undefined, { ref: false }),
});
