import { quoted } from '../../parts/shell';

/** Makes a route for a model. Its name comes from the address of the page, so anybody may have written it. */
export function newRouteCommand(origin: string, model: string): string {
  const target = { profile_id: '<id of a profile>', tier: 'large', priority: 1 };
  return `curl -X POST ${origin}/v1/inference/routes \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d ${quoted(JSON.stringify({ logical_model: model, targets: [target] }))}`;
}
