import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { loadS3 } from './s3.js';

it('the client of S3 prints nothing of its own', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  try {
    const { S3Client } = await loadS3();
    new S3Client({ region: 'us-east-1' }).destroy();
    await setImmediate();
    expect(warned).not.toHaveBeenCalled();
  } finally {
    process.off('warning', warned);
  }
});
