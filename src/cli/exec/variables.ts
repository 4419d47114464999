/** What a command of `kyclone exec` finds in its environment. */
import { UsageError } from '../shell/failure.ts';

/** What opens the throw-away instance. */
export interface InstanceAccess {
  readonly url: string;
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly controlToken: string;
}

const PLACEHOLDERS: Readonly<Record<string, (access: InstanceAccess) => string>> = {
  url: ({ url }) => url,
  port: ({ url }) => new URL(url).port || '80',
  api_key: ({ apiKey }) => apiKey,
  live_api_key: ({ liveApiKey }) => liveApiKey,
  control_token: ({ controlToken }) => controlToken,
};
const PLACEHOLDER = /\{([a-z_]+)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface EnvironmentTemplate {
  readonly name: string;
  readonly template: string;
}

/** `--env NAME=TEMPLATE`. Throws UsageError, which repeats nothing of it. */
export function parseTemplates(texts: readonly string[]): EnvironmentTemplate[] {
  return texts.map((text, index) => {
    const equals = text.indexOf('=');
    const name = text.slice(0, Math.max(equals, 0));
    const template = text.slice(equals + 1);
    if (!NAME.test(name) || template.includes('\0')) {
      throw new UsageError(`--env number ${index + 1} is not of the form NAME=TEMPLATE`, 'BASE_URL={url}/v1');
    }
    for (const [, word = ''] of template.matchAll(PLACEHOLDER)) {
      if (Object.hasOwn(PLACEHOLDERS, word)) continue;
      const known = Object.keys(PLACEHOLDERS).map((each) => `{${each}}`);
      throw new UsageError(
        `--env number ${index + 1} has a placeholder that means nothing`,
        `placeholders: ${known.join(' ')}`,
      );
    }
    return { name, template };
  });
}

export function injectedVariables(
  access: InstanceAccess,
  templates: readonly EnvironmentTemplate[],
): Record<string, string> {
  return {
    KYCLONE_BASE_URL: access.url,
    KYCLONE_API_KEY: access.apiKey,
    KYCLONE_LIVE_API_KEY: access.liveApiKey,
    KYCLONE_CONTROL_TOKEN: access.controlToken,
    ...Object.fromEntries(templates.map(({ name, template }) => [name, filled(template, access)])),
  };
}

function filled(template: string, access: InstanceAccess): string {
  return template.replace(PLACEHOLDER, (whole, word: string) => PLACEHOLDERS[word]?.(access) ?? whole);
}
