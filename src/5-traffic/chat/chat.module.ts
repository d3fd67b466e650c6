import { Module } from '@nestjs/common';
import { SpendingModule } from '../spending/spending.module';
import { RoutesModule } from '../routes/routes.module';
import { ChatController } from './chat.controller';
import { ChatMetrics, chatMetricProviders } from './chat-metrics';
import { ChatService } from './chat.service';
import { Classifier } from './requests/classifier';
import { ModelsController } from './models.controller';
import { WaitingRoom } from './waiting-room';

/** Model traffic through this service itself. */
@Module({
  imports: [SpendingModule, RoutesModule],
  controllers: [ChatController, ModelsController],
  providers: [ChatService, ChatMetrics, Classifier, WaitingRoom, ...chatMetricProviders],
})
export class ChatModule {}
