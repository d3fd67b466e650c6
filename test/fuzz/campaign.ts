import * as fc from 'fast-check';
import { operations, type DescribedOperation } from '../support/description';
import { inParallel, seeded } from '../support/random';
import type { Json } from './generation/json-text';
import { KnownIds, linkName } from './generation/links';
import { exampleOf, plansOf, type Basis, type Plan } from './generation/plans';
import { Coverage } from './judgement/coverage';
import { codeOf, fault, signatureOf } from './judgement/verdict';
import { curl, prepared, Sender, type Exchange, type Sent } from './target/exchange';
import { EVERY_ROLE, Identities } from './target/identities';
import { scenario, type Step } from './target/scenario';
import type { Surroundings } from './target/surroundings';

export interface CampaignOptions {
  readonly url: string;
  /** Of the admin that the first start created. */
  readonly adminToken: string;
  readonly surroundings: Surroundings;
  readonly seed: number;
  /** Requests for each operation and round. */
  readonly perOperation: number;
  /** Only operations whose id contains this. */
  readonly only?: string | undefined;
  /** In place of a plain request: may send it several times, or another way. */
  readonly around?: (sent: Sent, send: (sent: Sent) => Promise<Exchange>) => Promise<Exchange>;
}

export interface Fault {
  readonly signature: string;
  readonly what: string;
  /** The smallest request that was found to show it. */
  readonly command: string;
  readonly reply: string;
}

/** Several at once, as clients do. */
const LANES = 6;
const SHOWN_CHARACTERS = 1_500;

const described = new Map(operations().map((operation) => [operation.id, operation]));

/** Sends seeded requests to every operation, and judges each reply by the description. */
export class Campaign {
  readonly coverage = new Coverage();
  readonly faults: Fault[] = [];
  /** Steps of the scenario that were refused: they leave rows unmade. Not a fault in itself. */
  readonly refused = new Set<string>();
  private readonly bases = new Map<string, Basis>();
  private readonly sender: Sender;
  private round = 0;

  private constructor(
    private readonly options: CampaignOptions,
    private readonly identities: Identities,
    private readonly known: KnownIds,
  ) {
    this.sender = new Sender(options.url);
  }

