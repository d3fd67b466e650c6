import { newId } from '../../src/1-platform/common/ids';
import { operations, type DescribedOperation } from '../support/description';
import type { Answer, Caller, Service } from '../support/service';
import type { Replies } from '../../src/openapi/replies';
import { Normaliser } from './normaliser';

export interface Call {
  readonly as: Caller;
  /** Values of path parameters, in the order of the path. */
  readonly path?: readonly string[];
  /** Values of path parameters are sent as they are, without percent-encoding. */
  readonly isEncoded?: boolean;
  readonly query?: Record<string, string>;
  /** Instead of the example of the description; `null` for none. */
  readonly body?: unknown;
  /** Replaces members of the example of the description. */
  readonly with?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

const described = new Map(operations().map((operation) => [operation.id, operation]));

/** The example of the body that the description has, a copy. */
function bodyExample({ requestBody }: DescribedOperation): unknown {
  const media = Object.values(requestBody?.content ?? {}).find(({ example }) => example !== undefined);
  return media && structuredClone(media.example);
}

/** Calls operations by their names, and keeps the first reply of each status and code. */
export class Recorder {
  readonly replies: Record<string, Replies> = {};
  readonly surprises: string[] = [];
  readonly normaliser: Normaliser;

  constructor(readonly service: Service) {
    this.normaliser = new Normaliser(service.clock.now());
  }

  /** Seconds before (or, negative, after) the start of the walk, as a text. */
  ago(seconds: number): string {
    return this.normaliser.secondsAgo(seconds);
  }

  async call(id: string, call: Call): Promise<Answer> {
    const answer = await this.send(id, call);
    this.keep(id, answer);
    return answer;
  }

  private async send(id: string, call: Call): Promise<Answer> {
    const operation = described.get(id);
    if (!operation) throw new Error(`there is no operation ${id}`);
    const values = [...(call.path ?? [])];
    const encode = (value: string): string => (call.isEncoded ? value : encodeURIComponent(value));
    const path = operation.path.replace(/\{[^}]+\}/g, () => encode(values.shift() ?? newId()));
    const query = call.query ? `?${new URLSearchParams(call.query).toString()}` : '';
    const body = this.bodyOf(operation, call);
    return call.as.send(operation.method, path + query, body, call.headers ?? {});
  }

  /** A call that must be answered with this status. */
  async expect(status: number, id: string, call: Call): Promise<Answer> {
    const answer = await this.call(id, call);
    // The walk goes on, so that one run shows everything that does not go as it should.
    if (answer.status !== status)
      this.surprises.push(`${id} answered ${answer.status}, not ${status}: ${answer.text.slice(0, 500)}`);
    return answer;
  }

  /** A call that must be refused with this code, and gives its example. */
  async refuses(status: number, code: string, id: string, call: Call): Promise<void> {
    const answer = await this.send(id, call);
    const actual = (answer.body as { code?: string } | undefined)?.code;
    if (answer.status === status && actual === code) this.keep(id, answer);
    else this.surprises.push(`${id} answered ${answer.status} ${actual ?? ''}, not ${status} ${code}: ${answer.text}`);
  }

  /**
   * A call that must be refused for this field. All such refusals have one code, so the example is named
   * after the field too.
   * @param name what the example is named after instead, if a field has several faults
   */
  async refusesField(field: string, id: string, call: Call, name = field): Promise<void> {
    const answer = await this.send(id, call);
    const { errors = [] } = answer.body as { errors?: { field: string }[] };
    if (answer.status === 400 && errors[0]?.field === field)
      this.keep(id, answer, name.replace(/\W+/g, '_').replace(/_$/, ''));
    else this.surprises.push(`${id} answered ${answer.status}, not 400 for ${field}: ${answer.text}`);
  }

  private bodyOf(operation: DescribedOperation, call: Call): unknown {
    if (call.body === null) return undefined;
    if (call.body !== undefined) return call.body;
    const example = bodyExample(operation);
    return example === undefined ? call.with : { ...(example as object), ...call.with };
  }

  private keep(id: string, { status, headers, text }: Answer, fault?: string): void {
    const type = headers['content-type']?.split(';')[0] ?? '';
    if (text === '') return;
    const value: unknown = type.endsWith('json') ? (JSON.parse(text) as unknown) : text;
    const code = (value as { code?: string }).code ?? 'refusal';
    const name = status < 400 ? 'reply' : fault === undefined ? code : `${code}_${fault}`;
    const replies = (this.replies[id] ??= {});
    ((replies[String(status)] ??= {})[type] ??= {})[name] ??= this.normaliser.normalised(value);
  }
}
