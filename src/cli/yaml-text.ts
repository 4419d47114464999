import { stringify } from 'yaml';

/** Plain data as YAML: what JSON has of it, no anchors for what occurs twice, and nothing that an older reader takes for a truth value. No final line end. */
export function yamlText(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value)) as unknown;
  return stringify(plain, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }).trimEnd();
}
