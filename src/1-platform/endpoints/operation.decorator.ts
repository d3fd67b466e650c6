import { applyDecorators, Header, HttpCode, SetMetadata, UseInterceptors, type Type } from '@nestjs/common';
import type { ApiResponseOptions } from '@nestjs/swagger';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  schemaPath,
} from '../common/described';
import { Prepared } from '../common/answers/prepared';
import { ProblemView } from '../common/answers/problem.dto';
import { ACCESS, type Access } from './access';
import type { BODY_BOUNDS } from './body-limits';
import { RepetitionsInterceptor } from './repetitions';
import type { Work } from './work';

/** The answer of an operation that succeeded. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  /** Additional content types of the same answer. */
  readonly otherTypes?: readonly string[];
  readonly schema?: object;
  readonly type?: Type | [Type];
  /** In addition to text: the JSON object for callers that do not accept text. */
  readonly orJson?: Type;
  readonly description: string;
  readonly headers?: ApiResponseOptions['headers'];
}

type AnswerOptions = Partial<Pick<Answer, 'status' | 'description' | 'headers'>>;

/** A JSON object, or an array of them: `json(ClusterView)`, `json([ClusterView])`. */
export const json = (
  type: Type | [Type],
  { status = 200, description = 'Success', headers }: AnswerOptions = {},
): Answer => ({
  status,
  contentType: 'application/json',
  type,
  description,
  ...(headers ? { headers } : {}),
});

/** The bare value as text: no quotes, no line end. */
export const text = (
  description: string,
  format?: string,
  contentType = 'text/plain; charset=utf-8',
  status = 200,
): Answer => ({
  status,
  contentType,
  schema: { type: 'string', ...(format ? { format } : {}) },
  description,
});

/** Like `text`, and a JSON object for callers that do not accept text. */
export const textOrJson = (description: string, format: string, type: Type): Answer => ({
  ...text(description, format),
  orJson: type,
});

export const nothing = (status: 200 | 204 = 204): Answer => ({
  status,
  description: status === 204 ? 'No content' : 'Done, no content',
});

/** A redirect; the handler sets its `Location`. */
export const redirect = (description: string): Answer => ({
  status: 302,
  description,
  headers: { Location: { description: 'Signed address with a limited lifetime', schema: { type: 'string' } } },
});

export interface OperationDeclaration {
  /** Stable name, snake_case: `operationId` of the description, `action` of the audit trail. */
  readonly id: string;
  readonly summary: string;
  /** What the operation does beyond its summary, in a sentence or two. */
  readonly description: string;
  readonly access: Access;
  readonly answer: Answer;
  /** The answer, by `Existing`, if the resource already existed. */
  readonly existing?: Answer;
  /** Notable failures by status. Every operation may also answer 401, 403, 413, 415, 429 and 503. */
  readonly failures?: Readonly<Record<number, string>>;
  /**
   * It may be read from the read replica, some seconds late: a report of what happened, which nobody reads to
   * see what they have just written. It reads by statements, in `unitOfWork.read`.
   */
  readonly mayLag?: true;
  /** Class of work for admission; derived by `workOf` unless declared. */
  readonly work?: Exclude<Work, 'stranger'>;
  /**
   * Limits of the body: `record` for reports that are stored, `batch` for syncs and ingest. The handler of a
   * batch checks for texts that cannot be stored.
   */
  readonly body?: keyof typeof BODY_BOUNDS;
  /**
   * How to handle unknown members of the body. They are refused (400) by default, because people make
   * mistakes. In reports of machines they are ignored and named in the answer, so that a newer agent can use
   * an older service. `kept` if the body may hold any member.
   */
  readonly unknownMembers?: 'ignored' | 'kept';
  /** The handler gets the bytes of the body as received: they are passed on, not stored. */
  readonly rawBody?: true;
  /**
   * Who reads the body instead of `BodyGuard`: the handler, within limits of its own, or `LateBodyGuard`,
   * after the handler's other guards.
   */
  readonly bodyReadBy?: 'handler' | 'late-guard';
  /** A content encoding that the handler decodes itself, with limits before it inflates. */
  readonly ownEncoding?: string;
  /**
   * Failures of the operation itself are sent as gRPC's `Status`, in the format of the request, because
   * clients of OTLP read that.
   */
  readonly statusErrors?: true;
  /** Failures with statuses outside of `failures` are described without a content type. */
  readonly bareFailures?: true;
  /** Refusals have the member `error`, which clients of OpenAI's API read. */
  readonly openAiErrors?: true;
  /** Body classes for content types other than JSON, and optional bodies. */
  readonly accepts?: readonly string[];
  readonly bodyOptional?: boolean;
  /**
   * Class of the body if the handler's parameter does not show it: a body of any type, or an optional one.
   */
  readonly bodyType?: Type | 'any';
  readonly bodyExample?: unknown;
  /**
   * Members of the body that may be in the query instead, so that the output of a tool can be sent unchanged:
   * `squeue --json` knows nothing of our cluster ids.
   */
  readonly bodyFromQuery?: readonly string[];
  /**
   * A POST that creates or changes something, or a PATCH that should not be repeated late, honours
   * `Idempotency-Key`. `secret` if the answer contains one.
   * `apart` if it does not write in its caller's transaction: the same request can be repeated, and its key
   * is stored around it.
   */
  readonly creates?: true | 'secret' | 'apart';
  /** How long its answer is of use, in seconds, if that is less than a day: then the key counts as new. */
  readonly answerSeconds?: (settings: { readonly objectUrlSeconds: number }) => number;
  /**
   * For an operation that creates: its handler returns a `Prepared`, because it maps a large body, or
   * asks others, before the change.
   */
  readonly prepares?: true;
}

