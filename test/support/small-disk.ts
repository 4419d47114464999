/** A disk of a few MiB for one test. It is a file system in memory, and needs the right to mount one. */
import './tier-all.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenFinished } from './finishing.ts';
import { tempDir } from './kycloned.ts';

/** Checks whether this process can make small disks: on Linux, as root, with the right to mount. */
export function canMountSmallDisks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const place = join(process.env['TMPDIR'] ?? '/tmp', `kyclone-mount-${process.pid}`);
  mkdirSync(place, { recursive: true });
  try {
    mount(place, 1);
    execFileSync('umount', ['-l', place], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Makes an empty disk. It is removed at the end of the test, after the processes that use it have ended. */
export function smallDisk(sizeMib: number) {
  const path = join(tempDir(), 'disk');
  mkdirSync(path);
  mount(path, sizeMib);
  whenFinished(() => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }));
  const ballast = join(path, 'ballast');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    /** Uses up the free space, except about `leaveBytes` bytes. */
    fill(leaveBytes = 0) {
      const bytes = freeBytes() - leaveBytes;
      try {
        if (bytes > 0) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
      } catch (error) {
        // The daemon used some of the space in the meantime, so the disk is full now.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    /** Frees the space that `fill` used. */
    free: () => rmSync(ballast, { force: true }),
  };
}

function mount(path: string, sizeMib: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=0700`, 'tmpfs', path], {
    stdio: 'ignore',
  });
}
