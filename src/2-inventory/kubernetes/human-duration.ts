const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * Formats a duration as kubectl prints ages, with fewer digits the longer it is (`45s`, `3m20s`, `2h5m`,
 * `5d3h`, `2y40d`).
 * @param milliseconds a slightly negative one, from clocks that differ, is `0s`
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return two(seconds, MINUTE, 'm', SECOND, 's');
  if (seconds < 3 * HOUR) return `${Math.trunc(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return two(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.trunc(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return two(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.trunc(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return two(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.trunc(seconds / YEAR)}y`;
}

function two(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.trunc((seconds % large) / small);
  const head = `${Math.trunc(seconds / large)}${largeName}`;
  return rest === 0 ? head : `${head}${rest}${smallName}`;
}
