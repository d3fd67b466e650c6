import { applyDecorators, Header, HttpCode, SetMetadata, UseInterceptors, type Type } from '@nestjs/common';
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
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { Prepared } from '../common/answers/prepared';
import { ProblemView } from '../common/answers/problem.dto';
import { ACCESS, type Access } from './access';
import type { BODY_BOUNDS } from './body-limits';
import { RepetitionsInterceptor } from './repetitions';
import type { Work } from './work';

/** What an operation answers when it did its work. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  /** Further content types that the same may be answered in. */
  readonly otherTypes?: readonly string[];
  readonly schema?: object;
  readonly type?: Type | [Type];
  /** Beside text: the JSON object for callers that do not accept text. */
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

/** As `text`, and as a JSON object for callers that do not accept text. */
export const textOrJson = (description: string, format: string, type: Type): Answer => ({
  ...text(description, format),
  orJson: type,
});

export const nothing = (status: 200 | 204 = 204): Answer => ({
  status,
  description: status === 204 ? 'No content' : 'Done, no content',
});

/** A redirect, which the handler gives its `Location`. */
export const redirect = (description: string): Answer => ({
  status: 302,
  description,
  headers: { Location: { description: 'Signed address, good for a while', schema: { type: 'string' } } },
});

export interface OperationDeclaration {
  /** Stable name, snake_case: `operationId` of the description, `action` of the audit trail. */
  readonly id: string;
  readonly summary: string;
  /** What the operation does beyond its summary, in a sentence or two. */
  readonly description: string;
  readonly access: Access;
  readonly answer: Answer;
  /** Answered, by `Existing`, where what was to be made is there already. */
  readonly existing?: Answer;
  /** Failures worth naming, by status. Every operation may also answer 401, 403, 413, 415, 429 and 503. */
  readonly failures?: Readonly<Record<number, string>>;
  /** Class that it is admitted in when there is much to do; derived by `workOf` unless declared. */
  readonly work?: Exclude<Work, 'stranger'>;
  /**
   * Bounds of the body: `record` for what machines keep here, `batch` for syncs and ingest. Texts of a
   * batch that cannot be stored its handler looks for.
   */
  readonly body?: keyof typeof BODY_BOUNDS;
  /**
   * What becomes of members of the body that the service does not know. They are refused (400) by default,
   * because people make mistakes. In reports of machines they are ignored, and the answer names them, so that
   * a newer agent can use an older service. `kept` where the body may hold anything.
   */
  readonly unknownMembers?: 'ignored' | 'kept';
  /** The handler gets the bytes of the body as they came: they are passed on, not kept. */
  readonly rawBody?: true;
  /**
   * Who reads the body, where `BodyGuard` leaves it: the handler, within bounds of its own, or
   * `LateBodyGuard`, behind the handler's other guards.
   */
  readonly bodyReadBy?: 'handler' | 'late-guard';
  /** A content encoding that the handler takes off itself: it is bounded there before it is inflated. */
  readonly ownEncoding?: string;
  /**
   * Failures of the operation itself are told as gRPC's `Status`, in
   * the form of the request: clients of OTLP read that.
   */
  readonly statusErrors?: true;
  /** Failures whose statuses are not named in `failures` are described without a content type. */
  readonly bareFailures?: true;
  /** Refusals carry the member `error`, which clients of OpenAI's API read. */
  readonly openAiErrors?: true;
  /** Body classes that hold other content types than JSON, and bodies that may be absent. */
  readonly accepts?: readonly string[];
  readonly bodyOptional?: boolean;
  /**
   * Class of the body where the handler's parameter does not
   * tell enough: a body of any type, or an optional one.
   */
  readonly bodyType?: Type | 'any';
  readonly bodyExample?: unknown;
  /**
   * Members of the body that may stand in the query instead, so that what a tool prints can be sent as it is:
   * `squeue --json` knows nothing of our cluster ids.
   */
  readonly bodyFromQuery?: readonly string[];
  /**
   * A POST that creates or changes something: `Idempotency-Key` is honoured. `secret` when the answer
   * holds one. `apart` when it does not write in the transaction of its caller: it can be done again under
   * the same request, and its key is kept around it.
   */
  readonly creates?: true | 'secret' | 'apart';
  /**
   * Of an operation that creates: its handler returns a
   * `Prepared`, because it maps a large body before the change.
   */
  readonly prepares?: true;
}

export const OPERATION = Symbol('OPERATION');

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  required: false,
  description: 'With the same key and body the first answer is given again, for 24 hours',
  schema: { type: 'string' as const, maxLength: 255 },
};

const IGNORED_MEMBERS = {
  'X-Ignored-Members': {
    description:
      'Members of the body that the service does not know and has ignored, 20 at the most; left out when there are none',
    schema: { type: 'string' as const },
  },
};

/** Extension that carries an example of a body to the description of the API. */
export const BODY_EXAMPLE = 'x-body-example';

/**
 * Declares an operation: its name, who may call it, what it answers and how it fails.
 * The service does not start when a handler has none.
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
    prepares,
    bodyFromQuery = [],
    statusErrors = false,
    bareFailures = false,
    unknownMembers,
  } = declaration;
  const withHeaders = (one: Answer): Answer =>
    unknownMembers === 'ignored' ? { ...one, headers: { ...IGNORED_MEMBERS, ...one.headers } } : one;
  const decorators: MethodDecorator[] = [
    // First: the others put their metadata on the method that stands there then.
    ...(creates && !prepares ? [preparesOnly] : []),
    SetMetadata(OPERATION, declaration),
    HttpCode(answer.status),
    ApiOperation({ operationId: id, summary, description }),
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
  // Without one, or with one: it depends on how the service is set up.
  if (access === 'installers') decorators.push(ApiSecurity({}), ApiBearerAuth('bearer'));
  if (ACCESS[access].length > 0 && access !== 'key') decorators.push(ApiBearerAuth('bearer'));
  if ((ACCESS[access] as readonly string[]).includes('key')) decorators.push(ApiBearerAuth('inference_key'));
  if (answer.contentType?.startsWith('text/')) decorators.push(Header('content-type', answer.contentType));
  if (accepts) decorators.push(ApiConsumes(...accepts));
  if (creates) decorators.push(ApiHeader(IDEMPOTENCY_KEY), UseInterceptors(RepetitionsInterceptor));
  for (const name of bodyFromQuery)
    decorators.push(ApiQuery({ name, required: false, type: String, description: 'Where the body does not tell it' }));
  if (bodyType === 'any') decorators.push(ApiBody({ schema: {}, required: true }));
  else if (bodyType) decorators.push(ApiBody({ type: bodyType, required: !bodyOptional }));
  // Beside a body class that the generator finds by itself, an example
  // would replace it: the description adds it later.
  if (bodyExample !== undefined) decorators.push(ApiExtension(BODY_EXAMPLE, bodyExample) as MethodDecorator);
  return applyDecorators(...decorators);
}

/**
 * Lets a method return what it would do. The framework judges the body right before it calls a handler, so
 * this is where `Repetitions` gets hold of a request that is judged and has changed nothing yet.
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
  if (orJson) types.push(['application/json', { schema: { $ref: getSchemaPath(orJson) } }]);
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
