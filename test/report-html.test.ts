import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom';
import { describe, expect, it } from 'vitest';
import { htmlOf, mujoco, planReproduction, reportOf } from '../src/experiments/index.js';
import { runsOf } from '../src/experiments/job.js';
import { outcomeOf } from './support/outcome.js';

const request = {
  budget: 'million',
  cases: ['mo-swimmer-v2', 'mo-hopper-v2'],
  methods: ['ra', 'pd-td3', 'psl-td3'],
  seeds: 3,
};
const reproduction = planReproduction(mujoco, request);
const outcomes = reproduction.jobs.flatMap(runsOf).map((run, i) =>
  outcomeOf(run, 20_000 + 100 * i, 5, {
    front: [
      [100, 50 + i],
      [50, 100 + i],
    ],
    curve: [1, 2, 3].map((part) => ({ envSteps: 1000 * part, seconds: 10 * part + i, hypervolume: 7000 * part + i })),
  }),
);
const html = htmlOf(mujoco, reportOf(reproduction, outcomes, 'out'));

/** The body, which is as strict as XML. */
const parsed = (page: string) =>
  new DOMParser({ onError: onErrorStopParsing }).parseFromString(
    /<body>[\s\S]*<\/body>/.exec(page)![0],
    'application/xhtml+xml',
  ).documentElement!;
const all = (root: Element, tag: string) => Array.from(root.getElementsByTagName(tag));
const textOf = (nodes: readonly Element[]) => nodes.map((node) => node.textContent);

describe('the report for a browser', () => {
  const body = parsed(html);

  it('needs nothing from elsewhere, and no script', () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(/<script|<link|<img|@import|url\(|src=/);
    const addresses = [...html.matchAll(/(?:href|xmlns)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.filter((address) => !address.startsWith('#'))).toEqual(
      new Array(6).fill('http://www.w3.org/2000/svg'),
    );
  });

  it('leads to every section', () => {
    const links = all(body, 'a').map((node) => node.getAttribute('href')!.slice(1));
    expect(links).toEqual(all(body, 'section').map((node) => node.getAttribute('id')));
    expect(textOf(all(body, 'h2'))).toEqual([
      'What did not reproduce',
      "The paper's table and ours",
      'MO-Swimmer-v2',
      'MO-Hopper-v2',
      'Hypervolume over the seeds',
      'One method against another',
      'All together',
      'Time',
      'How these numbers came about',
      'To look things up',
    ]);
  });

  it('has for every robot the fronts of all methods, and their curves over steps and time', () => {
    const titles = all(body, 'svg').map((svg) => textOf(all(svg, 'title')));
    expect(titles.map(([title]) => title)).toEqual([
      'MO-Swimmer-v2: fronts',
      'MO-Swimmer-v2: hypervolume over environment steps',
      'MO-Swimmer-v2: hypervolume over seconds of training',
      'MO-Hopper-v2: fronts',
      'MO-Hopper-v2: hypervolume over environment steps',
      'MO-Hopper-v2: hypervolume over seconds of training',
    ]);
    // Jobs 2, 8 and 14 are the seeds of PSL-MORL on the swimmer, whose hypervolumes grow with the seed.
    expect(titles[0]).toContain('PSL-MORL, tuned: Speed 100, Efficiency 58');
    expect(titles[1]).toContain('PSL-MORL, tuned: 7,008 at 1,000 environment steps');
    expect(titles[2]).toContain('PSL-MORL, tuned: 7,008 at 18 seconds of training');
    expect(textOf(all(all(body, 'svg')[1], 'text'))).toContain('paper, PSL-MORL: 3.22e4');
  });

  it('has tables whose rows have as many cells as their head, groups counted', () => {
    for (const table of all(body, 'table')) {
      const columns = all(all(table, 'thead')[0], 'th').length;
      let span = 0;
      for (const row of all(all(table, 'tbody')[0], 'tr')) {
        const title = all(row, 'th').at(0);
        if (title !== undefined) span = Number(title.getAttribute('rowspan') ?? 1);
        expect(all(row, 'td').length + 1).toBe(columns);
        expect(span).toBeGreaterThan(0);
        span--;
      }
    }
  });

  it('says under which protocol numbers came about', () => {
    const sentences = textOf(all(body, 'p')).filter((sentence) => sentence!.startsWith('Protocol of'));
    expect(sentences[0]).toMatch(
      /^Protocol of RA: hypervolume above \(0, 0\), returns are plain sums, each policy of the archive, /,
    );
    expect(sentences[1]).toMatch(
      /^Protocol of PD-MORL, tuned; PSL-MORL, tuned: .* 101 preferences, .* the best policy set/,
    );
  });

  it('says where runs were trained, and which of their times say little', () => {
    const machine = { cpu: 'Some CPU', cores: 8, gpu: null };
    const timed = outcomes.map((outcome, i) => ({
      ...outcome,
      machine: i === 0 ? null : machine,
      seconds: i === 0 ? 2 : 1,
    }));
    const legendOf = (page: string) => textOf(all(all(parsed(page), 'section').find((one) => one.getAttribute('id') === 'comparison-4')!, 'p')).join(); // oxfmt-ignore
    expect(legendOf(htmlOf(mujoco, reportOf(reproduction, timed, 'out')))).toBe(
      'Seconds of one training with its evaluations, over the seeds: the median, and the ends. Where several were trained together, each is given its share. The machines differ, and times between them say nothing about the methods. A machine is unknown where the run did not record it. The longest took more than 1.5 times as long as the shortest, and the times say little: RA on MO-Swimmer-v2.',
    );
    const alike = htmlOf(mujoco, reportOf(reproduction, outcomes.map((outcome) => ({ ...outcome, machine })), 'out')); // oxfmt-ignore
    expect(legendOf(alike)).not.toContain('machine');
    expect(alike).toContain('Some CPU, 8 cores');
    const lockstep = outcomes.map((outcome) => ({ ...outcome, protocol: { ...outcome.protocol, lockstep: 3 } }));
    expect(htmlOf(mujoco, reportOf(reproduction, lockstep, 'out'))).toContain(
      'Of runs that were trained together in lockstep it is their share: the clock showed that times their number.',
    );
    expect(html).not.toContain('in lockstep it is their share');
  });

  it('escapes whatever a run is called', () => {
    const [first, ...rest] = outcomes;
    const named = { ...first, run: 'out/<script>alert("1")</script>', device: '<b>&' };
    const page = htmlOf(mujoco, reportOf(reproduction, [named, ...rest], 'out'));
    expect(page).not.toMatch(/<script|<b>/);
    expect(parsed(page).textContent).toContain('<script>alert("1")</script>');
  });

  it('is a page also before anything is trained, and says what is missing', () => {
    const page = parsed(htmlOf(mujoco, reportOf(reproduction, [], 'out')));
    expect(page.textContent).toContain('0 of 18 runs are finished.');
    expect(page.textContent).toContain('Not complete');
    expect(page.textContent).toContain('There is nothing to draw');
  });

  it('is the same for the same numbers', () => {
    expect(htmlOf(mujoco, reportOf(reproduction, outcomes, 'out'))).toBe(html);
  });
});
