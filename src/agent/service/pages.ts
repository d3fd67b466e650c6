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

/**
 * All rows of a list, page by page. The service says where the next page begins: a page may have fewer rows
 * than asked for, because of their bytes, and an older service may begin its pages differently.
 * @param operation its name for messages, such as `list_actions`
 * @param call requests the page at a position
 */
export async function* pagesOf<Row>(
  service: Pick<ServiceClient, 'send'>,
  operation: string,
  limit: number,
  call: (api: Client<paths>, at: Position) => Promise<Answer<Row>>,
): AsyncGenerator<Row[]> {
  for (let at: Position | undefined = { limit }; at;) {
    const page: { at: Position; next?: Position | undefined } = { at };
    yield await service.send(operation, async (api) => {
      const answer = await call(api, page.at);
      page.next = nextOf(answer.response, limit);
      return answer;
    });
    if (JSON.stringify(page.next) === JSON.stringify(page.at))
      throw new Error(`The service does not continue its answer to ${operation}.`);
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
