import { plural } from '../units';

const UNITS = [
  [86_400, 'day'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `1 h 30 min`, `2 days`: exactly, in all units that it needs. */
export function interval(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, unit] of UNITS) {
    const whole = Math.floor(rest / size);
    if (whole > 0) parts.push(unit === 'day' ? plural(whole, 'day') : `${whole} ${unit}`);
    rest %= size;
  }
  return parts.length > 0 ? parts.join(' ') : '0 s';
}
