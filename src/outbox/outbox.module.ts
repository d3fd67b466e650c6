import { Module } from '@nestjs/common';
import { OutboxFeed } from './outbox-feed';
import { outboxLagProvider, OutboxLag } from './outbox-lag';
import { OutboxSweeps } from './outbox-sweeps';
import { OutboxController } from './outbox.controller';
import { OutboxService } from './outbox.service';

@Module({
  controllers: [OutboxController],
  providers: [OutboxService, OutboxFeed, OutboxSweeps, OutboxLag, outboxLagProvider],
})
export class OutboxModule {}
