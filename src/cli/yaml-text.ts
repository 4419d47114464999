import { stringify } from 'yaml';

/** Plain data as YAML: what JSON has of it, and no anchors for what occurs twice. No final line end. */
export function yamlText(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value)) as unknown;
  return stringify(plain, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
}
