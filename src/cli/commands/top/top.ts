import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../api/service';
import { CliFailure, EXIT, usage } from '../../failures';
import type { Printer } from '../../output/printer';
import type { Run } from '../context';
import { wholeNumber } from '../whole-numbers';
import { gpusInUse, nodesInUse, podsInUse, profilesInUse, type Usage } from './usage';

interface Options {
  readonly rows: string;
  readonly interval: string;
  readonly once?: boolean;
}

const USAGES: Readonly<Record<string, (service: Service) => Promise<Usage>>> = {
  profiles: profilesInUse,
  gpus: gpusInUse,
  nodes: nodesInUse,
  pods: podsInUse,
};

const MS_PER_SECOND = 1_000;

// What a terminal is asked for: another screen without a cursor, and back.
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

export const top: Run<Options> = async ({ printer, service: connect }, options, [what]) => {
  if (what !== undefined && !Object.hasOwn(USAGES, what))
    throw usage(`There is no top of ${what}: only of ${Object.keys(USAGES).join(', ')}.`);
  const service = connect();
  const rows = wholeNumber(options.rows, 'rows', 1);
  const intervalMs = wholeNumber(options.interval, 'interval', 1) * MS_PER_SECOND;
  const asked = what === undefined ? Object.keys(USAGES) : [what];
  const look = (): Promise<Usage[]> => Promise.all(asked.map((name) => USAGES[name]!(service)));
  if (printer.isJson) {
    const found = await look();
    for (const { title, part } of found) if (part !== undefined) printer.say(`${title}: ${part} only.`);
    return printer.document(
      Object.fromEntries(found.map(({ rows: all }, place) => [asked[place]!, all.slice(0, rows)])),
    );
  }
  if (!printer.isTerminal || options.once) return printer.write(linesOf(printer, await look(), rows));
  await refresh(printer, service, intervalMs, async () => linesOf(printer, await look(), rows));
};

function linesOf(printer: Printer, found: readonly Usage[], most: number): string[] {
  return found.flatMap(({ title, part, head, rows, cells, none }, place) => [
    ...(place > 0 ? [''] : []),
    ...printer.lines(undefined, [[part === undefined ? title : `${title}, ${part}`]]),
    ...(rows.length > 0 ? printer.lines(head, rows.slice(0, most).map(cells)) : printer.lines(undefined, [[none]])),
  ]);
}

/** Shows it again and again on a screen of its own, until the process is interrupted. */
async function refresh(
  printer: Printer,
  { target }: Service,
  intervalMs: number,
  draw: () => Promise<readonly string[]>,
): Promise<never> {
  const out = printer.streams.out as NodeJS.WriteStream;
  const leave = (signal: NodeJS.Signals): void => {
    out.write(LEAVE);
    // The handler is gone: now it ends as every program does.
    process.kill(process.pid, signal);
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  let lines = await draw();
  out.write(ENTER);
  try {
    for (let note = ''; ; await sleep(intervalMs)) {
      try {
        lines = await draw();
        note = '';
      } catch (error) {
        if (!(error instanceof CliFailure) || error.facts.exit !== EXIT.unreachable) throw error;
        note = ' (not reached: these are the last figures)';
      }
      const screen = [...printer.lines(undefined, [[`${target.url}${note}, Ctrl-C ends it`]]), '', ...lines];
      const visible = out.rows > 1 ? screen.slice(0, out.rows - 1) : screen;
      out.write(HOME + visible.map((line) => `${line}${REST_OF_LINE}\n`).join('') + REST_OF_SCREEN);
    }
  } finally {
    out.write(LEAVE);
  }
}
