import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/1-platform/common/json/json';

/** A request as the worker received it. Times are those of `performance.now`. */
interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly receivedAt: number;
  /** The number of bytes of the answer's body written so far. */
  readonly sent: Buffer[];
  /** When the worker saw that the client disconnected before the answer was complete. */
  leftAt: number | undefined;
}

interface Exchange {
  readonly request: ReceivedRequest;
  /** The parsed body. */
  readonly asked: JsonObject;
  readonly response: ServerResponse;
  /** Whether the client has disconnected. */
  readonly gone: AbortSignal;
}

/** How a worker handles a request. */
export type Behaviour = (exchange: Exchange) => void | Promise<void>;

const SENTENCE = ['The', ' quick', ' brown', ' fox', ' jumps', ' over', ' the', ' lazy', ' dog', '.'];

interface AnswerOptions {
  /** Pieces of the text; in a stream, one event each. */
  readonly words?: readonly string[];
  readonly promptTokens?: number;
}

interface StreamOptions extends AnswerOptions {
  readonly lineEnd?: '\n' | '\r\n';
  /** Bytes per write, across events; by default, one event per write. */
  readonly sliceBytes?: () => number;
  /** Awaited before each event, with the event's index from 0. */
  readonly before?: (place: number) => Promise<unknown> | undefined;
}

/** An OpenAI-compatible server on loopback. It prints what vLLM prints, and can fail in every way. */
export class InferenceWorker {
  readonly requests: ReceivedRequest[] = [];
  /** Connections made so far. */
  connections = 0;
  /** Requests in progress, and their maximum so far. */
  underWay = 0;
  highest = 0;
  private behaviour: Behaviour = answers();
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => this.sockets.delete(socket));
      // Errors of clients that disconnect.
      socket.on('error', () => undefined);
    });
  }

  /** @param port by default a free one */
  static async start(behaviour: Behaviour = answers(), port = 0): Promise<InferenceWorker> {
    const server = createServer();
    const worker = new InferenceWorker(server);
    worker.behaviour = behaviour;
    // `serve` ends the connection if the behaviour throws.
    // oxlint-disable-next-line typescript/no-misused-promises
    server.on('request', (request, response) => worker.serve(request, response));
    // vLLM is served by uvicorn, which closes an idle connection after 5 seconds.
    server.keepAliveTimeout = 5_000;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return worker;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  /** The base URL of its API, without `/v1`. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  /** As an allow-list names it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.sockets.size;
  }

  /** Requests whose client disconnected before the answer was complete. */
  get abandoned(): ReceivedRequest[] {
    return this.requests.filter(({ leftAt }) => leftAt !== undefined);
  }
  /** @throws if there was none */
  get last(): ReceivedRequest {
    const last = this.requests.at(-1);
    if (!last) throw new Error('the worker was asked nothing');
    return last;
  }

  /** Applies to all further requests. */
  behaves(behaviour: Behaviour): void {
    this.behaviour = behaviour;
  }

  /** Resets the worker: it answers normally and forgets its requests. */
  reset(): void {
    this.behaviour = answers();
    this.requests.length = 0;
    this.highest = this.underWay;
  }

  /** Breaks all connections, as the end of its process does. */
  cutOff(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutOff();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(
    message: AsyncIterable<Buffer> & { method?: string; url?: string; headers: IncomingHttpHeaders },
    response: ServerResponse,
  ): Promise<void> {
    this.underWay++;
    this.highest = Math.max(this.highest, this.underWay);
    const receivedAt = performance.now();
    const gone = new AbortController();
    let leftAt: number | undefined;
    let request: ReceivedRequest | undefined;
    response.on('error', () => undefined);
    let over = false;
    const end = (): void => {
      if (!over) this.underWay--;
      over = true;
    };
    response.once('close', () => {
      end();
      if (response.writableFinished) return;
      leftAt = performance.now();
      if (request) request.leftAt = leftAt;
      gone.abort();
    });
    try {
      const body = await buffer(message);
      const { method = '', url = '', headers } = message;
      request = { method, url, headers, body, receivedAt, sent: [], leftAt };
      this.requests.push(request);
      const known = method === 'POST' && url in ENDPOINTS;
      const exchange = { request, asked: known ? parsed(body) : {}, response, gone: gone.signal };
      await (known ? this.behaviour(exchange) : refuses(404, '{"detail":"Not Found"}')(exchange));
      // A client that has read the end may send its next request before this side has closed the answer.
      if (response.writableEnded) end();
    } catch (error) {
      // The client sent half a request, or disconnected during the answer. Any other failure shows as a
      // broken connection.
      response.destroy(error as Error);
    }
  }
}

/** Its endpoints, with each one's answer as a whole and as the events of a stream. */
interface EndpointAnswers {
  whole(asked: JsonObject, options: AnswerOptions): string;
  events?(asked: JsonObject, options: AnswerOptions): string[];
}

const parsed = (body: Buffer): JsonObject => JSON.parse(body.toString('utf8')) as JsonObject;

/** As a whole or as a stream, as requested. */
export const answers =
  (options: StreamOptions = {}): Behaviour =>
  (exchange) =>
    (exchange.asked.stream === true ? streams(options) : completes(options))(exchange);

export const completes =
  (options: AnswerOptions = {}): Behaviour =>
  (exchange) =>
    sayAll(exchange, 200, wholeOf(exchange, options));

/** As a stream, whatever was requested. `stream_options` decides about the usage. */
export const streams =
  (options: StreamOptions = {}): Behaviour =>
  async (exchange) => {
    begin(exchange);
    await sayEvents(exchange, eventsOf(exchange, options), options);
    exchange.response.end();
  };

/** The bytes that another worker printed. */
export const replays =
  (text: string, options: Pick<StreamOptions, 'lineEnd' | 'sliceBytes' | 'before'> = {}): Behaviour =>
  async (exchange) => {
    begin(exchange);
    const events = text.split(/(?<=\n\n)/).map((event) => event.replace(/\n\n$/, ''));
    await sayEvents(exchange, events, options);
    exchange.response.end();
  };

export const refuses =
  (status: number, body: string): Behaviour =>
  (exchange) =>
    sayAll(exchange, status, body);

/** An HTML page, as a proxy in front of a worker may return it, or anything else that is not JSON. */
export const shows =
  (contentType: string | undefined, body: string): Behaviour =>
  ({ response }) =>
    void response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType }).end(body);

