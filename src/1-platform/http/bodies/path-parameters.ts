import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { isUuid } from '../../common/ids';
import { unstorable } from '../../common/json/json';
import { invalidField } from '../../common/answers/problem';

/** A path parameter that must be a UUID; another text is a 400 that names it. */
@Injectable()
export class UuidParameter implements PipeTransform<string, string> {
  transform(value: string, { data }: ArgumentMetadata): string {
    if (!isUuid(value)) throw invalidField(data ?? 'id', 'must be a UUID');
    return value.toLowerCase();
  }
}

/** A path parameter that must be a 32-bit integer. */
@Injectable()
export class Int32Parameter implements PipeTransform<string, number> {
  transform(value: string, { data }: ArgumentMetadata): number {
    const number = /^-?\d{1,10}$/.test(value) ? Number(value) : NaN;
    if (!(Math.abs(number) <= 2 ** 31 - 1)) throw invalidField(data ?? 'number', 'must be a 32-bit integer');
    return number;
  }
}

/** A path parameter of any text that can be looked up. */
@Injectable()
export class TextParameter implements PipeTransform<string, string> {
  transform(value: string, { data }: ArgumentMetadata): string {
    const fault = unstorable(value);
    if (fault) throw invalidField(data ?? 'path', fault.message);
    return value;
  }
}
