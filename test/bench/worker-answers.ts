/** The replies of the benchmark's worker, and what must reach the client. */

export const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
const CREATED = 1_767_225_600;

/** The reply without a stream: 233 bytes. */
export const WHOLE = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: CREATED,
  model: 'w',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi!' }, finish_reason: 'stop' }],
  usage: USAGE,
});

/** Milliseconds between the pieces of a stream, by requested model. */
export const PACES: Readonly<Record<string, number>> = { w: 5, slow: 50 };

export const PIECES = 200;

const event = (content: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: CREATED, model: 'w', ...content })}\n\n`;

const delta = (content: string): string => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

/** The pieces of a stream, in order. */
export const EVENTS: readonly string[] = Array.from({ length: PIECES }, (_, place) => delta(` token-${place}`));
export const STREAM_USAGE = { prompt_tokens: 9, completion_tokens: PIECES, total_tokens: 9 + PIECES };
/** The last piece, on request. */
export const USAGE_EVENT = event({ choices: [], usage: STREAM_USAGE });
export const DONE = 'data: [DONE]\n\n';
