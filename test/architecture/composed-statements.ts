import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** What a name stands for, and the file and parameters in whose scope it is read. */
interface Scope {
  readonly file: string;
  readonly values: ReadonlyMap<string, Found>;
}
interface Found {
  readonly node: ts.Expression;
  readonly scope: Scope;
}

interface Source {
  readonly tree: ts.SourceFile;
  readonly constants: ReadonlyMap<string, ts.Expression>;
  readonly functions: ReadonlyMap<string, ts.FunctionDeclaration>;
  /** By local name: the file, and the name there. */
  readonly imports: ReadonlyMap<string, readonly [file: string, name: string]>;
}

const sources = new Map<string, Source>();

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known) return known;
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const functions = new Map<string, ts.FunctionDeclaration>();
  const imports = new Map<string, readonly [string, string]>();
  for (const part of tree.statements) {
    if (ts.isVariableStatement(part))
      for (const { name, initializer } of part.declarationList.declarations)
        if (initializer && ts.isIdentifier(name)) constants.set(name.text, initializer);
    if (ts.isFunctionDeclaration(part) && part.name) functions.set(part.name.text, part);
    if (ts.isImportDeclaration(part) && ts.isStringLiteral(part.moduleSpecifier)) {
      const path = join(dirname(file), `${part.moduleSpecifier.text}.ts`);
      const named = part.importClause?.namedBindings;
      if (part.moduleSpecifier.text.startsWith('.') && existsSync(path) && named && ts.isNamedImports(named))
        for (const { name, propertyName } of named.elements)
          imports.set(name.text, [path, (propertyName ?? name).text]);
    }
  }
  const source = { tree, constants, functions, imports };
  sources.set(file, source);
  return source;
}

const NONE: ReadonlyMap<string, Found> = new Map();

/** Follows a name, or a member of a constant object, to an expression that is neither. */
function resolve({ node, scope }: Found): Found | ts.FunctionDeclaration | undefined {
  const source = sourceOf(scope.file);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return resolve({ node: node.expression, scope });
  if (ts.isIdentifier(node)) {
    const bound = scope.values.get(node.text);
    if (bound) return bound;
    const constant = source.constants.get(node.text);
    if (constant) return resolve({ node: constant, scope: { file: scope.file, values: NONE } });
    const imported = source.imports.get(node.text);
    if (!imported) return source.functions.get(node.text);
    const [file, name] = imported;
    return (
      sourceOf(file).functions.get(name) ??
      (sourceOf(file).constants.has(name)
        ? resolve({ node: sourceOf(file).constants.get(name)!, scope: { file, values: NONE } })
        : undefined)
    );
  }
  const key = keyOf(node);
  if (key === undefined) return { node, scope };
  const object = resolve({ node: (node as ts.PropertyAccessExpression).expression, scope });
  if (!object || !('node' in object) || !ts.isObjectLiteralExpression(object.node)) return undefined;
  const members = object.node.properties.filter((member) => ts.isPropertyAssignment(member));
  // Of members that only a run knows, the largest.
  const chosen = key === null ? members : members.filter(({ name }) => name.getText() === key);
  return largest(chosen.map(({ initializer }) => ({ node: initializer, scope: object.scope })));
}

/** The member that an expression names; null if it is not constant, undefined if it names none. */
function keyOf(node: ts.Expression): string | null | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (!ts.isElementAccessExpression(node)) return undefined;
  return ts.isStringLiteral(node.argumentExpression) ? node.argumentExpression.text : null;
}

const largest = (all: readonly Found[]): Found | undefined =>
  all.toSorted((a, b) => ctesOfParts(textOf(b)) - ctesOfParts(textOf(a)))[0];

/** The text that an expression has when it runs; of what only a run knows, nothing. */
function textOf({ node, scope }: Found): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, { expression, literal }) => `${text}${textOf({ node: expression, scope })}${literal.text}`,
      node.head.text,
    );
  if (ts.isBinaryExpression(node)) return textOf({ node: node.left, scope }) + textOf({ node: node.right, scope });
  if (ts.isConditionalExpression(node)) {
    const found = largest([node.whenTrue, node.whenFalse].map((one) => ({ node: one, scope })));
    return found ? textOf(found) : '';
  }
  if (ts.isCallExpression(node)) return textOfCall(node, scope);
  const found = resolve({ node, scope });
  return found && 'node' in found && found.node !== node ? textOf(found) : '';
}

function textOfCall(call: ts.CallExpression, scope: Scope): string {
  const found = resolve({ node: call.expression, scope });
  const callee = found && 'node' in found ? found.node : found;
  if (!callee || !(ts.isArrowFunction(callee) || ts.isFunctionDeclaration(callee)) || !callee.body) return '';
  const file = found && 'node' in found ? found.scope.file : callee.getSourceFile().fileName;
  const values = new Map<string, Found>();
  for (const [place, { name, initializer }] of callee.parameters.entries()) {
    const given = call.arguments[place];
    const value = given ? resolve({ node: given, scope }) : undefined;
    if (value && 'node' in value) values.set(name.getText(), value);
    else if (initializer) values.set(name.getText(), { node: initializer, scope: { file, values: NONE } });
  }
  return returned(callee.body)
    .map((node) => textOf({ node, scope: { file, values } }))
    .join('');
}

function returned(body: ts.ConciseBody): ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  return body.statements.flatMap((part) => (ts.isReturnStatement(part) && part.expression ? [part.expression] : []));
}

const CTE = /\b\w+(?:\s*\([\w\s,]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/g;

/** Of a part of a statement too. */
const ctesOfParts = (sql: string): number =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/\bwindow\s+\w+\s+as\s*\(/g, '')
    .match(CTE)?.length ?? 0;

/** How many common table expressions a statement has, those in its subqueries too. */
export const ctesIn = (sql: string): number => (/\bwith\b/.test(sql) ? ctesOfParts(sql) : 0);

/** Every text of a file that begins a statement with common table expressions, as it is composed. */
export function composedIn(file: string): { readonly line: number; readonly ctes: number }[] {
  const { tree } = sourceOf(file);
  const all: { line: number; ctes: number }[] = [];
  const visit = (node: ts.Node): void => {
    // A call may compose more than the function that it calls does by itself.
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isCallExpression(node)) {
      const ctes = ctesIn(textOf({ node, scope: { file, values: NONE } }));
      if (ctes > 0) all.push({ line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1, ctes });
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return all;
}
