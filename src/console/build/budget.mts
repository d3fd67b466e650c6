import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Kilobytes after gzip, which nobody exceeds by accident: `docs/console.md` says what they are for. */
const KB = 1_000;
const FIRST_SCRIPT = 290 * KB;
const FIRST_STYLE = 50 * KB;
const MORE_PER_ROUTE = 60 * KB;

/** The page that `/console` shows. */
const FIRST_ROUTE = 'pages/overview/overview-page.tsx';

/** A member of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

interface Weighed {
  readonly route: string;
  readonly script: number;
  readonly style: number;
}

export interface Budget {
  /** One line for each route. */
  readonly report: readonly string[];
  /** What exceeds its budget. */
  readonly faults: readonly string[];
}

/** The files that a browser loads for a chunk. */
function filesOf(manifest: Manifest, name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (chunk === undefined || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const style of chunk.css ?? []) found.add(style);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found);
  return found;
}

/** Weighs the first route whole, and what each further route adds to the part that all share. */
export function budgetOf(directory: string): Budget {
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true);
  if (entry === undefined || manifest[FIRST_ROUTE]?.isDynamicEntry !== true)
    throw new Error(`the build has no entry, or no chunk for ${FIRST_ROUTE}`);
  const shared = filesOf(manifest, entry);
  const weigh = (route: string, files: Iterable<string>): Weighed => {
    const sizes = { script: 0, style: 0 };
    for (const file of files)
      sizes[file.endsWith('.css') ? 'style' : 'script'] += gzipSync(readFileSync(join(directory, file)), {
        level: 9,
      }).length;
    return { route, ...sizes };
  };
  const routes = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry === true);
  const first = weigh(FIRST_ROUTE, new Set([...shared, ...filesOf(manifest, FIRST_ROUTE)]));
  const others = routes
    .filter((route) => route !== FIRST_ROUTE)
    .map((route) =>
      weigh(
        route,
        [...filesOf(manifest, route)].filter((file) => !shared.has(file)),
      ),
    );
  return {
    report: [lineOf('first', first), ...others.map((other) => lineOf('more', other))],
    faults: [
      ...over(first.route, 'script', first.script, FIRST_SCRIPT),
      ...over(first.route, 'styles', first.style, FIRST_STYLE),
      ...others.flatMap(({ route, script, style }) => over(route, 'more', script + style, MORE_PER_ROUTE)),
    ],
  };
}

const kilobytes = (bytes: number): string => `${(bytes / KB).toFixed(1)} kB`;

const lineOf = (kind: string, { route, script, style }: Weighed): string =>
  `${kind.padEnd(6)}${kilobytes(script).padStart(9)} script ${kilobytes(style).padStart(9)} styles  ${route}`;

const over = (route: string, what: string, bytes: number, budget: number): string[] =>
  bytes > budget ? [`${route}: ${kilobytes(bytes)} ${what}, the budget is ${kilobytes(budget)}`] : [];
