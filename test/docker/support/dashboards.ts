import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const DOCKER = join(__dirname, '../../../docker');
const DASHBOARDS = join(DOCKER, 'grafana/dashboards');

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
  /** How often its series are scraped at the least: else as often as the data source says. */
  readonly interval?: string;
}

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly datasource: { readonly uid: string };
  readonly targets: readonly Target[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

interface ScrapeConfig {
  readonly global: Record<string, string>;
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly scrape_interval?: string;
    readonly authorization?: { readonly credentials_file: string };
    readonly static_configs: readonly { readonly targets: readonly string[]; readonly labels?: object }[];
  }[];
}

export const dashboards = readdirSync(DASHBOARDS).map(
  (file) => JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as Dashboard,
);
export const scraping = parse(readFileSync(join(DOCKER, 'prometheus/prometheus.yml'), 'utf8')) as ScrapeConfig;
