/**
 * Decorators of @nestjs/swagger that only take notes. The package describes the API, which a build does and a
 * start does not. With what it imports it has 500 files, so nothing else loads it.
 */
import type * as Swagger from '@nestjs/swagger';

type Package = typeof Swagger;
type Decorator =
  | 'ApiBearerAuth'
  | 'ApiBody'
  | 'ApiConsumes'
  | 'ApiExcludeController'
  | 'ApiExtension'
  | 'ApiExtraModels'
  | 'ApiHeader'
  | 'ApiOperation'
  | 'ApiParam'
  | 'ApiProperty'
  | 'ApiQuery'
  | 'ApiResponse'
  | 'ApiSecurity'
  | 'ApiTags';

/** What decorators were put on, and how to put the package's own there. */
export class Notes {
  private readonly notes: ((swagger: Package) => void)[] = [];

  /** Whatever the decorator is put on is passed on later: a class, a method or a field. */
  decorator<Name extends Decorator>(name: Name): Package[Name] {
    type Real = (...options: unknown[]) => (...place: unknown[]) => void;
    const noted: Real =
      (...options) =>
      (...place) =>
        void this.notes.push((swagger) => (swagger[name] as Real)(...options)(...place));
    return noted as Package[Name];
  }

  /** Puts the decorators there, once, in the order of the notes, which is that of the code. */
  apply(swagger: Package): void {
    for (const apply of this.notes.splice(0)) apply(swagger);
  }
}

/** Of the service. */
export const NOTES = new Notes();

export const ApiBearerAuth = NOTES.decorator('ApiBearerAuth');
export const ApiBody = NOTES.decorator('ApiBody');
export const ApiConsumes = NOTES.decorator('ApiConsumes');
export const ApiExcludeController = NOTES.decorator('ApiExcludeController');
export const ApiExtension = NOTES.decorator('ApiExtension');
export const ApiExtraModels = NOTES.decorator('ApiExtraModels');
export const ApiHeader = NOTES.decorator('ApiHeader');
export const ApiOperation = NOTES.decorator('ApiOperation');
export const ApiParam = NOTES.decorator('ApiParam');
export const ApiProperty = NOTES.decorator('ApiProperty');
export const ApiQuery = NOTES.decorator('ApiQuery');
export const ApiResponse = NOTES.decorator('ApiResponse');
export const ApiSecurity = NOTES.decorator('ApiSecurity');
export const ApiTags = NOTES.decorator('ApiTags');

/** The reference to the schema of a class. */
export const schemaPath = ({ name }: { readonly name: string }): string => `#/components/schemas/${name}`;
