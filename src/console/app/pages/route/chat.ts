import { useCallback, useEffect, useRef, useState } from 'react';
import { api, open, type Opened } from '../../api/client';
import { problemFrom, ProblemError } from '../../api/problem';
import { ChatEvents, type ChatEvent, type Usage } from './chat-events';
import type { Decision } from './ladder';

/** What is sent: as OpenAI's API has it. */
export const bodyOf = (model: string, prompt: string, maxTokens: number) => ({
  model,
  messages: [{ role: 'user', content: prompt }],
  max_tokens: maxTokens,
  stream: true,
  stream_options: { include_usage: true },
});

export interface Exchange {
  readonly prompt: string;
  readonly text: string;
  /** What the model thought before its answer. */
  readonly reasoning: string;
  readonly state: 'waiting' | 'streaming' | 'complete' | 'stopped' | 'failed';
  /** Why it failed. */
  readonly problem: ProblemError | undefined;
  /** Why the model stopped, as it reported. */
  readonly finish: string | undefined;
  /** Milliseconds from sending to the first token, of the reasoning or the answer, and to the last one. */
  readonly firstAfter: number | undefined;
  readonly lastAfter: number | undefined;
  readonly usage: Usage | undefined;
  /** Headers say it as soon as the answer begins. */
  readonly decision: Decision | undefined;
  readonly queueMs: number | undefined;
  readonly startMs: number | undefined;
}

const begun = (prompt: string): Exchange => ({
  prompt,
  text: '',
  reasoning: '',
  state: 'waiting',
  problem: undefined,
  finish: undefined,
  firstAfter: undefined,
  lastAfter: undefined,
  usage: undefined,
  decision: undefined,
  queueMs: undefined,
  startMs: undefined,
});

const numberIn = (headers: Headers, name: string): number | undefined => {
  const text = headers.get(name);
  return text === null ? undefined : Number(text);
};

const decisionIn = (headers: Headers): Decision | undefined => {
  const served = headers.get('x-route-target');
  if (served === null) return undefined;
  return {
    served: decodeURIComponent(served),
    source: headers.get('x-route-reason') ?? '',
    attempts: numberIn(headers, 'x-attempts') ?? 1,
    startKind: headers.get('x-start-kind') ?? undefined,
  };
};

export interface Chat {
  readonly exchange: Exchange | undefined;
  readonly isRunning: boolean;
  readonly send: (prompt: string, maxTokens: number) => void;
  readonly stop: () => void;
}

/** One request at a time. Leaving the page ends it, here and at the worker. */
export function useChat(model: string): Chat {
  const [exchange, setExchange] = useState<Exchange>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), [model]);
  const send = useCallback(
    (prompt: string, maxTokens: number) => {
      running.current?.abort();
      const ended = new AbortController();
      running.current = ended;
      setExchange(begun(prompt));
      const change = (part: Partial<Exchange>) => {
        if (running.current === ended) setExchange((before) => before && { ...before, ...part });
      };
      void converse(bodyOf(model, prompt, maxTokens), ended.signal, change).catch((error: unknown) =>
        change(ended.signal.aborted ? { state: 'stopped' } : { state: 'failed', problem: problemFrom(error) }),
      );
    },
    [model],
  );
  const stop = useCallback(() => running.current?.abort(), []);
  return { exchange, isRunning: exchange?.state === 'waiting' || exchange?.state === 'streaming', send, stop };
}

async function converse(
  body: ReturnType<typeof bodyOf>,
  signal: AbortSignal,
  change: (part: Partial<Exchange>) => void,
): Promise<void> {
  const began = performance.now();
  const answer = await open(
    api.POST('/v1/inference/chat/completions', {
      body: body as never,
      headers: { accept: 'text/event-stream' },
      parseAs: 'stream',
      signal,
    }),
  );
  change({
    decision: decisionIn(answer.headers),
    queueMs: numberIn(answer.headers, 'x-queue-ms'),
    startMs: numberIn(answer.headers, 'x-start-ms'),
  });
  const requestId = answer.headers.get('x-request-id') ?? undefined;
  let [text, reasoning] = ['', ''];
  let firstAfter: number | undefined;
  for await (const event of eventsIn(answer.body, requestId)) {
    if (event.kind === 'error') throw brokeOff(event.message, requestId, event.code);
    else if (event.kind === 'usage') change({ usage: event.usage });
    else if (event.kind === 'finish') change({ finish: event.reason });
    else if (event.kind !== 'end') {
      if (event.kind === 'text') text += event.text;
      else reasoning += event.text;
      const lastAfter = performance.now() - began;
      firstAfter ??= lastAfter;
      change({ text, reasoning, state: 'streaming', firstAfter, lastAfter });
    }
  }
  change({ state: 'complete' });
}

/** Events as they arrive. Whoever leaves early ends the answer. */
async function* eventsIn(body: Opened['body'], requestId: string | undefined): AsyncGenerator<ChatEvent, void> {
  const events = new ChatEvents();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const next = () =>
    reader.read().catch((): never => {
      throw brokeOff('The connection ended before the answer did.', requestId);
    });
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield* events.take(piece.value);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

const brokeOff = (message: string, requestId: string | undefined, code = 'broke_off'): ProblemError =>
  new ProblemError(0, code, 'The answer broke off', message, requestId);
