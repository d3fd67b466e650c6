import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboards, DOCKER, scraping } from '../docker/support/dashboards';

describe('the dashboards', () => {
  it('have names of their own, panels that say what they show, and the data source that the reader chooses', () => {
    expect(dashboards.map(({ uid }) => uid).sort()).toEqual([
      'control-plane-checkpoints',
      'control-plane-service',
      'control-plane-traffic',
    ]);
    for (const { panels } of dashboards) {
      expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
      for (const { title, description, datasource, targets } of panels) {
        expect([title, description.length > 0, targets.length > 0]).toEqual([title, true, true]);
        expect(datasource.uid).toBe('${datasource}');
      }
    }
  });

  it('are provisioned from the directory, and with the data source, that the Compose file mounts', () => {
    const compose = parse(readFileSync(join(DOCKER, 'compose.yaml'), 'utf8')) as {
      services: Record<'grafana' | 'prometheus', { volumes: string[] }>;
    };
    const provider = parse(readFileSync(join(DOCKER, 'grafana/provisioning/dashboards/dashboards.yaml'), 'utf8')) as {
      providers: { options: { path: string } }[];
    };
    const sources = parse(readFileSync(join(DOCKER, 'grafana/provisioning/datasources/prometheus.yaml'), 'utf8')) as {
      datasources: { url: string }[];
    };
    const mounts = compose.services.grafana.volumes;
    expect(mounts).toContain(`./grafana/dashboards:${provider.providers[0]?.options.path}:ro`);
    expect(mounts).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro');
    expect(compose.services.prometheus.volumes).toContain(
      './prometheus/prometheus.yml:/etc/prometheus/prometheus.yml:ro',
    );
    expect(Object.keys(compose.services)).toContain(new URL(sources.datasources[0]?.url ?? '').hostname);
    for (const { static_configs } of scraping.scrape_configs)
      for (const target of static_configs.flatMap(({ targets }) => targets))
        expect(Object.keys(compose.services)).toContain(target.split(':')[0]);
  });
});
