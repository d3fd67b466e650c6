import { Int, ListOf, Obj, Str, Time } from '../fields/fields';

export class FieldFaultView {
  @Str({ description: 'Path of the field, such as `resources[3].metadata.uid`' })
  field!: string;

  @Str()
  message!: string;
}

/** A failure in the words of OpenAI's API. */
export class OpenAiErrorView {
  @Str()
  message!: string;

  @Str({ example: 'invalid_request_error' })
  type!: string;

  @Str({ nullable: true, description: 'Faulty member of the request' })
  param!: string | null;

  @Str({ nullable: true })
  code!: string | null;
}

/** Every answer of 4xx and 5xx (RFC 9457). */
export class ProblemView {
  @Str({ description: 'URI of the kind of problem', example: 'urn:checkpoint-control-plane:problem:cluster_not_found' })
  type!: string;

  @Str({ example: 'Not Found' })
  title!: string;

  @Int({ format: null, example: 404 })
  status!: number;

  @Str({ description: 'What went wrong, in a sentence' })
  detail!: string;

  @Str({ description: 'Id of the request, as in the header X-Request-Id' })
  instance!: string;

  @Str({ description: 'Stable name of the problem, snake_case', example: 'cluster_not_found' })
  code!: string;

  @Str({ description: 'Same as detail, for clients that read this member' })
  message!: string;

  @ListOf(() => FieldFaultView, {
    maxItems: 1000,
    optional: true,
    description: 'The faults of an invalid request',
  })
  errors?: FieldFaultView[];

  @Int({ optional: true, description: 'For a 410 of the outbox: the oldest stored event' })
  oldest_event_id?: number;

  @Time({ optional: true, description: 'For a 409 node_silent: when the node last reported' })
  last_seen_at?: Date;

  @Int({ optional: true, description: 'For a 410 of the outbox: the newest event' })
  head?: number;

  @Obj(() => OpenAiErrorView, {
    optional: true,
    description: "For operations that clients of OpenAI's API call: the failure in their format",
  })
  error?: OpenAiErrorView;
}
