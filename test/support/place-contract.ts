/** What every place of a store has to hold, whatever it is. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Place } from '../../src/sweeps/place.js';

const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
const always = () => true;

/** @param newPlace makes one in which there is nothing */
export function placeContract(newPlace: () => Place): void {
  describe('the files of a place', () => {
    it('are read as they were written, and are listed with the folders beside them', async () => {
      const place = newPlace();
      expect(await place.whyNotUsable()).toBeUndefined();
      expect(await place.list('')).toEqual([]);
      expect(await place.read('sweep.json')).toBeUndefined();
      await place.replace('sweep.json', 'one');
      await place.replace('sweep.json', 'two');
      await place.replace('jobs/a/1.json', '');
      expect(text(await place.read('sweep.json'))).toBe('two');
      expect((await place.list('')).sort()).toEqual(['jobs', 'sweep.json']);
      expect(await place.list('jobs/a')).toEqual(['1.json']);
      expect([await place.exists('jobs/a/1.json'), await place.exists('jobs/a/2.json')]).toEqual([true, false]);
      await place.remove('jobs/a/1.json');
      await place.remove('jobs/a/1.json');
      expect(await place.list('jobs/a')).toEqual([]);
    });

    it('are created by one of all who try', async () => {
      const place = newPlace();
      for (let round = 0; round < 5; round++) {
        const tries = Array.from({ length: 16 }, (_, i) => place.create(`jobs/a/${round}.json`, `by ${i}`));
        const isFirst = await Promise.all(tries);
        expect(isFirst.filter(Boolean)).toHaveLength(1);
        expect(text(await place.read(`jobs/a/${round}.json`))).toBe(`by ${isFirst.indexOf(true)}`);
      }
    });
  });

  it('the clock of a place is the same for all, and never makes a writer look more silent than he was', async () => {
    const place = newPlace();
    const first = await place.stamp('workers/a.json', 'alive');
    const seen = await place.stamped('workers/a.json');
    expect(seen?.content).toBe('alive');
    expect(seen!.at).toBeGreaterThanOrEqual(first);
    expect(await place.stamp('workers/b.json', '')).toBeGreaterThanOrEqual(first);
    expect(await place.stamped('workers/c.json')).toBeUndefined();
  });

  describe('the files of a claim', () => {
    const begin = (folder: string, files: Readonly<Record<string, string>>) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(join(folder, name, '..'), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
    };

    it('are taken over by the next one as they were saved, and are no longer changed by their owner', async () => {
      const place = newPlace();
      const first = await place.takeOver('jobs/a/attempt-1', [], always);
      expect(existsSync(first.folder)).toBe(false);
      begin(first.folder, { 'config.json': '{}', 'fronts/0.json': '[0]', lock: 'private' });
      await first.save();
      const second = await place.takeOver('jobs/a/attempt-2', ['jobs/a/attempt-1'], always);
      expect(readFileSync(join(second.folder, 'fronts', '0.json'), 'utf8')).toBe('[0]');
      expect(existsSync(join(second.folder, 'lock'))).toBe(false);
      await place.discard('jobs/a/attempt-1');
      expect(await place.list('jobs/a/attempt-1')).toEqual([]);
      await first.close();
      await second.close();
      // Without a word of its owner.
      const third = await place.takeOver('jobs/a/attempt-3', ['jobs/a/attempt-2', 'jobs/a/attempt-1'], always);
      expect(readFileSync(join(third.folder, 'config.json'), 'utf8')).toBe('{}');
      await third.close();
    });

    it('are those of the claim before, where those of the last one are of no use', async () => {
      const place = newPlace();
      for (const [claim, content] of [
        ['attempt-1', 'good'],
        ['attempt-2', 'bad'],
      ]) {
        const files = await place.takeOver(`jobs/a/${claim}`, [], always);
        begin(files.folder, { 'config.json': content });
        await files.save();
        await files.close();
      }
      const contentIn = (folder: string) => readFileSync(join(folder, 'config.json'), 'utf8');
      const earlier = ['jobs/a/attempt-2', 'jobs/a/attempt-1'];
      const third = await place.takeOver('jobs/a/attempt-3', earlier, (folder) => contentIn(folder) === 'good');
      expect(contentIn(third.folder)).toBe('good');
      await third.close();
      const fourth = await place.takeOver('jobs/a/attempt-4', earlier, () => false);
      expect(existsSync(fourth.folder)).toBe(false);
      await fourth.close();
    });

    it('become those of a run, by any number of processes at the same time, and can be read on any machine', async () => {
      const place = newPlace();
      const files = await place.takeOver('jobs/a/attempt-1', [], always);
      begin(files.folder, { 'config.json': '{}', 'fronts/0.json': '[0]', 'fronts/1.json': '[0]' });
      await files.save();
      await files.close();
      const publish = async () => {
        await place.publish('jobs/a/attempt-1', 'runs/first');
        await place.discard('jobs/a/attempt-1');
      };
      await Promise.all([publish(), publish(), publish()]);
      await publish();
      const runs = await place.borrow('runs');
      expect(readFileSync(join(runs.folder, 'first', 'fronts', '1.json'), 'utf8')).toBe('[0]');
      expect(text(await place.read('runs/first/config.json'))).toBe('{}');
      await runs.close();
    });
  });
}
