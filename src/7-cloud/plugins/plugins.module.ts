import { Module } from '@nestjs/common';
import { PluginCatalogue } from './plugin-catalogue';
import { PluginInspection } from './uploads/plugin-inspection';
import { PluginUploads } from './uploads/plugin-uploads';
import { PluginsController } from './plugins.controller';
import { PluginsService } from './plugins.service';

@Module({
  controllers: [PluginsController],
  providers: [PluginCatalogue, PluginInspection, PluginUploads, PluginsService],
})
export class PluginsModule {}
