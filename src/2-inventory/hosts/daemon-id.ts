import { Injectable, type ArgumentMetadata } from '@nestjs/common';
import { invalidField } from '../../1-platform/common/answers/problem';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { MAX_ID_LENGTH } from './daemon-object';

/** A path parameter with an id that a daemon created: any text that can be a key. */
@Injectable()
export class DaemonId extends TextParameter {
  override transform(value: string, metadata: ArgumentMetadata): string {
    if (value.length > MAX_ID_LENGTH)
      throw invalidField(metadata.data ?? 'id', `must have at most ${MAX_ID_LENGTH} characters`);
    return super.transform(value, metadata);
  }
}
