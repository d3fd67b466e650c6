import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(__dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

const GUIDE = textOf('docs/guides/writing-an-agent.md');
/** Cells of the first table below a heading, without its head. */
const tableBelow = (heading: string): string[][] => {
  const text = GUIDE.split(`\n## ${heading}\n`)[1] ?? '';
  const table = /(^\|.*\|\n)+/m.exec(text)?.[0] ?? '';
  const rows = table.trimEnd().split('\n').slice(2);
  return rows.map((row) => row.split('|').slice(1, -1));
};
const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner);

interface Operation {
  readonly operationId?: string;
}
const DESCRIPTION = JSON.parse(textOf('docs/openapi.json')) as { paths: Record<string, Record<string, Operation>> };
const OPERATIONS = Object.values(DESCRIPTION.paths).flatMap((item) =>
  Object.values(item).flatMap(({ operationId }) => operationId ?? []),
);
const CALLED = JSON.parse(textOf('src/agent/service/operations.json')) as string[];
/** Names of events in the sources of the service. */
const EVENTS = globSync('src/?-*/**/*.events.ts', { cwd: PROJECT })
  .flatMap((file) => [...textOf(file).matchAll(/'([a-z_]+\.[a-z_]+)'/g)])
  .map(([, name = '']) => name);
const PROBLEMS = textOf('docs/decisions.md').split('\n## Problems\n')[1] ?? '';

const operationsIn = (text: string): string[] =>
  quoted(text)
    .flatMap((one) => one.split(' '))
    .filter((name) => OPERATIONS.includes(name));

describe('the guide to writing an agent', () => {
  const events = tableBelow('Which events it reads');
  const reports = tableBelow('What it reports, and when');

  it('names every event of checkpoints and restores, and none that does not exist', () => {
    const named = events.flatMap(([event = '']) => quoted(event));
    expect(named.filter((name) => !EVENTS.includes(name))).toEqual([]);
    expect(named).toEqual(expect.arrayContaining(EVENTS.filter((name) => /^(action|slurm)\./.test(name))));
  });

  it('names members that the sources of the events have', () => {
    const sources = globSync('src/{2-inventory,3-checkpointing,4-serving}/**/*.ts', { cwd: PROJECT })
      .map(textOf)
      .join('\n');
    const members = events.flatMap(([, of = '']) => quoted(of));
    expect(members.length).toBeGreaterThan(5);
    expect(members.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
  });

  it('names an operation in each row of reports, which the agent itself calls', () => {
    for (const [when = '', how = ''] of reports) {
      const named = quoted(how).filter((name) => name !== 'action_id' && name !== 'error');
      expect([when, named.filter((name) => !CALLED.includes(name))]).toEqual([when, []]);
      expect(named).not.toEqual([]);
    }
  });

  it('names only operations, problems and members that exist', () => {
    const words = quoted(GUIDE).filter((word) => /^[a-z]+(_[a-z]+)+$/.test(word));
    const known = (word: string): boolean =>
      OPERATIONS.includes(word) ||
      PROBLEMS.includes(`\`${word}\``) ||
      JSON.stringify(DESCRIPTION).includes(`"${word}"`) ||
      events.some(([, of = '']) => quoted(of).includes(word));
    expect(words.length).toBeGreaterThan(20);
    expect([...new Set(words)].filter((word) => !known(word))).toEqual([]);
  });

  it('has the reports that the sources of the agent send', () => {
    const sources = globSync('src/agent/controllers/**/*.ts', { cwd: PROJECT }).map(textOf).join('\n');
    const sent = CALLED.filter((name) => sources.includes(`'${name}'`) || sources.includes(`/${name}'`));
    const mentioned = operationsIn(GUIDE);
    const own = sent.filter(
      (name) => /^(create|put|report|sync|save|ack|list_outbox)/.test(name) && !/slurm|maintenance/.test(name),
    );
    expect(own.filter((name) => !mentioned.includes(name))).toEqual([]);
  });
});
