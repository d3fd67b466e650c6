import { quoted } from '../../parts/shell';

/** The stream of an answer: server-sent events, as OpenAI's API writes them. */

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  /** What the model thinks before it answers. */
  | { readonly kind: 'reasoning'; readonly text: string }
  /** Why the model stopped: `stop`, `length` and others. */
  | { readonly kind: 'finish'; readonly reason: string }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'error'; readonly message: string; readonly code: string | undefined }
  | { readonly kind: 'end' };

interface Delta {
  readonly content?: string | null;
  /** As vLLM and SGLang have it; others name it `reasoning`. */
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
  readonly error?: { readonly message?: unknown; readonly code?: unknown };
}

/** Reads events that arrive in pieces of any size. */
export class ChatEvents {
  private rest = '';

  /** @returns the events that the piece completes */
  take(piece: string): readonly ChatEvent[] {
    const lines = (this.rest + piece).split(/\r?\n/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => (line.startsWith('data:') ? eventsOf(line.slice(5).trim()) : []));
  }
}

function eventsOf(data: string): readonly ChatEvent[] {
  if (data === '[DONE]') return [{ kind: 'end' }];
  const chunk = chunkOf(data);
  if (chunk === undefined)
    return [{ kind: 'error', message: 'The answer has an event that is not JSON.', code: undefined }];
  if (chunk.error) {
    const [message, code] = [textOf(chunk.error.message), textOf(chunk.error.code)];
    return [{ kind: 'error', message: message ?? 'The worker gave no reason.', code }];
  }
  const { choices = [] } = chunk;
  const reasoning = choices.map(({ delta }) => delta?.reasoning_content || delta?.reasoning || '').join('');
  const text = choices.map(({ delta }) => delta?.content ?? '').join('');
  const reason = choices.find(({ finish_reason }) => finish_reason != null)?.finish_reason;
  const events: ChatEvent[] = [];
  if (reasoning !== '') events.push({ kind: 'reasoning', text: reasoning });
  if (text !== '') events.push({ kind: 'text', text });
  if (reason != null) events.push({ kind: 'finish', reason });
  if (chunk.usage)
    events.push({
      kind: 'usage',
      usage: {
        promptTokens: chunk.usage.prompt_tokens ?? 0,
        completionTokens: chunk.usage.completion_tokens ?? 0,
      },
    });
  return events;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function chunkOf(data: string): Chunk | undefined {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return undefined;
  }
}

/** Prices in a profile's spec, US dollars per million tokens. */
interface Pricing {
  readonly prompt_usd_per_mtok?: unknown;
  readonly completion_usd_per_mtok?: unknown;
}

const priceOf = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

/** What an answer costs by the token prices of the profile; undefined: it has none. */
export function costOf(spec: unknown, { promptTokens, completionTokens }: Usage): number | undefined {
  const { pricing } = (spec ?? {}) as { readonly pricing?: Pricing };
  if (pricing?.prompt_usd_per_mtok === undefined && pricing?.completion_usd_per_mtok === undefined) return undefined;
  return (
    (promptTokens * priceOf(pricing.prompt_usd_per_mtok) +
      completionTokens * priceOf(pricing.completion_usd_per_mtok)) /
    1e6
  );
}

/** `$0.00042`: two significant digits of a small amount, cents of a larger one. */
export const dollars = (usd: number): string =>
  usd === 0 ? '$0' : usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(1 - Math.floor(Math.log10(usd)))}`;

/** Pasted into a shell, it sends the same request. The token is not part of it. */
export function curlOf(origin: string, body: object): string {
  return (
    `curl -N ${origin}/v1/inference/chat/completions \\\n` +
    `  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  -d ${quoted(JSON.stringify(body, null, 2))}`
  );
}
