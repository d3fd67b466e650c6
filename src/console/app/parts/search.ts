/** Reads what a page keeps in its address. Anything else in an address is ignored, not refused. */

export type RawSearch = Readonly<Record<string, unknown>>;

/** What a page keeps in its address. Links to the page name what they want, and nothing else. */
export const searchOf =
  <T extends object>(read: (raw: RawSearch) => T) =>
  (raw: RawSearch): Partial<T> =>
    read(raw);

/** One of some words. */
export const oneOf =
  <const T extends string>(words: readonly T[]) =>
  (value: unknown): T | undefined =>
    words.find((word) => word === value);

const MAX_TEXT = 253;

export const someText = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  return text === '' || text.length > MAX_TEXT ? undefined : text;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);
export const someUuid = (value: unknown): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value : undefined;

/** Windows of time that lists offer, in seconds. */
export const WINDOWS = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
export type Window = keyof typeof WINDOWS;
export const WINDOW_NAMES: Readonly<Record<Window, string>> = {
  '1h': 'last hour',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
};
export const someWindow = oneOf(Object.keys(WINDOWS) as Window[]);
