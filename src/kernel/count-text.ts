const ONE: Readonly<Record<string, string>> = {
  users: 'user',
  businesses: 'business',
  onboardings: 'onboarding',
  bank_links: 'bank link',
  files: 'file',
  events: 'event',
};

/** What an instance or a snapshot holds, by the names of its counts: `1 bank link`, `2 bank links`. */
export function countText(what: string, count: number): string {
  return `${count} ${(count === 1 ? ONE[what] : undefined) ?? what.replaceAll('_', ' ')}`;
}
