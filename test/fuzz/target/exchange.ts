import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DescribedOperation } from '../../support/description';
import { corrupted } from '../generation/corruptions';
import { isObject, print, RawText, type Json } from '../generation/json-text';
import { Link, linkName, type KnownIds } from '../generation/links';
import { Encoded, type Plan } from '../generation/plans';
import type { Draft } from '../generation/schema-values';

/** A request as it is sent. */
export interface Sent {
  readonly operation: DescribedOperation;
  readonly identity: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The plan with every link resolved. */
  readonly resolved: Plan;
}

export interface Exchange {
  readonly sent: Sent;
  /** 0 if the connection ended without a reply. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly tookMs: number;
}

/** Longer than every wait that a plan asks for. */
const GIVEN_UP_AFTER_MS = 30_000;

/** The same for every run: where no id is known, one that belongs to nobody. */
const nobodys = (pick: number): string => `0199d3a4-7c7e-7d55-9d6c-${String(pick).padStart(12, '0')}`;

function resolved(operation: string, draft: Draft, known: KnownIds): Json {
  if (draft instanceof Link) {
    const name = linkName(operation, draft.member);
    return (name === undefined ? undefined : known.find(name, draft.pick)) ?? draft.otherwise ?? nobodys(draft.pick);
  }
  if (Array.isArray(draft)) return draft.map((part) => resolved(operation, part, known));
  if (draft instanceof RawText || !isObject(draft as Json)) return draft as Json;
  return Object.fromEntries(
    Object.entries(draft as Record<string, Draft>).map(([name, part]) => [name, resolved(operation, part, known)]),
  );
}

/** Of a lone surrogate, `encodeURIComponent` would throw. */
const encoded = (value: Json | Encoded): string =>
  value instanceof Encoded
    ? value.text
    : encodeURIComponent((typeof value === 'string' ? value : print(value)).toWellFormed());

/** Resolves the links of a plan. */
export function prepared(operation: DescribedOperation, plan: Plan, token: string | undefined, known: KnownIds): Sent {
  const value = (draft: Draft | Encoded): Json | Encoded =>
    draft instanceof Encoded ? draft : resolved(operation.id, draft, known);
  const path = Object.fromEntries(Object.entries(plan.path).map(([name, draft]) => [name, value(draft)]));
  const query = plan.query.map(([name, draft]) => [name, value(draft)] as const);
  const slashes = (name: string, text: string) => (name === 'path' ? text.replaceAll('%2F', '/') : text);
  const target =
    operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => slashes(name, encoded(path[name] ?? ''))) +
    (query.length > 0
      ? `?${query.map(([name, text]) => `${encodeURIComponent(name)}=${encoded(text)}`).join('&')}`
      : '');
  const whole =
    plan.body === undefined || Buffer.isBuffer(plan.body) ? plan.body : resolved(operation.id, plan.body, known);
  const json = whole === undefined || Buffer.isBuffer(whole) ? undefined : corrupted(whole, plan.corruptions);
  const body = Buffer.isBuffer(whole)
    ? damaged(whole, plan)
    : json === undefined
      ? undefined
      : Buffer.from(print(json), 'utf8');
  const headers: Record<string, string> = {};
  if (token !== undefined) headers.authorization = token;
  if (body !== undefined && plan.type !== undefined) headers['content-type'] = plan.type;
  if (plan.type === 'application/x-protobuf') headers['content-encoding'] = 'snappy';
  for (const [name, text] of plan.headers) headers[name] = text;
  const resolvedPlan: Plan = { ...plan, path, query, body: whole };
  return { operation, identity: plan.identity, target, headers, body, resolved: resolvedPlan };
}

/** Bytes cannot be corrupted member by member: each corruption turns one of them. */
function damaged(bytes: Buffer, { corruptions }: Plan): Buffer {
  const copy = Buffer.from(bytes);
  for (const { place } of corruptions) if (copy.length > 0) copy[place % copy.length]! ^= 1 << (place % 8);
  return copy;
}

/** Attempts of one request, with growing pauses: 22 s of pauses in all. */
const MOST_ATTEMPTS = 10;
const PAUSE_MS = 500;

/** Sends requests over connections that stay open. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(readonly url: string) {}

  /** A service on a busy machine refuses some requests before it does anything: they are sent again. */
  async send(sent: Sent): Promise<Exchange> {
    for (let attempt = 1; ; attempt++) {
      const began = performance.now();
      const reply = await this.exchange(sent).catch((error: unknown) => ({
        status: 0,
        headers: {},
        text: String(error),
      }));
      const isRefused = reply.status === 503 && reply.text.includes('"code":"overloaded"');
      if (!isRefused || attempt === MOST_ATTEMPTS) return { sent, ...reply, tookMs: performance.now() - began };
      await sleep(PAUSE_MS * attempt);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private exchange({ operation, target, headers, body }: Sent): Promise<Omit<Exchange, 'sent' | 'tookMs'>> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          hostname,
          port,
          path: target,
          method: operation.method.toUpperCase(),
          headers: { ...headers, ...(body && { 'content-length': body.length }) },
          agent: this.agent,
          signal: AbortSignal.timeout(GIVEN_UP_AFTER_MS),
        },
        (message) => {
          buffer(message)
            .then((bytes) =>
              resolve({ status: message.statusCode ?? 0, headers: message.headers, text: bytes.toString('utf8') }),
            )
            .catch(reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request as a command for people. The bearer is a variable: no reader needs the one of the run. */
export function curl(url: string, { operation, target, headers, body, identity }: Sent): string {
  const { authorization, ...others } = headers;
  const bearer =
    authorization === undefined ? [] : [`-H "Authorization: $${identity.replaceAll(/\W/g, '_').toUpperCase()}"`];
  const given = Object.entries(others).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const text = body?.toString('utf8') ?? '';
  const isText = body === undefined || Buffer.from(text, 'utf8').equals(body);
  const data =
    body === undefined
      ? []
      : isText
        ? [`--data-raw ${quoted(text)}`]
        : [`--data-binary @<(base64 -d <<< ${body.toString('base64')})`];
  const command = ['curl', '-i', '--path-as-is', '-g', `-X ${operation.method.toUpperCase()}`, quoted(url + target)];
  return [...command, ...bearer, ...given, ...data].join(' ');
}
