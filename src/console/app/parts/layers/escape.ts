import { useEffect, useRef } from 'react';

/** What Escape does in each open dialog and drawer, the newest last. It is for that one only. */
const open: (() => void)[] = [];

/** An open list of choices closes first, which it does by itself. */
const closesItself = (target: EventTarget | null): boolean =>
  target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true';

window.addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape' || event.isComposing || closesItself(event.target)) return;
    open.at(-1)?.();
  },
  { capture: true },
);

/**
 * In place of the library's own listeners, by which one key would close everything that is open, a form below
 * a question too.
 */
export function useEscape(isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (!isOpen) return;
    const own = () => latest.current();
    open.push(own);
    return () => void open.splice(open.indexOf(own), 1);
  }, [isOpen]);
}
