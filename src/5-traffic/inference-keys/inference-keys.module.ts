import { Module } from '@nestjs/common';
import { InferenceKeysController } from './inference-keys.controller';
import { InferenceKeysService } from './inference-keys.service';

@Module({ controllers: [InferenceKeysController], providers: [InferenceKeysService] })
export class InferenceKeysModule {}
