import type * as Swagger from '@nestjs/swagger';
import { Notes, schemaPath } from './described';

/** A package whose decorators write down what they were put on. */
function recording() {
  const applied: unknown[] = [];
  const decorator =
    (name: string) =>
    (...options: unknown[]) =>
    (...place: unknown[]) =>
      void applied.push([name, options, place]);
  const names = ['ApiExtension', 'ApiProperty', 'ApiTags'];
  return {
    applied,
    swagger: Object.fromEntries(names.map((name) => [name, decorator(name)])) as unknown as typeof Swagger,
  };
}

describe('decorators of the description', () => {
  it('are applied when the description is made, in their order, with all that they were given', () => {
    class Described {
      field = 1;
      method(): void {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Described.prototype, 'method')!;
    const notes = new Notes();
    notes.decorator('ApiProperty')({ type: String })(Described.prototype, 'field');
    notes.decorator('ApiExtension')('x-roles', [])(Described.prototype, 'method', descriptor);
    notes.decorator('ApiTags')('one', 'two')(Described);

    const { applied, swagger } = recording();
    notes.apply(swagger);
    expect(applied).toEqual([
      ['ApiProperty', [{ type: String }], [Described.prototype, 'field']],
      ['ApiExtension', ['x-roles', []], [Described.prototype, 'method', descriptor]],
      ['ApiTags', ['one', 'two'], [Described]],
    ]);
  });

  it('are applied once, however often the description is made', () => {
    class Described {}
    const notes = new Notes();
    notes.decorator('ApiTags')('once')(Described);
    const { applied, swagger } = recording();
    notes.apply(swagger);
    notes.apply(swagger);
    expect(applied).toHaveLength(1);
  });

  it('refer to the schema of a class by its name', () => {
    class Described {}
    expect(schemaPath(Described)).toBe('#/components/schemas/Described');
  });
});
