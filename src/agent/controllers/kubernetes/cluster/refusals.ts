import { AgentFailure, type FailureFacts } from '../../../failures';
import { nameOf, type Place, type Resource } from './resources';

/** What was asked of the API server, in the words of its access rules. */
export interface Asked {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
  readonly verb: string;
  readonly resource: Resource;
  readonly place: Place;
}

/** The API server was not reached, or was too busy: the same request may succeed later. */
export class ApiUnreachable extends Error {}

/** The API server sent nothing on a watch for long: it may be gone, or nothing has changed. */
export class WatchSilent extends ApiUnreachable {}

/** A supervisor does not say yet what has become of its restore: it is asked again later. */
export class SupervisorBusy extends ApiUnreachable {
  constructor(
    message: string,
    /** It was asked and did not answer. Otherwise it is at work, or may not be asked. */
    readonly isSilent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An object of this name is about to go: what is applied to it goes with it. */
export class ObjectEnding extends ApiUnreachable {}

/** The store does not say whether it has a checkpoint that nobody else knows of: it is asked again later. */
export class StoreUnanswered extends ApiUnreachable {}

const TRANSIENT: readonly number[] = [401, 408, 429, 500, 502, 503, 504];
const MAX_TEXT = 1_000;
/** How the API server, or `exec` here, says that a role lacks a right. Other 403 are of admission rules. */
const LACKS_RIGHT = /(?:\bUser "[^"]*"|\bThis agent) cannot \w+ (?:resource|path) "/;
/** Without room, or not counted yet. */
const OVER_QUOTA = /\b(?:exceeded quota|status unknown for quota)\b/;
/** What mends a refusal by an admission rule, in a namespace. */
const REMEDIES: readonly (readonly [RegExp, (namespace: string) => string])[] = [
  [
    OVER_QUOTA,
    (namespace) =>
      'Raise the quota, or end what uses it up: ' +
      `\`kubectl describe resourcequota --namespace ${namespace}\` shows both.`,
  ],
  [
    /\bviolates PodSecurity\b/,
    (namespace) =>
      `Label the namespace ${namespace} with the level that the pod needs, such as ` +
      'pod-security.kubernetes.io/enforce=privileged, or use a namespace that has it.',
  ],
];

/** The API server refused a request. */
export class ApiRefusal extends AgentFailure {
  constructor(
    facts: FailureFacts,
    readonly status: number,
    /** Its word for the reason, such as `NotFound`. */
    readonly reason: string,
    /** Its sentence for people. */
    readonly detail: string,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(facts);
  }

  /** @param body the answer, as a rule a `Status` */
  static of(asked: Asked, status: number, body: unknown): ApiRefusal {
    const { reason = '', message, details } = statusIn(body);
    const detail = (message ?? (typeof body === 'string' ? body : '')).slice(0, MAX_TEXT) || `status ${status}`;
    return new ApiRefusal(factsOf(asked, status, detail), status, reason, detail, details?.retryAfterSeconds);
  }
}

interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly retryAfterSeconds?: number };
}

const statusIn = (body: unknown): Status => (typeof body === 'object' && body !== null ? body : {});

/** `pods/exec`, as access rules name it. */
export const resourceText = ({ resource: { group, plural }, place: { subresource } }: Asked): string =>
  `${plural}${subresource === undefined ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`;

const whereText = ({ resource, place: { namespace } }: Asked): string => {
  if (!resource.isNamespaced) return '';
  return namespace === undefined ? ' in all namespaces' : ` in the namespace ${namespace}`;
};

function factsOf(asked: Asked, status: number, detail: string): FailureFacts {
  const what = `${asked.verb} ${resourceText(asked)}${whereText(asked)}`;
  if (status === 403 && LACKS_RIGHT.test(detail))
    return {
      cause: 'permission_missing',
      message: `The Kubernetes API server does not allow this agent to ${what}: ${detail}`,
      remedy: `Add the verb "${asked.verb}" for "${resourceText(asked)}" to the role of the agent.`,
    };
  const object = asked.place.name === undefined ? '' : ` (${nameOf(asked.resource, asked.place)})`;
  const remedy = REMEDIES.find(([words]) => words.test(detail))?.[1](asked.place.namespace ?? 'default');
  return {
    cause: 'scheduler_refused',
    message: `The Kubernetes API server refused to ${what}${object}: ${detail}`,
    ...(remedy !== undefined && { remedy }),
  };
}

/** Whether the same request may succeed later: the API server is down or busy, or a token is replaced. */
export const mayPassLater = (error: unknown): boolean =>
  error instanceof ApiUnreachable || (error instanceof ApiRefusal && TRANSIENT.includes(error.status));

/** Whether the API server answered with this status. */
export const isRefusal = (error: unknown, ...statuses: number[]): error is ApiRefusal =>
  error instanceof ApiRefusal && statuses.includes(error.status);

/** Whether a quota of the namespace has no room now. */
export const isOverQuota = (error: unknown): error is ApiRefusal =>
  isRefusal(error, 403) && OVER_QUOTA.test(error.detail);
