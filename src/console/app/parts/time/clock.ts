import { useSyncExternalStore } from 'react';

/** The time of this machine: `house/clock` allows it here only. */
// oxlint-disable-next-line house/clock -- a browser has no other clock
export const now = (): number => Date.now();

const TICK_MS = 5_000;

const listeners = new Set<() => void>();
let shown = now();
let timer: ReturnType<typeof setInterval> | undefined;

/** What all components show. */
export const shownNow = (): number => shown;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // It stood still while nobody looked.
    shown = now();
    timer = setInterval(() => {
      shown = now();
      for (const one of listeners) one();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, which moves on every few seconds for all components together. */
export const useNow = (): number => useSyncExternalStore(subscribe, shownNow);
