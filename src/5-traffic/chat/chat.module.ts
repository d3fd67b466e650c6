import { Module } from '@nestjs/common';
import { AdmissionsModule } from '../admissions/admissions.module';
import { RoutesModule } from '../routes/routes.module';
import { ChatController } from './chat.controller';
import { ChatMetrics, chatMetricProviders } from './chat-metrics';
import { ChatService } from './chat.service';
import { ConversationWorkers } from './conversation-workers';
import { HeldChats } from './held-chats';
import { Classifier } from './requests/classifier';
import { ModelsController } from './models.controller';
import { WaitingRoom } from './waiting-room';

/** Model traffic through this service itself. */
@Module({
  imports: [AdmissionsModule, RoutesModule],
  controllers: [ChatController, ModelsController],
  providers: [
    ChatService,
    ChatMetrics,
    Classifier,
    ConversationWorkers,
    HeldChats,
    WaitingRoom,
    ...chatMetricProviders,
  ],
})
export class ChatModule {}
