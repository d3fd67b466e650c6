import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboards, DOCKER, scraping } from '../docker/support/dashboards';

/** The series that an expression of PromQL reads, with their conditions. */
const seriesIn = (expression: string): string[] =>
  expression
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)|\[[^\]]*\]/g, '')
    .match(/\b[a-z_]\w*(\{[^}]*\})?(?![\w{]|\s*\()/g) ?? [];

/** Whether it divides what some organisations did by what all did, or the other way round. */
function mixesOrganisations(expression: string): boolean {
  const series = seriesIn(expression);
  const chosen = series.filter((one) => one.includes('organisation='));
  return expression.includes('/') && chosen.length > 0 && chosen.length < series.length;
}

const secondsOf = (duration = ''): number => parseInt(duration, 10) * (duration.endsWith('m') ? 60 : 1);

/** Seconds between two scrapes of a job. */
function scrapedEvery(job: string): number {
  const config = scraping.scrape_configs.find(({ job_name: name }) => name === job);
  return secondsOf(config?.scrape_interval ?? scraping.global.scrape_interval);
}

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

  it('never divide series of the chosen organisations by series of all', () => {
    const ofChosen = 'increase(cost_total{organisation=~"$organisation"}[1h])';
    const perChat = `sum by (le, start_kind) (${ofChosen}) / (sum(increase(chats_total[$__rate_interval])) > 0)`;
    expect(seriesIn(perChat)).toEqual(['cost_total{organisation=~"$organisation"}', 'chats_total']);
    expect([perChat, `topk(10, max(${ofChosen}) / ${ofChosen})`, `max(${ofChosen})`].map(mixesOrganisations)).toEqual([
      true,
      false,
      false,
    ]);
    const expressions = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets));
    expect(expressions.filter(({ expr }) => mixesOrganisations(expr))).toEqual([]);
  });

  it('calculate rates over as many scrapes as have an increase, also when one is missing', () => {
    const sources = parse(readFileSync(join(DOCKER, 'grafana/provisioning/datasources/prometheus.yaml'), 'utf8')) as {
      datasources: { jsonData: { timeInterval: string } }[];
    };
    const assumed = sources.datasources[0]?.jsonData.timeInterval;
    const rates = dashboards
      .flatMap(({ panels }) => panels.flatMap(({ title, targets }) => targets.map((one) => ({ title, ...one }))))
      .filter(({ expr }) => expr.includes('$__rate_interval'));
    const jobs = rates.map(({ expr }) =>
      expr.includes('organisation=') ? 'control-plane-organisation' : 'control-plane',
    );
    expect([...new Set(jobs.map(scrapedEvery))].sort()).toEqual([15, 60]);
    // As Grafana calculates `$__rate_interval` for the shortest range: four scrapes, as the target says, or
    // else the data source.
    for (const [place, { title, interval }] of rates.entries()) {
      const rateInterval = 4 * secondsOf(interval ?? assumed);
      expect([title, rateInterval / scrapedEvery(jobs[place] ?? '')]).toEqual([title, 4]);
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
