import { crc32, deflateSync } from 'node:zlib';

export const PASSPORT_IMAGE = 'document.passport.front.image';

/** The smallest of pictures: one pixel of a colour, as base64 of a PNG. */
export function onePixel(red: number, green: number, blue: number): string {
  const size = Buffer.from([0, 0, 0, 1]);
  const eightBitsOfRgb = Buffer.from([8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, ...Buffer.from('PNG\r\n\x1a\n', 'latin1')]),
    chunk('IHDR', Buffer.concat([size, size, eightBitsOfRgb])),
    chunk('IDAT', deflateSync(Buffer.from([0, red, green, blue]))),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}

function chunk(type: string, content: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, checksum]);
}
