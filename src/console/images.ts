/**
 * The one image that is shown: decrypted bytes in the memory of the tab, under an address that is revoked when the image
 * is hidden. Nothing is written to a disk or to the browser's cache.
 */
import { realTime } from '../kernel/time/real-time.ts';

export interface ShownImage {
  readonly title: string;
  readonly address: string;
  /** Milliseconds of a clock that only goes forward. */
  readonly hidesAt: number;
}

export type Images = ReturnType<typeof createImages>;

export function createImages() {
  const listeners = new Set<() => void>();
  let shown: ShownImage | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function change(next: ShownImage | undefined): void {
    if (shown !== undefined) URL.revokeObjectURL(shown.address);
    clearTimeout(timer);
    shown = next;
    for (const listener of listeners) listener();
  }
  return {
    getShown: () => shown,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    show(
      {
        title,
        contentType,
        bytes,
      }: { readonly title: string; readonly contentType: string; readonly bytes: Uint8Array },
      milliseconds: number,
    ): void {
      const address = URL.createObjectURL(new Blob([bytes as BlobPart], { type: contentType }));
      change({ title, address, hidesAt: realTime.elapsed() + milliseconds });
      timer = setTimeout(() => change(undefined), milliseconds);
    },
    hide: () => change(undefined),
  };
}
