import { LARGEST_PAGE, type Answer, type Api, type Query, type Service } from '../api/service';
import type { paths } from '../api/schema';
import type { Cell } from '../output/table';

/** Lists of the API, by path. */
export type ListPath = { [P in keyof paths]: paths[P] extends { get: { responses: object } } ? P : never }[keyof paths];

type GetOf<P extends ListPath> = paths[P] extends { get: infer Operation } ? Operation : never;
type BodyOf<P extends ListPath> =
  GetOf<P> extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;
type QueryOf<P extends ListPath> = GetOf<P> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
type ParameterOf<P extends ListPath> = keyof QueryOf<P> & string;
type RowOf<P extends ListPath> = BodyOf<P> extends readonly (infer Row)[] ? Row : never;

/** An option that becomes a parameter of the list. */
export interface Filter<Parameter extends string = string> {
  /** As commander reads it: `-n, --namespace <namespace>`. */
  readonly flags: string;
  readonly parameter: Parameter;
  readonly about: string;
  readonly choices?: readonly string[];
  /** How its text becomes the parameter: the name of a cluster its id, 2h a time. Default: as it is. */
  readonly reads?: 'cluster' | 'time';
}

export interface Column<Row> {
  readonly head: string;
  cell(this: void, row: Row, nowMs: number): Cell;
  /** Only with `--output wide`. */
  readonly wide?: boolean;
  /** It differs at each look, so `--watch` does not call it a change. */
  readonly passing?: boolean;
}

export interface Section {
  readonly title: string;
  readonly head?: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** What `describe` shows of one thing. */
export interface Details {
  readonly facts: readonly (readonly [label: string, value: Cell])[];
  /** Those without rows are left out. */
  readonly sections?: readonly Section[];
  /** For programs. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Parameters of the next page; undefined on the last one. */
  readonly next: Query | undefined;
}

/** Something of the service that `get` lists and `describe` describes. */
export interface Kind<Row> {
  readonly name: string;
  readonly plural: string;
  readonly aliases: readonly string[];
  /** One line of help. */
  readonly about: string;
  readonly filters: readonly Filter[];
  readonly columns: readonly Column<Row>[];
  /** The parameter that finds by id. */
  readonly byId?: string | undefined;
  /** Which texts `byId` is asked for; default: UUIDs. */
  readonly idForm?: RegExp | undefined;
  /** The parameter that finds by the name or, unless `findsWholeNames`, by a part of it. */
  readonly byName?: string | undefined;
  readonly findsWholeNames?: boolean | undefined;
  /** Its rows do not show the names by which `byName` finds them. */
  readonly hidesNames?: boolean | undefined;
  /** Its rows have names beside their ids. */
  readonly hasLabels: boolean;
  page(this: void, service: Service, query: Query): Promise<Page<Row>>;
  id(this: void, row: Row): string;
  /** Its id in Kubernetes, by which `byId` finds it too. */
  uid?(this: void, row: Row): string;
  /** By which a row differs from all others of the list; the id, unless several rows may have it. */
  key(this: void, row: Row): string;
  /** Undefined if it has none of its own. */
  label(this: void, row: Row): string | undefined;
  namespace(this: void, row: Row): string | undefined;
  details(this: void, service: Service, row: Row, nowMs: number): Promise<Details> | Details;
}

interface Definition<P extends ListPath, Row> {
  readonly name: string;
  readonly plural: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly operation: string;
  readonly path: P;
  readonly filters?: readonly Filter<ParameterOf<P>>[];
  readonly byId?: ParameterOf<P>;
  readonly idForm?: RegExp;
  readonly byName?: ParameterOf<P>;
  readonly findsWholeNames?: boolean;
  readonly hidesNames?: boolean;
  /** The most rows of a page; default: 1,000. */
  readonly largestPage?: number;
  /** Parameters of each request. */
  readonly always?: Query;
  readonly rows?: (body: BodyOf<P>) => readonly Row[];
  /** How a list continues that has no header `Link`: behind its last row, or at an offset. */
  readonly continues?: 'after' | 'offset';
  readonly columns: readonly Column<Row>[];
  readonly id: (row: Row) => string;
  readonly uid?: (row: Row) => string;
  /** Default: its id. */
  readonly key?: (row: Row) => string;
  readonly label?: (row: Row) => string | null | undefined;
  readonly namespace?: (row: Row) => string | null | undefined;
  /** Default: its columns. */
  readonly details?: (service: Service, row: Row, nowMs: number) => Promise<Details> | Details;
}

/** @typeParam P its list, which decides what its filters and rows are */
export function kind<P extends ListPath, Row = RowOf<P>>(definition: Definition<P, Row>): Kind<Row> {
  const { operation, path, largestPage = LARGEST_PAGE, always, continues, columns } = definition;
  const { rows: rowsOf = (body: BodyOf<P>) => body as unknown as readonly Row[] } = definition;
  return {
    ...definition,
    aliases: definition.aliases ?? [],
    filters: definition.filters ?? [],
    key: definition.key ?? definition.id,
    hasLabels: definition.label !== undefined,
    label: (row) => definition.label?.(row) ?? undefined,
    namespace: (row) => definition.namespace?.(row) ?? undefined,
    details:
      definition.details ??
      ((_service, row, nowMs) => ({ facts: factsOf(columns, row, nowMs), document: { [definition.name]: row } })),
    page: async (service, asked) => {
      const limit = Math.min(Number(asked.limit ?? largestPage), largestPage);
      const query = { ...always, ...asked, limit };
      const { body, next } = await service.page(operation, (api) => get<P>(api, path, query));
      const rows = rowsOf(body);
      if (continues === undefined || rows.length < limit) return { rows, next };
      const last = rows.at(-1);
      const place: Query =
        continues === 'offset'
          ? { offset: Number(asked.offset ?? 0) + rows.length }
          : { after: last === undefined ? '' : definition.id(last) };
      return { rows, next: { ...asked, ...place } };
    },
  };
}

/** Each column as a line. */
export const factsOf = <Row>(columns: readonly Column<Row>[], row: Row, nowMs: number): [string, Cell][] =>
  columns.map(({ head, cell }) => [head.toLowerCase(), cell(row, nowMs)]);

/** The filters of a kind are checked against the description, its query is put together when it is asked. */
const get = <P extends ListPath>(api: Api, path: P, query: Query): Promise<Answer<BodyOf<P>>> =>
  (api.GET as unknown as (path: P, init: { params: { query: Query } }) => Promise<Answer<BodyOf<P>>>)(path, {
    params: { query },
  });
