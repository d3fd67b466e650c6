import { CallHandler, ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Existing } from '../common/existing';
import { Page } from '../common/paging';
import type { ServiceRequest } from '../common/request';

/** Answers the rows of a `Page`, with a `Link` header when there are more, and what exists already with 200. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      map((result: unknown) => {
        if (result instanceof Existing) {
          http.getResponse<Response>().status(200);
          return result.view as unknown;
        }
        if (!isPage(result)) return result;
        if (result.next)
          http.getResponse<Response>().setHeader('link', nextLink(http.getRequest<ServiceRequest>(), result.next));
        return result.rows;
      }),
    );
  }
}

const isPage = (result: unknown): result is Page<unknown> => result instanceof Page;

function nextLink(req: ServiceRequest, { limit, offset }: { limit: number; offset: number }): string {
  const url = new URL(req.originalUrl, 'http://service');
  url.searchParams.set('limit', String(limit));
  url.searchParams.set('offset', String(offset));
  return `<${url.pathname}${url.search}>; rel="next"`;
}
