/**
 * The endpoints that `webhooks listen` delivers to. An existing endpoint with the same URL is used and not removed. An
 * endpoint registered here is removed at the end of the run. One that is gone is registered again with the same secret.
 */
import { ApiError } from '../../../client/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { CliError, UsageError } from '../../../cli/shell/failure.ts';
import type { SpaceQuery } from '../../../cli/shell/flags.ts';
import { allPages } from '../../../client/pages.ts';
import { defined } from '../../../kernel/defined.ts';

type Endpoint = AnswerOf<'GET /_kyclone/webhooks/{id}'>;

export interface ListenTarget {
  readonly webhook_id: string;
  readonly url: string;
  /** Null if the command line gave it. */
  readonly secret: string | null;
  /** Registered by this run, which removes it at its end. */
  readonly is_new: boolean;
  readonly enabled: boolean;
  readonly kinds: readonly string[];
}

export interface WantedTargets {
  readonly urls: readonly string[];
  readonly kinds: readonly string[] | undefined;
  readonly secret: string | undefined;
  readonly space: SpaceQuery;
}

export type Targets = ReturnType<typeof targetsOf>;

export function targetsOf({ urls, kinds, secret, space }: WantedTargets) {
  const targets = new Map<string, ListenTarget>();

  async function register(client: Client, url: string): Promise<ListenTarget> {
    const fixed = secret ?? targets.get(url)?.secret ?? undefined;
    const endpoint = await client.call('POST /_kyclone/webhooks', {
      query: space,
      body: { url, ...(kinds && { kinds: [...kinds] }), ...defined({ secret: fixed }) },
    });
    return targetOf(endpoint, { secret, is_new: true });
  }

  async function adopt(client: Client, { id }: Endpoint): Promise<ListenTarget> {
    const endpoint = await client.call('GET /_kyclone/webhooks/{id}', {
      params: { id },
      query: { ...space, reveal: true },
    });
    if (secret !== undefined && endpoint.secret !== secret) throw anotherSecret(id);
    return targetOf(endpoint, { secret, is_new: false });
  }

  return {
    get list(): readonly ListenTarget[] {
      return [...targets.values()];
    },
    /** Makes sure that each URL has an endpoint. Returns those that were registered. */
    async ensure(client: Client): Promise<ListenTarget[]> {
      if (urls.length === 0) return [];
      const registered: ListenTarget[] = [];
      const there = await allPages((page) =>
        client.call('GET /_kyclone/webhooks', { query: { ...space, ...page } }),
      );
      for (const url of urls) {
        const known = targets.get(url);
        if (known && there.some(({ id }) => id === known.webhook_id)) continue;
        const same = there.find((endpoint) => isSameUrl(endpoint.url, url));
        const target = same ? await adopt(client, same) : await register(client, url);
        targets.set(url, target);
        if (target.is_new) registered.push(target);
      }
      return registered;
    },
    /** Removes the registered endpoints. Returns the ids of those that the daemon didn't remove. */
    async remove(client: Client): Promise<string[]> {
      const left: string[] = [];
      for (const { webhook_id: id, is_new } of targets.values()) {
        if (is_new && !(await isRemoved(client, id, space))) left.push(id);
      }
      return left;
    },
  };
}

function targetOf(
  { id, url, secret, enabled, kinds }: Endpoint,
  by: { secret: string | undefined; is_new: boolean },
): ListenTarget {
  const shown = by.secret === undefined ? (secret ?? null) : null;
  return { webhook_id: id, url, secret: shown, is_new: by.is_new, enabled, kinds };
}

/** An endpoint that no longer exists counts as removed. */
async function isRemoved(client: Client, id: string, space: SpaceQuery): Promise<boolean> {
  try {
    await client.call('DELETE /_kyclone/webhooks/{id}', { params: { id }, query: space });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.status === 404;
  }
}

function anotherSecret(id: string): CliError {
  return new CliError('An endpoint with this URL is registered under another secret', {
    code: 'conflict',
    hint: `omit --secret, or run kyclone webhooks delete ${id}`,
  });
}

function isSameUrl(one: string, other: string): boolean {
  return (
    one === other || (URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href)
  );
}

/**
 * The URL that a person means: `3000` and `:3000/hooks` are ports of this machine, and `localhost/hooks`, or a host with
 * a port or a dot, is `http`. Any other text stays unchanged.
 */
export function urlOf(text: string): string {
  if (/^:?\d{1,5}(?:[/?]|$)/.test(text)) return `http://localhost:${text.replace(/^:/, '')}`;
  return /^(?:localhost|[\w-]+\.[\w.-]+|[\w.-]+:\d{1,5}|\[[\da-f:]+\](?::\d{1,5})?)(?:[/?:]|$)/i.test(text)
    ? `http://${text}`
    : text;
}

/**
 * The URLs of `--forward-to`, as `urlOf` completes them. Throws UsageError, which contains no URL.
 */
export function forwardUrls(texts: readonly string[]): string[] {
  const urls = texts.map(urlOf);
  if (urls.some((url) => !/^https?:\/\//i.test(url) || !URL.canParse(url))) {
    throw new UsageError('--forward-to takes an http or https URL', 'such as http://localhost:3000/hooks');
  }
  const distinct = new Set(urls.map((url) => new URL(url).href));
  if (distinct.size < urls.length) throw new UsageError('--forward-to has the same URL twice');
  return urls;
}
