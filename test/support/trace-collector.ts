import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parse, type Type } from 'protobufjs';

/** The part of OTLP's `ExportTraceServiceRequest` that tests look at. */
const SCHEMA = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  repeated KeyValue attributes = 9;
}
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;

export interface CollectedSpan {
  /** Hexadecimal, as the ids below. */
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'other';
  readonly attributes: Readonly<Record<string, string>>;
  /** Of its process. */
  readonly resource: Readonly<Record<string, string>>;
}

interface Attribute {
  readonly key: string;
  readonly value?: Readonly<Record<string, string | number | boolean>>;
}

/** An OpenTelemetry collector: takes traces by OTLP over HTTP, as protobuf. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  private readonly request: Type = parse(SCHEMA, { keepCase: true }).root.lookupType('Request');

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server);
    server.on('request', (req, res) => {
      void buffer(req).then((body) => {
        if (req.url === '/v1/traces') collector.take(body);
        res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  private take(body: Buffer): void {
    const { resource_spans: all = [] } = this.request.toObject(this.request.decode(body), {
      longs: String,
    }) as { resource_spans?: ResourceSpans[] };
    for (const { resource, scope_spans: scopes = [] } of all)
      for (const { spans = [] } of scopes)
        for (const { trace_id, span_id, parent_span_id, name = '', kind = 0, attributes } of spans)
          this.spans.push({
            traceId: hex(trace_id),
            spanId: hex(span_id),
            parentId: hex(parent_span_id),
            name,
            kind: KINDS[kind] ?? 'other',
            attributes: factsOf(attributes),
            resource: factsOf(resource?.attributes),
          });
  }
}

interface ResourceSpans {
  readonly resource?: { readonly attributes?: readonly Attribute[] };
  readonly scope_spans?: readonly { readonly spans?: readonly WireSpan[] }[];
}

interface WireSpan {
  readonly trace_id?: Buffer;
  readonly span_id?: Buffer;
  readonly parent_span_id?: Buffer;
  readonly name?: string;
  readonly kind?: number;
  readonly attributes?: readonly Attribute[];
}

const KINDS: readonly CollectedSpan['kind'][] = ['other', 'internal', 'server', 'client'];
const hex = (bytes: Buffer | undefined): string => (bytes ? Buffer.from(bytes).toString('hex') : '');
const factsOf = (attributes: readonly Attribute[] = []): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value = {} }) => [key, `${Object.values(value)[0] ?? ''}`]));
