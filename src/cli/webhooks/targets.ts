/**
 * The endpoints that `webhooks listen` delivers to. One with the same URL that is there already is used and stays; one
 * that was registered here goes when the run ends, and is registered again, under the same secret, when the instance
 * has lost it.
 */
import { ApiError } from '../../client/errors.ts';
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError, UsageError } from '../shell/failure.ts';
import type { SpaceQuery } from '../shell/flags.ts';
import { allPages } from '../../client/pages.ts';
import type { Target } from './listen-lines.ts';

type Endpoint = AnswerOf<'GET /_kyclone/webhooks/{id}'>;

export interface WantedTargets {
  readonly urls: readonly string[];
  readonly kinds: readonly string[] | undefined;
  /** A fixed one, for all of them. */
  readonly secret: string | undefined;
  readonly space: SpaceQuery;
}

export interface Targets {
  readonly list: readonly Target[];
  /** Sees to it that each URL has an endpoint; returns those that were registered. */
  ensure(client: Client): Promise<Target[]>;
  /** Removes what was registered; returns the ids of what is left because the daemon didn't do it. */
  remove(client: Client): Promise<string[]>;
}

export function targetsOf({ urls, kinds, secret, space }: WantedTargets): Targets {
  const targets = new Map<string, Target>();

  async function register(client: Client, url: string): Promise<Target> {
    const fixed = secret ?? targets.get(url)?.secret ?? undefined;
    const endpoint = await client.call('POST /_kyclone/webhooks', {
      query: space,
      body: {
        url,
        ...(kinds && { kinds: [...kinds] }),
        ...(fixed !== undefined && { secret: fixed }),
      },
    });
    return targetOf(endpoint, { secret, is_new: true });
  }

  async function adopt(client: Client, { id }: Endpoint): Promise<Target> {
    const endpoint = await client.call('GET /_kyclone/webhooks/{id}', {
      params: { id },
      query: { ...space, reveal: true },
    });
    if (secret !== undefined && endpoint.secret !== secret) throw anotherSecret(id);
    return targetOf(endpoint, { secret, is_new: false });
  }

  return {
    get list() {
      return [...targets.values()];
    },
    async ensure(client) {
      if (urls.length === 0) return [];
      const registered: Target[] = [];
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
    async remove(client) {
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
): Target {
  const shown = by.secret === undefined ? (secret ?? null) : null;
  return { webhook_id: id, url, secret: shown, is_new: by.is_new, enabled, kinds };
}

/** One that is gone is removed as well. */
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
    exitCode: EXIT.failed,
    hint: `leave --secret out, or kyclone webhooks delete ${id}`,
  });
}

function isSameUrl(one: string, other: string): boolean {
  return (
    one === other || (URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href)
  );
}

/** The URLs of `--forward-to`, `http://` before those without a scheme. Throws UsageError; a URL is not repeated. */
export function forwardUrls(texts: readonly string[]): string[] {
  const urls = texts.map((text) => (/^https?:\/\//i.test(text) ? text : `http://${text}`));
  if (urls.some((url) => /^http:\/\/[a-z][a-z0-9+.-]*:\/\//i.test(url) || !URL.canParse(url))) {
    throw new UsageError('--forward-to takes an http or https URL', 'such as http://localhost:3000/hooks');
  }
  const distinct = new Set(urls.map((url) => new URL(url).href));
  if (distinct.size < urls.length) throw new UsageError('--forward-to has the same URL twice');
  return urls;
}
