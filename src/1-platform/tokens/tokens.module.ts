import { Module } from '@nestjs/common';
import { FirstStart } from './first-start';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';
import { UserController } from './user.controller';

@Module({
  controllers: [TokensController, UserController],
  providers: [TokensService, FirstStart],
  exports: [FirstStart],
})
export class TokensModule {}
