import { Module } from '@nestjs/common';
import { EnginesService } from './engines.service';

@Module({ providers: [EnginesService], exports: [EnginesService] })
export class EnginesModule {}
