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

/** The count of one thing in an instance or a snapshot, with the name of that thing: `1 bank link`, `2 bank links`. */
export function countText(what: string, count: number): string {
  if (count === 1) return `1 ${ONE[what] ?? what.replaceAll('_', ' ')}`;
  return `${count} ${what.replace(/^api_/, 'API ').replaceAll('_', ' ')}`;
}

/** `1 row`, `2 rows`; `many` is the plural of a noun that takes no s. */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
