import { useNow } from './clock';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function passed(ms: number): string {
  if (ms < 10_000) return 'just now';
  if (ms < MINUTE) return `${Math.floor(ms / 1_000)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${Math.floor(ms / DAY)} days ago`;
}

function left(ms: number): string {
  if (ms < MINUTE) return `in ${Math.ceil(ms / 1_000)} s`;
  if (ms < HOUR) return `in ${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `in ${Math.round(ms / HOUR)} h`;
  return `in ${Math.round(ms / DAY)} days`;
}

export const exact = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** A time as its distance from now, or as it is if a clock is ahead; its title is the exact time. */
export function Moment({ at }: { at: number | string }) {
  const time = typeof at === 'number' ? at : Date.parse(at);
  const distance = useNow() - time;
  const date = new Date(time);
  return (
    <time dateTime={date.toISOString()} title={`${exact(time)} (${date.toISOString()})`}>
      {distance < -MINUTE ? exact(time) : passed(Math.max(0, distance))}
    </time>
  );
}

/** A time to come, as its distance from now; a past one as it is in `Moment`. */
export function Coming({ at }: { at: number | string }) {
  const time = typeof at === 'number' ? at : Date.parse(at);
  const distance = time - useNow();
  if (distance <= 0) return <Moment at={time} />;
  const date = new Date(time);
  return (
    <time dateTime={date.toISOString()} title={`${exact(time)} (${date.toISOString()})`}>
      {left(distance)}
    </time>
  );
}
