import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression of the sources, or of the API description. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** Files and lines. */
  readonly places: readonly string[];
}

/** Every pattern below `folder`, once, whether it is written `/…/` or `new RegExp('…')`. */
export function patternsIn(folder: string): Pattern[] {
  const found = new Map<string, Pattern & { places: string[] }>();
  for (const file of sourcesIn(folder)) {
    const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const pattern = patternAt(node);
      if (pattern) {
        const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
        const key = JSON.stringify(pattern);
        const known = found.get(key) ?? { ...pattern, places: [] };
        found.set(key, known);
        known.places.push(`${file}:${line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return [...found.values()];
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.spec|\.d)\.m?tsx?$/.test(file))
    .map((file) => join(folder, file));

function patternAt(node: ts.Node): { source: string; flags: string } | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'RegExp') return undefined;
  const [source, flags] = node.arguments ?? [];
  return { source: textOf(source), flags: flags ? textOf(flags) : '' };
}

/** A value that is put in is a letter here: those of the sources are words and alternatives of words. */
function textOf(node: ts.Node | undefined): string {
  if (node === undefined) throw new Error('a RegExp without a pattern');
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join('');
  // An array of words, joined by `|`.
  const words: string[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isStringLiteralLike(inner) && inner.text !== '|') words.push(inner.text);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  if (words.length === 0) throw new Error(`the pattern ${node.getText()} is not known before the service runs`);
  return words.join('|');
}

/** Patterns that the description of the API asks clients to check. */
export function patternsOfDescription(description: unknown): Pattern[] {
  if (typeof description !== 'object' || description === null) return [];
  const { pattern } = description as { pattern?: unknown };
  const own = typeof pattern === 'string' ? [{ source: pattern, flags: 'u', places: ['docs/openapi.json'] }] : [];
  return [...own, ...Object.values(description).flatMap(patternsOfDescription)];
}

/** What a pattern begins or continues with, repeated: texts that make a pattern try again and again. */
export function attacksOn({ source }: Pattern, length: number): string[] {
  const words = source
    // Escapes of classes match many letters; each has one that fits.
    .replace(/\\[dw]/g, '0')
    .replace(/\\s/g, ' ')
    .replace(/\\S/g, 'a')
    .replace(/\\(.)/g, '$1')
    .split(/[()[\]{}|*+?^$]+/)
    .filter((word) => word !== '');
  const pieces = new Set([
    ...words,
    words.join(''),
    'a',
    '0',
    ' ',
    '\n',
    '/',
    '-',
    '=',
    '"',
    '\\',
    '<',
    'a ',
    '0.',
    'a=',
  ]);
  return [...pieces].filter(Boolean).flatMap((piece) => {
    const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    return [text, `${text}\u0001`];
  });
}
