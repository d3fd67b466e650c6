import { Module } from '@nestjs/common';
import { OutboxFeed } from './outbox-feed';
import { OutboxSweeps } from './outbox-sweeps';
import { OutboxController } from './outbox.controller';
import { OutboxService } from './outbox.service';

@Module({
  controllers: [OutboxController],
  providers: [OutboxService, OutboxFeed, OutboxSweeps],
})
export class OutboxModule {}
