import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLES, SHARED } from './examples';

interface Media {
  schema?: unknown;
  example?: unknown;
  examples?: Record<string, unknown>;
}

export interface ExampledOperation {
  operationId: string;
  requestBody?: { content: Record<string, unknown> };
  parameters?: readonly { name?: string }[];
  security?: readonly Record<string, unknown>[];
  responses: Record<string, { content?: Record<string, Media> }>;
  'x-roles'?: readonly string[];
}

const ROLES = 4;
const REPLY = 'reply';

/** Paths whose problems have the member `error` too. */
const INFERENCE = '/v1/inference/';

type Kind = 'plain' | 'inference';
const kindOf = (path: string): Kind => (path.startsWith(INFERENCE) ? 'inference' : 'plain');

/** The name of a refusal of many operations among the examples of the document. */
const sharedName = (kind: Kind, code: string): string => (kind === 'plain' ? code : `${code}_${kind}`);

interface Shared {
  readonly status: string;
  readonly type: string;
  readonly code: string;
  readonly value: unknown;
}

const sharedOf = (kind: Kind): Shared[] =>
  Object.entries(SHARED[kind] ?? {}).flatMap(([status, content]) =>
    Object.entries(content).flatMap(([type, examples]) =>
      Object.entries(examples).map(([code, value]) => ({ status, type, code, value })),
    ),
  );

const needsBearer = ({ security = [] }: ExampledOperation): boolean =>
  security.length > 0 && security.every((one) => Object.keys(one).length > 0);

/**
 * The member that an operation needs for these refusals. All other refusals are possible for every operation.
 */
const CONDITIONS: Readonly<Record<string, (operation: ExampledOperation) => boolean>> = {
  unauthenticated: needsBearer,
  identity_provider_unavailable: needsBearer,
  forbidden: ({ 'x-roles': roles = [] }) => roles.length > 0 && roles.length < ROLES,
  body_too_large: ({ requestBody }) => requestBody !== undefined,
  unsupported_media_type: ({ requestBody }) => requestBody !== undefined,
  idempotency_key_reused: ({ parameters = [] }) => parameters.some(({ name }) => name === 'Idempotency-Key'),
};

/**
 * Adds examples to the replies of a document: the recorded replies of each operation. Refusals that do not
 * depend on the operation, such as a missing bearer, share one example.
 */
export function addExamples(document: OpenAPIObject): void {
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods) as ExampledOperation[]) ofOperation(operation, kindOf(path));
  const examples = (['plain', 'inference'] as const).flatMap((kind) =>
    sharedOf(kind).map(({ code, value }) => [sharedName(kind, code), { summary: code, value }]),
  );
  document.components = { ...document.components, examples: Object.fromEntries(examples) as Record<string, never> };
}

function ofOperation(operation: ExampledOperation, kind: Kind): void {
  const recorded = EXAMPLES[operation.operationId] ?? {};
  for (const [status, content] of Object.entries(recorded))
    for (const [type, examples] of Object.entries(content)) {
      const media = mediaOf(operation, status, type);
      if (!media) continue;
      if (REPLY in examples) media.example = examples[REPLY];
      else
        media.examples = {
          ...media.examples,
          ...Object.fromEntries(Object.entries(examples).map(([code, value]) => [code, { summary: code, value }])),
        };
    }
  for (const { status, type, code } of sharedOf(kind)) {
    const media = mediaOf(operation, status, type);
    // Recorded replies of a status are more specific.
    if (!media || recorded[status] !== undefined || CONDITIONS[code]?.(operation) === false) continue;
    media.examples = { ...media.examples, [code]: { $ref: `#/components/examples/${sharedName(kind, code)}` } };
  }
}

/** The response of this status, or of its class if the status has none. */
function mediaOf({ responses }: ExampledOperation, status: string, type: string): Media | undefined {
  const response = responses[status] ?? responses[`${status[0]}XX`];
  return response?.content?.[type];
}