export const redirects =
  (location: string): Behaviour =>
  ({ response }) =>
    void response.writeHead(302, { location }).end();

/** Closes the connection before the answer, or after the headers of a stream. */
export const hangsUp =
  (after: 'nothing' | 'headers'): Behaviour =>
  async (exchange) => {
    if (after === 'headers') {
      begin(exchange);
      exchange.response.flushHeaders();
      await sleep(20);
    }
    exchange.response.socket?.destroy();
  };

/** Closes the connection after this many events, or in the middle of a whole answer. */
export const breaksOff =
  (afterEvents: number, options: StreamOptions = {}): Behaviour =>
  async (exchange) => {
    const { asked, response } = exchange;
    if (asked.stream === true) {
      begin(exchange);
      await sayEvents(exchange, eventsOf(exchange, options).slice(0, afterEvents), options);
    } else {
      const body = Buffer.from(wholeOf(exchange, options));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.write(body.subarray(0, body.length / 2));
    }
    // The written bytes must arrive before the connection breaks.
    await sleep(20);
    response.socket?.destroy();
  };

/** Never answers, and waits until the client disconnects. */
export const isSilent =
  (): Behaviour =>
  async ({ gone }) => {
    if (!gone.aborted) await once(gone, 'abort');
  };

/**
 * Sends the start of a whole answer, and the rest byte by byte: each byte is a chunk of HTTP's own encoding,
 * and all chunks are written at once. Then it closes the connection.
 */
export const dribbles =
  (first: string, rest: string, contentType = 'text/event-stream', status = 200): Behaviour =>
  async ({ response, request }) => {
    response.writeHead(status, { 'content-type': contentType });
    request.sent.push(Buffer.from(first + rest));
    await new Promise((resolve) => response.write(first, resolve));
    const chunks = [...rest].map((byte) => `1\r\n${byte}\r\n`);
    response.socket?.end(`${chunks.join('')}0\r\n\r\n`);
  };

