import { SettingsPatch } from '../contract/settings.ts';
import { ServiceError } from '../kernel/errors.ts';
import { requireValid } from '../http/validation.ts';

/**
 * `NAME=VALUE` pairs with the dotted names of contract §0.13 as a merge of settings; the value is JSON where it reads
 * as JSON, else text, and a comma list where the setting is a list. Throws `invalid_request` naming the setting.
 */
export function settingsFromOptions(pairs: readonly string[]): SettingsPatch {
  const patch: Record<string, unknown> = {};
  if (pairs.length === 0) return patch;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (equals === -1) throw new ServiceError('invalid_request', `Setting ${name} needs a value: NAME=VALUE`);
    const [group, member, ...rest] = name.split('.');
    if (group === undefined || group === '' || rest.length > 0) throw unknownSetting(name);
    const value = valueOf(name, pair.slice(equals + 1));
    if (member === undefined) patch[group] = value;
    else patch[group] = { ...(patch[group] as object | undefined), [member]: value };
  }
  requireValid(SettingsPatch, patch, 'Setting');
  return patch;
}

const LISTS = new Set(['hosts', 'cors.origins', 'egress.extra_roots', 'vocabulary.vendors']);

function valueOf(name: string, text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!LISTS.has(name)) return text;
  if (!text.startsWith('[')) return text.split(',').map((entry) => entry.trim()).filter((entry) => entry !== ''); // prettier-ignore
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError('invalid_request', `Setting ${name} must be a JSON list or a comma-separated one`);
  }
}

function unknownSetting(name: string): ServiceError {
  return new ServiceError('invalid_request', `Setting ${name} is not known`);
}
