/** The rules of this house, which no package has. `.oxlintrc.json` says where they apply. */
const COMMENT_COLUMNS = 110;
const SQL_COLUMNS = 110;

const rule = (create) => ({ meta: { type: 'problem', schema: [] }, create });

/** The formatter bounds code, and leaves comments alone. */
const commentColumns = rule((context) => ({
  Program() {
    const { lines } = context.sourceCode;
    for (const { loc } of context.sourceCode.getAllComments())
      for (let line = loc.start.line; line <= loc.end.line; line++) {
        const text = lines[line - 1];
        // Behind code, the code is what makes the line long.
        if (line === loc.start.line && text.slice(0, loc.start.column).trim() !== '') continue;
        if (text.length > COMMENT_COLUMNS)
          context.report({
            loc: { start: { line, column: COMMENT_COLUMNS }, end: { line, column: text.length } },
            message: `A comment has at most ${COMMENT_COLUMNS} columns.`,
          });
      }
  },
}));

/** Infrastructure has its statements where it sends them. */
const IS_DATABASE = /1-platform\/database\//;
const IS_QUERIES = /\.queries(\.ts$|\/)/;
const IS_SQL = /^\s*(select|insert into|update \w+( \w+)? set|delete from|with \w+ as|lock table)\s/;
const POSITION = /\$\d/;

/** Statements stand in `*.queries.ts`, name their parameters and fit beside another file. */
const sql = rule((context) => {
  const { filename } = context;
  const isQueries = IS_QUERIES.test(filename);
  const check = (node, text) => {
    if (!isQueries && !IS_SQL.test(text)) return;
    if (!isQueries && !IS_DATABASE.test(filename))
      context.report({ node, message: 'A statement stands in a *.queries.ts file.' });
    if (POSITION.test(text)) context.report({ node, message: 'A statement names its parameters: $org_id.' });
    for (let { line } = node.loc.start; line <= node.loc.end.line; line++) {
      const { length } = context.sourceCode.lines[line - 1];
      if (length > SQL_COLUMNS)
        context.report({
          loc: { start: { line, column: SQL_COLUMNS }, end: { line, column: length } },
          message: `A line of SQL has at most ${SQL_COLUMNS} columns.`,
        });
    }
  };
  return {
    Literal: (node) => {
      if (typeof node.value === 'string' && node.value.includes(' ')) check(node, node.value);
    },
    TemplateLiteral: (node) => check(node, node.quasis.map(({ value }) => value.raw).join('')),
  };
});

const SENDS = new Set(['query', 'orderBy', 'addOrderBy']);

/** Text glued into SQL is how injection starts: statements are constants, values are parameters. */
const constantStatements = rule((context) => ({
  CallExpression({ callee, arguments: args }) {
    if (callee.type !== 'MemberExpression' || !SENDS.has(callee.property.name)) return;
    for (const node of args)
      if (node.type === 'TemplateLiteral' && node.expressions.length > 0)
        context.report({ node, message: 'No template literal with values in a statement: pass parameters.' });
  },
}));

const TAKE_THE_CLOCK = 'Take the time from the Clock.';

/** Tests set the clock, and several replicas share that of the database. */
const clock = rule((context) => ({
  NewExpression(node) {
    if (node.callee.name === 'Date' && node.arguments.length === 0) context.report({ node, message: TAKE_THE_CLOCK });
  },
  CallExpression(node) {
    const { object, property } = node.callee;
    if (object?.name === 'Date' && property?.name === 'now') context.report({ node, message: TAKE_THE_CLOCK });
  },
}));

const BEGINS_A_PART = new Set(
  (
    'about above across after against along also among and around as at because before behind below beneath beside ' +
    'besides between beyond but by despite down during even except for from if in inside into like near nor of off ' +
    'on once onto or out outside over past per since so than that though through throughout till to toward towards ' +
    'under underneath unless until up upon via when whenever where whereas wherever whether while with within ' +
    'without yet'
  ).split(' '),
);

const calleeOf = (node) => {
  if (node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression')
    return calleeOf(node.callee ?? node.tag);
  return node.type === 'MemberExpression' ? calleeOf(node.object) : node.name;
};

/** A report names a failed test by its title alone, so the title is a statement without its `describe`. */
const testTitles = rule((context) => ({
  CallExpression(node) {
    const name = calleeOf(node.callee);
    if (name !== 'it' && name !== 'itWith') return;
    const title = node.arguments[name === 'itWith' && node.arguments[0]?.type === 'ArrayExpression' ? 1 : 0];
    // Of a template, what comes before its first value.
    const text = title?.type === 'TemplateLiteral' ? title.quasis[0].value.raw : title?.value;
    if (typeof text !== 'string') return;
    const [first] = text.split(/[ ,:]/);
    if (/^%[a-z]$/.test(text) || BEGINS_A_PART.has(first.toLowerCase()))
      context.report({
        node: title,
        message: 'A test title is a whole statement: it does not begin with a preposition or a conjunction.',
      });
  },
}));

/** Where strict mode does not refuse it. */
const octal = rule((context) => ({
  Literal: (node) => {
    if (typeof node.value === 'number' && /^0\d/.test(node.raw))
      context.report({ node, message: 'Octal numbers are written as 0o17.' });
  },
}));

export default {
  meta: { name: 'house' },
  rules: {
    'comment-columns': commentColumns,
    sql,
    'constant-statements': constantStatements,
    clock,
    'test-titles': testTitles,
    octal,
  },
};
