import js from '@eslint/js';
import ts from 'typescript-eslint';

const COMMENT_COLUMNS = 110;
const SQL_COLUMNS = 110;

/** Prettier bounds code, and leaves comments alone. */
const commentColumns = {
  meta: { type: 'layout', schema: [] },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const { loc } of sourceCode.getAllComments())
        for (let line = loc.start.line; line <= loc.end.line; line++) {
          const text = sourceCode.lines[line - 1];
          // Behind code, the code is what makes the line long.
          if (line === loc.start.line && text.slice(0, loc.start.column).trim() !== '') continue;
          if (text.length > COMMENT_COLUMNS)
            report({
              loc: { line, column: COMMENT_COLUMNS },
              message: `A comment has at most ${COMMENT_COLUMNS} columns.`,
            });
        }
    },
  }),
};

/** Infrastructure has its statements where it sends them. */
const IS_DATABASE = /1-platform\/database\//;
const IS_QUERIES = /\.queries(\.ts$|\/)/;
const IS_SQL = /^\s*(select|insert into|update \w+( \w+)? set|delete from|with \w+ as|lock table)\s/;
const POSITION = /\$\d/;

/** Statements stand in `*.queries.ts`, name their parameters and fit beside another file. */
const sql = {
  meta: { type: 'layout', schema: [] },
  create: ({ filename, sourceCode, report }) => {
    const isQueries = IS_QUERIES.test(filename);
    const check = (node, text) => {
      if (!isQueries && !IS_SQL.test(text)) return;
      if (!isQueries && !IS_DATABASE.test(filename))
        report({ node, message: 'A statement stands in a *.queries.ts file.' });
      if (POSITION.test(text)) report({ node, message: 'A statement names its parameters: $org_id.' });
      for (let { line } = node.loc.start; line <= node.loc.end.line; line++)
        if (sourceCode.lines[line - 1].length > SQL_COLUMNS)
          report({
            loc: { line, column: SQL_COLUMNS },
            message: `A line of SQL has at most ${SQL_COLUMNS} columns.`,
          });
    };
    return {
      Literal: (node) => typeof node.value === 'string' && node.value.includes(' ') && check(node, node.value),
      TemplateLiteral: (node) => check(node, node.quasis.map(({ value }) => value.raw).join('')),
    };
  },
};

export default ts.config(
  { ignores: ['dist/', 'coverage/', '.data/', 'docs/', 'src/openapi/examples/'] },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['*.mjs', '.*.cjs', '.*.mjs', 'test/jest/*.cjs'] } },
    },
    plugins: { house: { rules: { 'comment-columns': commentColumns, sql } } },
    rules: {
      'house/comment-columns': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'off',
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'class-validator',
              importNames: ['IsOptional'],
              message: 'It lets null through: use the field decorators.',
            },
          ],
        },
      ],
      // Text glued into SQL is how injection starts: statements are constants, values are parameters.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.property.name=/^(query|orderBy|addOrderBy)$/] > TemplateLiteral[expressions.length>0]',
          message: 'No template literal with values in a statement: pass parameters.',
        },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the time from the Clock.' },
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Take the time from the Clock.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/1-platform/database/migrations/**', '**/*.spec.ts'],
    rules: { 'house/sql': 'error' },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      'no-restricted-syntax': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    ...ts.configs.disableTypeChecked,
    rules: { ...ts.configs.disableTypeChecked.rules, '@typescript-eslint/no-require-imports': 'off' },
    languageOptions: {
      globals: {
        module: 'writable',
        require: 'readonly',
        process: 'readonly',
        __dirname: 'readonly',
        Buffer: 'readonly',
        expect: 'readonly',
      },
    },
  },
  {
    // Scripts of the API page: they run in a browser.
    files: ['src/openapi/page/*.js'],
    ...ts.configs.disableTypeChecked,
    languageOptions: {
      parserOptions: { projectService: false },
      globals: { addEventListener: 'readonly', fetch: 'readonly', localStorage: 'readonly' },
    },
  },
);
