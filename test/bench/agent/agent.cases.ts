import type { BenchCase, CaseResult } from '../bench';
import { agentCheckpoint, agentRestore } from './images.cases';
import { agentMany } from './many.cases';
import { agentOutbox } from './outbox.cases';
import { agentOverhead } from './overhead.cases';
import { agentArchive } from './archive.cases';
import { agentWake } from './wake.cases';

/** What the agent adds to the tools below it: the table of docs/agents.md. */
export const AGENT_CASES: readonly BenchCase[] = [
  agentCheckpoint,
  agentRestore,
  agentOutbox,
  agentArchive,
  agentOverhead,
  agentMany,
  agentWake,
].map((one) => ({ ...one, group: 'agent', isElsewhere: true }));

/** Not measured: nothing may be lost or done twice, and a test counts both. */
const ELSEWHERE = ['kill -9 of the host agent at ten points', '-', 'nothing lost, nothing twice', 'test/agent/host'];
const HEADING = ['measured', 'against', 'at most', 'here'];

/** As docs/agents.md shows it. Prints nothing if no case of the agent ran. */
export function printAgentTable(results: readonly CaseResult[]): void {
  const own = results.filter(({ name }) => AGENT_CASES.some((one) => one.name === name));
  const rows = own.flatMap(({ bounds, sides }) =>
    bounds.flatMap(({ row, of, against, free, value, atMost = NaN, held }) => {
      if (!row) return [];
      const { unit } = sides[of] ?? { unit: '' };
      const [limit, measured] = [atMost, value].map((figure) =>
        against === undefined ? `${Number(figure.toFixed(1))} ${unit}` : `${figure.toFixed(2)} x`,
      );
      const more = free === undefined ? '' : ` + ${free} ${unit}`;
      return [[row.what, row.against, `${limit}${more}`, `${measured}${more}${held ? '' : ', missed'}`]];
    }),
  );
  if (own.length === 0) return;
  if (rows.length === 0)
    return console.log(`\nNothing of the agent was measured: ${own[0]?.skipped ?? own[0]?.failed}`);
  const lines = [HEADING, ...rows, ELSEWHERE];
  const widths = HEADING.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const text = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(' | ')} |`;
  const [heading, ...body] = lines;
  console.log(`\n${[text(heading!), text(['', '', '', ''], '-'), ...body.map((cells) => text(cells))].join('\n')}`);
}