export const OPERATION = Symbol('OPERATION');

const idempotencyKey = (time: string) => ({
  name: 'Idempotency-Key',
  required: false,
  description: `With the same key and body, the first answer is returned again for ${time}`,
  schema: { type: 'string' as const, maxLength: 255 },
});
const A_DAY = idempotencyKey('24 hours');
const WHILE_OF_USE = idempotencyKey('24 hours, or for as long as the addresses in it are valid if that is less');

const IGNORED_MEMBERS = {
  'X-Ignored-Members': {
    description: 'Unknown members of the body that were ignored, at most 20; missing if there are none',
    schema: { type: 'string' as const },
  },
};

/** The header of a reply that a read replica gave. */
export const DATA_LAG = 'X-Data-Lag-Ms';

const LAG = {
  [DATA_LAG]: {
    description:
      'Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. ' +
      '`Cache-Control: no-cache` in the request reads the primary',
    schema: { type: 'integer' as const },
  },
};

/** Extension that passes an example of a body to the API description. */
export const BODY_EXAMPLE = 'x-body-example';

/**
 * Declares an operation: its name, its access, its answers and its failures. The service does not start if a
 * handler has none.
 */
export function Operation(declaration: OperationDeclaration): MethodDecorator {
  const {
    id,
    summary,
    description,
    access,
    answer,
    existing,
    failures = {},
    bodyOptional,
    bodyType,
    bodyExample,
    accepts,
    creates,
    answerSeconds,
    prepares,
    bodyFromQuery = [],
    statusErrors = false,
    bareFailures = false,
    unknownMembers,
    mayLag = false,
  } = declaration;
  const ownHeaders = { ...(unknownMembers === 'ignored' ? IGNORED_MEMBERS : {}), ...(mayLag ? LAG : {}) };
  const withHeaders = (one: Answer): Answer =>
    Object.keys(ownHeaders).length > 0 ? { ...one, headers: { ...ownHeaders, ...one.headers } } : one;
  const decorators: MethodDecorator[] = [
    // First, because the other decorators put their metadata on the current method.
    ...(creates && !prepares ? [preparesOnly] : []),
    SetMetadata(OPERATION, declaration),
    HttpCode(answer.status),
    // An empty list says that nobody needs a bearer; without one, a reader could not tell.
    ApiOperation({ operationId: id, summary, description, ...(access === 'public' ? { security: [] } : {}) }),
    ApiExtension('x-roles', [...ACCESS[access]]) as MethodDecorator,
    ...(access === 'platform' ? [ApiExtension('x-scope', 'platform') as MethodDecorator] : []),
    ApiResponse(successResponse(withHeaders(answer))),
    ...(answer.orJson ? [ApiExtraModels(answer.orJson) as MethodDecorator] : []),
    ...(existing ? [ApiResponse(successResponse(withHeaders(existing)))] : []),
    ...Object.entries(failures).map(([status, text]) =>
      ApiResponse(problemResponse(Number(status), text, statusErrors)),
    ),
    ApiResponse(
      bareFailures
        ? { status: '4XX', description: 'Client error' }
        : problemResponse('4XX', 'Client error', statusErrors),
    ),
    ApiResponse(
      bareFailures
        ? { status: '5XX', description: 'Server error' }
        : problemResponse('5XX', 'Server error', statusErrors),
    ),
  ];
  // With or without a bearer, depending on the settings.
  if (access === 'installers') decorators.push(ApiSecurity({}), ApiBearerAuth('bearer'));
  if (ACCESS[access].length > 0 && access !== 'key') decorators.push(ApiBearerAuth('bearer'));
  if ((ACCESS[access] as readonly string[]).includes('key')) decorators.push(ApiBearerAuth('inference_key'));
  if (answer.contentType?.startsWith('text/')) decorators.push(Header('content-type', answer.contentType));
  if (accepts) decorators.push(ApiConsumes(...accepts));
  if (creates)
    decorators.push(ApiHeader(answerSeconds ? WHILE_OF_USE : A_DAY), UseInterceptors(RepetitionsInterceptor));
  for (const name of bodyFromQuery)
    decorators.push(ApiQuery({ name, required: false, type: String, description: 'If it is missing in the body' }));
  if (bodyType === 'any') decorators.push(ApiBody({ schema: {}, required: true }));
  else if (bodyType) decorators.push(ApiBody({ type: bodyType, required: !bodyOptional }));
  // An example would replace a body class that the generator finds itself, so the description adds it later.
  if (bodyExample !== undefined) decorators.push(ApiExtension(BODY_EXAMPLE, bodyExample) as MethodDecorator);
  return applyDecorators(...decorators);
}