/** The same with a delay: the first byte is slow. */
export const later =
  (milliseconds: number, behaviour: Behaviour = answers()): Behaviour =>
  async (exchange) => {
    await sleep(milliseconds, undefined, { signal: exchange.gone });
    await behaviour(exchange);
  };

/** One behaviour for each request; the last one repeats. */
export function inTurn(...behaviours: [Behaviour, ...Behaviour[]]): Behaviour {
  let next = 0;
  return (exchange) => (behaviours[Math.min(next++, behaviours.length - 1)] as Behaviour)(exchange);
}

function begin({ response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', server: 'uvicorn' });
}

function sayAll({ request, response }: Exchange, status: number, text: string): void {
  const body = Buffer.from(text);
  request.sent.push(body);
  const headers = { 'content-type': 'application/json', 'content-length': body.length, server: 'uvicorn' };
  response.writeHead(status, headers).end(body);
}

async function sayEvents(
  exchange: Exchange,
  events: readonly string[],
  { lineEnd = '\n', sliceBytes, before }: StreamOptions,
): Promise<void> {
  const lines = (event: string): Buffer => Buffer.from(`${event}\n\n`.replaceAll('\n', lineEnd));
  if (sliceBytes) {
    const all = Buffer.concat(events.map(lines));
    for (let at = 0; at < all.length;) {
      const slice = all.subarray(at, at + Math.max(sliceBytes(), 1));
      at += slice.length;
      await say(exchange, slice);
    }
    return;
  }
  for (const [place, event] of events.entries()) {
    await before?.(place);
    await say(exchange, lines(event));
  }
}

/** Waits until each piece is read before it writes the next one. */
async function say({ request, response, gone }: Exchange, bytes: Buffer): Promise<void> {
  gone.throwIfAborted();
  request.sent.push(bytes);
  if (response.write(bytes)) await turn();
  else await once(response, 'drain', { signal: gone });
}

interface Content {
  readonly words: readonly string[];
  readonly usage: { prompt_tokens: number; total_tokens: number; completion_tokens: number };
}

function contentOf({ words = SENTENCE, promptTokens = 13 }: AnswerOptions, said = words.length): Content {
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens + said, completion_tokens: said };
  return { words, usage };
}

const ID = 'chatcmpl-ba1b4314210adc3b';
const CREATED = 1_764_763_435;

/** A whole answer, as vLLM 0.11 prints it. */
export function completionOf({ model }: JsonObject, options: AnswerOptions = {}): string {
  const { words, usage } = contentOf(options);
  const message = {
    role: 'assistant',
    content: words.join(''),
    refusal: null,
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: [],
    reasoning_content: null,
  };
  return JSON.stringify({
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop', stop_reason: null, token_ids: null }],
    service_tier: null,
    system_fingerprint: null,
    usage: { ...usage, prompt_tokens_details: null },
    prompt_logprobs: null,
    prompt_token_ids: null,
    kv_transfer_params: null,
  });
}

/** The events of a stream without their line ends, as vLLM 0.11 prints them. */
function chatEvents({ model, stream_options: asked }: JsonObject, options: AnswerOptions): string[] {
  const { words, usage } = contentOf(options);
  const { include_usage: wantsUsage, continuous_usage_stats: always } = (asked ?? {}) as JsonObject;
  const event = (choices: object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: ID, object: 'chat.completion.chunk', created: CREATED, model, choices, ...more })}`;
  const piece = (delta: object, said: number, more: object = {}): string =>
    event(
      [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }],
      always === true ? { usage: contentOf(options, said).usage } : {},
    );
  return [
    piece({ role: 'assistant', content: '' }, 0),
    ...words.map((content, place) => piece({ content }, place + 1, { token_ids: null })),
    piece({ content: '' }, words.length, { finish_reason: 'stop', stop_reason: null, token_ids: null }),
    ...(wantsUsage === true ? [event([], { usage })] : []),
    'data: [DONE]',
  ];
}

/** A whole text completion, with one choice per prompt. */
function textCompletion({ model, prompt }: JsonObject, options: AnswerOptions): string {
  const { words, usage } = contentOf(options);
  const count = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1;
  const choices = Array.from({ length: count }, (_, index) => ({
    index,
    text: words.join(''),
    logprobs: null,
    finish_reason: 'stop',
    stop_reason: null,
  }));
  return JSON.stringify({ id: 'cmpl-1', object: 'text_completion', created: CREATED, model, choices, usage });
}

function textEvents({ model, stream_options: asked }: JsonObject, options: AnswerOptions): string[] {
  const { words, usage } = contentOf(options);
  const event = (choices: object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', created: CREATED, model, choices, ...more })}`;
  const choice = (text: string, reason: string | null): object => ({
    index: 0,
    text,
    logprobs: null,
    finish_reason: reason,
  });
  const wantsUsage = (asked as JsonObject | undefined)?.include_usage === true;
  return [
    ...words.map((text, place) => event([choice(text, place === words.length - 1 ? 'stop' : null)])),
    ...(wantsUsage ? [event([], { usage })] : []),
    'data: [DONE]',
  ];
}

