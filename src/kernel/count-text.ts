const ONE: Readonly<Record<string, string>> = {
  users: 'user',
  businesses: 'business',
  onboardings: 'onboarding',
  bank_links: 'bank link',
  files: 'file',
  events: 'event',
  entities: 'entity',
  api_keys: 'API key',
  client_tokens: 'client token',
  extra_roots: 'extra root',
};

/** What an instance or a snapshot holds, by the names of its counts: `1 bank link`, `2 bank links`. */
export function countText(what: string, count: number): string {
  if (count === 1) return `1 ${ONE[what] ?? what.replaceAll('_', ' ')}`;
  return `${count} ${what.replace(/^api_/, 'API ').replaceAll('_', ' ')}`;
}

/** `1 row`, `2 rows`; `many` for what has no plural with s. */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