/**
 * Lets a method return its change instead of making it. The framework validates the body right before it
 * calls a handler, so this is where `Repetitions` gets a request that is validated and has not changed
 * anything.
 */
const preparesOnly: MethodDecorator = (_target, _name, descriptor) => {
  const property = descriptor as PropertyDescriptor;
  const method = property.value as (...values: unknown[]) => unknown;
  function prepare(this: unknown, ...values: unknown[]): Prepared<unknown> {
    return new Prepared(() => method.apply(this, values));
  }
  for (const key of Reflect.getMetadataKeys(method) as unknown[])
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), prepare);
  property.value = Object.defineProperty(prepare, 'name', { value: method.name });
};

const mediaType = (contentType: string): string => contentType.split(';')[0] ?? contentType;

function successResponse({
  status,
  description,
  contentType,
  otherTypes = [],
  schema,
  type,
  orJson,
  headers,
}: Answer): ApiResponseOptions {
  if (type) return { status, description, type: type as Type, ...(headers ? { headers } : {}) };
  if (!contentType) return { status, description, ...(headers ? { headers } : {}) };
  const types = [contentType, ...otherTypes].map((one) => [mediaType(one), { schema: schema ?? {} }]);
  if (orJson) types.push(['application/json', { schema: { $ref: schemaPath(orJson) } }]);
  return {
    status,
    description,
    content: Object.fromEntries(types) as ApiResponseOptions['content'],
    ...(headers ? { headers } : {}),
  };
}

const problemResponse = (
  status: number | '4XX' | '5XX',
  description: string,
  statusErrors: boolean,
): ApiResponseOptions => ({
  status,
  description,
  content: {
    'application/problem+json': { schema: { $ref: `#/components/schemas/${ProblemView.name}` } },
    ...(statusErrors ? STATUS_CONTENT : {}),
  },
});

/** gRPC's `Status`. */
const STATUS_CONTENT = {
  'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
  'application/json': {
    schema: { type: 'object', properties: { code: { type: 'integer' }, message: { type: 'string' } } },
  },
} as const;
