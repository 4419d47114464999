/** Whose vault an id names: the prefix decides, and the daemon says so when neither fits (contract §0.6). */
export function isBusinessId(id: string): boolean {
  return id.startsWith('fp_bid_');
}
