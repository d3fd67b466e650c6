import { verdictOf } from './mutant-runs';
import { scoreOf, type MutantResult } from './mutant-results';
import { statementMutants } from './statement-mutants';

const SOURCE = `
// It's a comment with \`a > b\`.
const ACK = statement(
  'ack',
  \`
    update consumers set acked = greatest(acked, $id)
    where org_id = $org_id and id = $consumer -- only if acked < $id
      and $id <= \${HEAD} and seen_at > clock_timestamp() - interval '1 day' and name <> ' and a > b'
    order by id desc for update skip locked\`,
);`;

const changesOf = (file: string, source: string): string[] =>
  statementMutants(file, source).map(({ line, replaced, text }) => `${line}: ${replaced} → ${text}`);

describe('mutants of statements', () => {
  it('change operators, conditions, orders and locks, and no comments, strings or interpolations', () => {
    expect(changesOf('ack.queries.ts', SOURCE)).toEqual([
      '6: greatest → least',
      '7: id = $consumer → true',
      '8: $id <= ${HEAD} → true',
      '8: <= → <',
      "8: seen_at > clock_timestamp() - interval '1 day' → true",
      '8: - → +',
      "8: name <> ' and a > b' → true",
      '8: <> → =',
      '9:  desc → ',
      '9:  for update skip locked →  for update',
    ]);
  });

  it('are those of the whole file in SQL', () => {
    const sql =
      "begin\n  if not found then\n    open c for execute 'select from events where n < $2 for update';\n  end if;\nend";
    expect(changesOf('number.sql', sql)).toEqual([
      '2: if not found → if found',
      '3: n < $2 → true',
      '3: < → <=',
      '3:  for update → ',
    ]);
  });

  it('are valid where they stand', () => {
    const [first] = statementMutants('ack.queries.ts', SOURCE);
    expect(SOURCE.slice(first?.from, first?.to)).toBe('greatest');
  });
});

describe('a mutant', () => {
  const codes = (...all: string[]): ReadonlySet<string> => new Set(all);

  it('counts for nothing if PostgreSQL refuses it as no valid SQL, whatever its tests say', () => {
    for (const outcome of ['killed', 'late', 'survived'] as const)
      expect(verdictOf({ outcome, refused: codes('42883') }, codes())).toBe('invalid');
  });

  it('counts if PostgreSQL refuses the same without it', () => {
    for (const outcome of ['killed', 'late', 'survived'] as const)
      expect(verdictOf({ outcome, refused: codes('42601') }, codes('42601', '42P01'))).toBe(outcome);
  });
});

describe('a score', () => {
  const result = (outcome: MutantResult['outcome'], replaced = 'a'): MutantResult => ({
    file: 'src/x.ts',
    line: 1,
    kind: 'statement',
    replaced,
    text: 'b',
    outcome,
  });

  it('takes a change as equivalent in the line that an entry names, and in no other', () => {
    const results = [result('survived'), { ...result('survived'), line: 2 }];
    const equivalents = [{ file: 'x.ts', replaced: 'a', line: 'of heads', reason: 'it is' }];
    const lines = ['', 'left join a of consumers', 'left join a of heads'];
    const score = scoreOf(results, equivalents, (_file, line) => lines[line] ?? '');
    expect(score).toMatchObject({ equivalent: 1, survivors: [results[0]] });
  });

  it('counts killed and late ones of those that are valid and not equivalent', () => {
    const results = [
      result('killed'),
      result('late'),
      result('survived'),
      result('invalid'),
      result('uncovered', 'same'),
    ];
    const equivalents = [{ file: 'x.ts', replaced: 'same', reason: 'it is' }];
    expect(scoreOf(results, equivalents)).toMatchObject({
      killed: 2,
      counted: 3,
      equivalent: 1,
      survivors: [results[2]],
    });
  });
});
