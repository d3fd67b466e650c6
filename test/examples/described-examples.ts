import { exampleOf, operations, type DescribedOperation } from '../support/description';

export interface DescribedExample {
  readonly operation: DescribedOperation;
  readonly status: string;
  readonly type: string;
  readonly value: unknown;
}

/** Each example of each reply, under the status that it is of. */
export const describedExamples = (): DescribedExample[] =>
  operations().flatMap((operation) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { example, examples: named = {} }]) => {
        const values = Object.values(named).map(exampleOf);
        if (example !== undefined) values.push(example);
        return values.map((value) => ({ operation, status, type, value }));
      }),
    ),
  );