  static async prepare(options: CampaignOptions): Promise<Campaign> {
    const ask = async (token: string, method: string, path: string, body?: object) => {
      const reply = await fetch(options.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path} was answered ${reply.status}: ${text}`);
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    };
    const identities = await Identities.create(ask, options.adminToken, options.surroundings.key);
    return new Campaign(options, identities, new KnownIds(identities.ids));
  }

  /** Makes real rows, so that requests which depend on them succeed. */
  async makeRows(): Promise<void> {
    this.round++;
    for (const step of scenario(this.round, this.options.surroundings.worker.url)) await this.take(step);
    await this.showEverything();
  }

  /** The last valid request of each operation that has succeeded, by its id. */
  get succeeded(): ReadonlyMap<string, Basis> {
    return this.bases;
  }

  /** Sends a request as an identity that may send it, and judges nothing. */
  async send(operation: DescribedOperation, basis: Basis): Promise<Exchange> {
    const identity = this.usual(operation);
    const plan: Plan = { ...basis, identity, headers: [], corruptions: [] };
    return this.sender.send(prepared(operation, plan, this.identities.get(identity).authorization, this.known));
  }

  /** Makes real rows, and then requests every operation. @param over whether to stop */
  async runRound(over: () => boolean = () => false): Promise<void> {
    const { seed, only = '', surroundings } = this.options;
    await this.makeRows();
    const random = seeded(seed * 1_000 + this.round);
    const order = [...described.values()]
      .filter(({ id }) => id.includes(only))
      .map((operation) => ({ operation, place: random(), seed: Math.floor(random() * 2 ** 31) }))
      .toSorted((a, b) => a.place - b.place);
    await inParallel(order, LANES, async ({ operation, seed: itsSeed }) => {
      if (!over()) await this.check(operation, itsSeed);
    });
    surroundings.forget();
  }

  close(): void {
    this.sender.close();
  }

  /** Sends a request of the scenario, and learns from the reply. */
  async take({ operation: id, identity, with: changes, keep, upload, ...given }: Step): Promise<void> {
    const operation = described.get(id);
    if (!operation) throw new Error(`there is no operation ${id}`);
    const example = exampleOf(operation);
    const body = given.body ?? (changes ? { ...(example.body as object), ...changes } : example.body);
    const who = identity ?? this.usual(operation);
    const plan: Plan = { ...example, ...given, body, identity: who, headers: [], corruptions: [] };
    const exchange = await this.exchange(operation, plan, keep);
    const what = fault(exchange, this.identities.get(who));
    if (what !== undefined) this.report(exchange, what);
    if (exchange.status >= 400) this.refused.add(`${id} ${exchange.status} ${codeOf(exchange)}`);
    if (upload && exchange.status < 300) await this.upload(exchange.text, upload);
  }

  /** Reads give ids that later requests use. */
  private async showEverything(): Promise<void> {
    const reads = [...described.values()].filter(({ method }) => method === 'get');
    await inParallel(reads, LANES, async ({ id }) => this.take({ operation: id }));
  }

  private usual(operation: DescribedOperation): string {
    const able = this.identities.ableTo(operation);
    return ['operator', 'controller'].find((name) => able.includes(name)) ?? able[0] ?? 'viewer';
  }

  private async upload(reply: string, bytes: Buffer): Promise<void> {
    for (const [url] of reply.matchAll(/https?:[^"\s]+/g))
      await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });
  }

  private async check(operation: DescribedOperation, seed: number): Promise<void> {
    const names = { able: this.identities.ableTo(operation), all: this.identities.names };
    const plans = plansOf(operation, names, this.bases.get(operation.id));
    await this.checkAsEveryRole(operation, plans, seed);
    let found: { exchange: Exchange; what: string; signature: string } | undefined;
    const property = fc.asyncProperty(plans, async (plan) => {
      const exchange = await this.exchange(operation, plan);
      const what = fault(exchange, this.identities.get(plan.identity));
      if (what === undefined) return;
      const signature = signatureOf(exchange, what);
      // While it shrinks, only the same fault counts; one that is known already must not hide others.
      if (found ? signature !== found.signature : this.isKnown(signature)) return;
      found = { exchange, what, signature };
      throw new Error(what);
    });
    const { failed, errorInstance } = await fc.check(property, { seed, numRuns: this.options.perOperation });
    if (found) this.report(found.exchange, found.what);
    // Not a fault of the service.
    else if (failed) throw errorInstance;
  }

  /** Once in a campaign: chance would leave some out. */
  private async checkAsEveryRole(
    operation: DescribedOperation,
    plans: fc.Arbitrary<Plan>,
    seed: number,
  ): Promise<void> {
    const absent = this.coverage.absentFrom(operation.id, EVERY_ROLE);
    for (const [place, plan] of fc.sample(plans, { seed, numRuns: absent.length }).entries()) {
      const identity = absent[place] ?? plan.identity;
      const exchange = await this.exchange(operation, { ...plan, identity });
      const what = fault(exchange, this.identities.get(identity));
      if (what !== undefined) this.report(exchange, what);
    }
  }

  private isKnown(signature: string): boolean {
    return this.faults.some((one) => one.signature === signature);
  }

  private report(exchange: Exchange, what: string): void {
    const signature = signatureOf(exchange, what);
    if (this.isKnown(signature)) return;
    const command = curl(this.options.url, exchange.sent);
    this.faults.push({ signature, what, command, reply: exchange.text.slice(0, SHOWN_CHARACTERS) });
  }

  private async exchange(operation: DescribedOperation, plan: Plan, keep?: string): Promise<Exchange> {
    const identity = this.identities.get(plan.identity);
    const sent = prepared(operation, plan, identity.authorization, this.known);
    const send = (one: Sent): Promise<Exchange> => this.sender.send(one);
    const exchange = await (this.options.around?.(sent, send) ?? send(sent));
    this.coverage.count(operation.id, plan.identity, exchange.status);
    // What other organisations see are ids that nobody here may use.
    const isOurs = this.identities.ableTo(operation).includes(plan.identity);
    if (exchange.status >= 200 && exchange.status < 400 && isOurs) this.learn(exchange, keep);
    return exchange;
  }

  private learn({ sent: { operation, resolved }, headers, text }: Exchange, keep: string | undefined): void {
    const isJson = String(headers['content-type']).includes('json');
    const value = isJson ? (JSON.parse(text) as Json) : text;
    const seen = operation.method === 'get' && keep === undefined;
    if (keep !== undefined && !isJson) this.known.remember(keep, text);
    else if (isJson || (text !== '' && text.length < 100 && linkName(operation.id, '') !== undefined))
      this.known.learn(operation.id, value, seen);
    const head = headers['x-outbox-head'];
    if (typeof head === 'string') this.known.remember('outbox_head', head);
    if (operation.method !== 'delete') {
      for (const [name, part] of [...Object.entries(resolved.path), ...resolved.query])
        this.known.learn(operation.id, part as Json, true, name);
      if (!Buffer.isBuffer(resolved.body)) this.known.learn(operation.id, resolved.body as Json, seen);
    }
    if (resolved.corruptions.length === 0) {
      const { path, query, type, body } = resolved;
      this.bases.set(operation.id, { path, query, type, body });
    }
  }
}