/** Vectors of three numbers; in base64 if requested, as the official client does. */
function embeddingsOf(
  { model, input, encoding_format: format }: JsonObject,
  { promptTokens = 13 }: AnswerOptions,
): string {
  const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  const data = Array.from({ length: count }, (_, index) => {
    const numbers = [index, 0.5, -1.25];
    const embedding = format === 'base64' ? Buffer.from(new Float32Array(numbers).buffer).toString('base64') : numbers;
    return { index, object: 'embedding', embedding };
  });
  const usage = {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens,
    completion_tokens: 0,
    prompt_tokens_details: null,
  };
  return JSON.stringify({ id: 'embd-1', object: 'list', created: CREATED, model, data, usage });
}

function responseOf({ model }: JsonObject, options: AnswerOptions, status = 'completed'): JsonObject {
  const { words, usage } = contentOf(options);
  const text = status === 'completed' ? words.join('') : '';
  const content = [{ type: 'output_text', text, annotations: [], logprobs: null }];
  return {
    id: 'resp_1',
    object: 'response',
    created_at: CREATED,
    model,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: null,
    output: status === 'completed' ? [{ id: 'msg_1', type: 'message', role: 'assistant', status, content }] : [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage:
      status === 'completed'
        ? {
            input_tokens: usage.prompt_tokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: usage.completion_tokens,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: usage.total_tokens,
          }
        : null,
  };
}

function responseEvents(asked: JsonObject, options: AnswerOptions): string[] {
  const { words } = contentOf(options);
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const part = (text: string): object => ({ type: 'output_text', text, annotations: [], logprobs: [] });
  const text = words.join('');
  const events: [type: string, members: object][] = [
    ['response.created', { response: responseOf(asked, options, 'in_progress') }],
    ['response.in_progress', { response: responseOf(asked, options, 'in_progress') }],
    ['response.output_item.added', { output_index: 0, item }],
    ['response.content_part.added', { ...place, part: part('') }],
    ...words.map((delta): [string, object] => ['response.output_text.delta', { ...place, delta, logprobs: [] }]),
    ['response.output_text.done', { ...place, text, logprobs: [] }],
    ['response.content_part.done', { ...place, part: part(text) }],
    ['response.output_item.done', { output_index: 0, item: { ...item, status: 'completed', content: [part(text)] } }],
    ['response.completed', { response: responseOf(asked, options) }],
  ];
  return events.map(
    ([type, members], sequence_number) =>
      `event: ${type}\ndata: ${JSON.stringify({ ...members, sequence_number, type })}`,
  );
}

const ENDPOINTS: Readonly<Record<string, EndpointAnswers>> = {
  '/v1/chat/completions': { whole: completionOf, events: chatEvents },
  '/v1/completions': { whole: textCompletion, events: textEvents },
  '/v1/embeddings': { whole: embeddingsOf },
  '/v1/responses': { whole: (asked, options) => JSON.stringify(responseOf(asked, options)), events: responseEvents },
};

const wholeOf = ({ request, asked }: Exchange, options: AnswerOptions): string =>
  ENDPOINTS[request.url]?.whole(asked, options) ?? '';

const eventsOf = ({ request, asked }: Exchange, options: AnswerOptions): string[] =>
  ENDPOINTS[request.url]?.events?.(asked, options) ?? [];
