/** Finds fault rules that never apply. Loads the schemas of all endpoints, so that it is loaded only for a new rule. */
import { endpoints, splitKey } from '../../../contract/registry.ts';
import type { NewFault } from './rules.ts';

/**
 * Whether no endpoint has such a path and method, so that the rule never applies. Rules don't apply to the control
 * plane.
 */
export function matchesNothing({ match: { path, method } }: Pick<NewFault, 'match'>): boolean {
  const wanted = path.split('/').filter((segment) => segment !== '');
  const of = method === 'HEAD' ? 'GET' : method;
  return !endpoints.some(({ key }) => {
    const route = splitKey(key);
    const segments = route.path.split('/').filter((segment) => segment !== '');
    if (segments[0] === '_kyclone' || !(of === undefined || of === 'OPTIONS' || of === route.method))
      return false;
    return mayMeet(wanted, segments);
  });
}

/** Whether a path fits both a pattern and the path of an endpoint, whose parameters fit any segment. */
function mayMeet([first, ...pattern]: readonly string[], path: readonly string[]): boolean {
  if (first === undefined) return path.length === 0;
  const [segment, ...rest] = path;
  if (first === '**')
    return mayMeet(pattern, path) || (segment !== undefined && mayMeet([first, ...pattern], rest));
  if (segment === undefined) return false;
  return (first === '*' || first === segment || segment.startsWith('{')) && mayMeet(pattern, rest);
}
