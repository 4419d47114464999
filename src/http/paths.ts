/** Which methods a path answers, for 405 and for preflights (contract §0.4, §0.6). */
import { endpoints, splitKey } from '../contract/registry.ts';

/** The only ids a route of entities takes; anything else there is a path nobody serves (contract §0.6). */
export const ENTITY_ID = /^fp_[A-Za-z0-9_]{1,200}$/;

const templates = endpoints.map(({ key }) => {
  const { method, path } = splitKey(key);
  return { method, segments: path.split('/') };
});

/** The methods of the endpoints that have this path; HEAD goes with GET. */
export function allowedMethods(url: string): string[] {
  const segments = (url.split('?')[0] ?? '').replace(/\/$/, '').split('/');
  const methods = new Set<string>();
  for (const template of templates) {
    const fits =
      template.segments.length === segments.length &&
      template.segments.every((segment, index) => matchesSegment(segment, segments[index] ?? ''));
    if (!fits) continue;
    methods.add(template.method);
    if (template.method === 'GET') methods.add('HEAD');
  }
  return [...methods];
}

function matchesSegment(template: string, segment: string): boolean {
  if (template === '{fp_id}' || template === '{fp_bid}') return ENTITY_ID.test(segment);
  return template.startsWith('{') ? segment !== '' : template === segment;
}
