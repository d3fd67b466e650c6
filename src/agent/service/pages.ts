import type { Client } from 'openapi-fetch';
import type { ServiceClient } from './client';
import type { paths } from './schema';

/** Where a page of a list begins, as parameters of its request. */
export interface Position {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: string;
}

interface Answer<Row> {
  readonly data?: Row[];
  readonly error?: unknown;
  readonly response: Response;
}

/** Of where a page begins: behind a number of rows, or behind one row. */
type Kind = 'offset' | 'after';

/**
 * The service, or one of its replicas, begins its pages differently than the list requires: it is of another
 * release, and what it counted are other rows. Nobody goes on from there: the list is read again.
 */
export class OtherPaging extends Error {}

/**
 * All rows of a list, page by page. The service says where the next page begins: a page may have fewer rows
 * than asked for, because of their bytes, and an older service may begin its pages differently.
 * @param operation its name for messages, such as `list_actions`
 * @param call requests the page at a position
 * @param kind of all positions; undefined: that of the first one. Throws `OtherPaging` at another one
 */
export async function* pagesOf<Row>(
  service: Pick<ServiceClient, 'send'>,
  operation: string,
  limit: number,
  call: (api: Client<paths>, at: Position) => Promise<Answer<Row>>,
  kind?: Kind,
): AsyncGenerator<Row[]> {
  for (let at: Position | undefined = { limit }; at;) {
    const page: { at: Position; next?: Position | undefined } = { at };
    const rows = await service.send(operation, async (api) => {
      const answer = await call(api, page.at);
      page.next = nextOf(answer.response, limit);
      return answer;
    });
    if (JSON.stringify(page.next) === JSON.stringify(page.at))
      throw new Error(`The service does not continue its answer to ${operation}.`);
    if (page.next) {
      // A service that does not know `after` repeats it, and counts rows all the same.
      const found = page.next.offset === undefined ? 'after' : 'offset';
      kind ??= found;
      if (found !== kind) throw new OtherPaging(`A page of ${operation} begins by ${found}, not by ${kind}.`);
    }
    yield rows;
    at = page.next;
  }
}

/** @returns undefined on the last page */
function nextOf({ headers }: Response, limit: number): Position | undefined {
  const [, target] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? [];
  if (target === undefined) return undefined;
  const { searchParams } = new URL(target, 'http://service');
  const [offset, after] = [searchParams.get('offset'), searchParams.get('after')];
  return {
    limit,
    ...(offset !== null && { offset: Number(offset) }),
    ...(after !== null && { after }),
  };
}
