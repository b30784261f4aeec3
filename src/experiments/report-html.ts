/** A report as one file for a browser: no script, no server, nothing from elsewhere. */
import { element, escapeXml as text } from '../plots/index.js';
import type { Case } from './case.js';
import type { Experiment, Report, Table } from './experiment.js';
import { figuresOf, type Figure } from './report-figures.js';
import { findingSections } from './report-findings.js';
import { STYLE } from './report-style.js';
import { detailTables, judgingTables, protocolsIn, type ReportTable } from './report-tables.js';

/** Numbers, with what may stand around them. */
const NUMERIC = /^(?:[-−]?[\d.]+(?:e-?\d+)?|-|N\/A)(?: ?(?:±|to|%|\(|\/|,).*)?$|^one seed$/;
/** Longer cells break their lines. */
const LONGEST = 48;

export function htmlOf(experiment: Experiment, report: Report): string {
  const { layout, cases } = experiment;
  const { budget, runs, notes, entries, versions } = report;
  const missing = runs.planned - runs.finished;
  const title = `${layout.title}: the paper's table and ours, budget ${budget}`;
  const [departures, ...others] = findingSections(experiment, report);
  const shown = cases.filter(({ env }) => entries.some((entry) => entry.env === env));
  const sections: readonly Section[] = [
    {
      id: 'departures',
      title: departures.title,
      content: [
        list(departures.sentences),
        ...others.flatMap(({ title: name, sentences }) => [heading(3, name), list(sentences)]),
      ],
    },
    { id: 'table', title: "The paper's table and ours", content: [tableOf(layout.table(report)), soft(layout.legend)] },
    ...shown.map((where, i) => ({
      id: `case-${i + 1}`,
      title: titleOf(experiment, where),
      content: caseContent(experiment, report, where),
    })),
    ...judgingTables(experiment, report).map((table, i) => ({
      id: `comparison-${i + 1}`,
      title: table.title,
      content: [tableOf(table), soft(table.legend)],
    })),
    { id: 'protocol', title: 'How these numbers came about', content: [list(notes)] },
    { id: 'details', title: 'To look things up', content: detailTables(experiment, report).map(detailsOf) },
  ];
  const body = [
    element('header', {}, [
      heading(1, title),
      paragraph(
        `${runs.finished} of ${runs.planned} runs are finished${runs.additional === 0 ? '' : `, and ${runs.additional} of further seeds`}.`,
      ),
      ...(missing === 0
        ? []
        : [
            element(
              'p',
              { class: 'warn' },
              text('Not complete: the same command goes on with the runs that are missing.'),
            ),
          ]),
    ]),
    element('nav', { 'aria-label': 'Sections' }, [
      element(
        'ul',
        {},
        sections.map(({ id, title: name }) => element('li', {}, element('a', { href: `#${id}` }, text(name)))),
      ),
    ]),
    element('main', {}, [
      ...sections.map(({ id, title: name, content }) => element('section', { id }, [heading(2, name), ...content])),
      element(
        'footer',
        { class: 'soft' },
        text(`psl-morl ${versions.psl.join(' and ')}; the numbers are in report.json beside this file.`),
      ),
    ]),
  ];
  return page(title, body);
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: readonly string[];
}

function page(title: string, body: readonly string[]): string {
  // The policy keeps a browser from loading anything, whatever the names in a report are.
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    element('title', {}, text(title)),
    element('style', {}, STYLE),
  ];
  return `<!doctype html>\n<html lang="en">\n<head>\n${head.join('\n')}\n</head>\n<body>\n${body.join('\n')}\n</body>\n</html>\n`;
}

function titleOf({ caseName, layout }: Experiment, where: Case): string {
  const label = layout.caseLabel(where);
  return /^\d/.test(label) ? `${caseName} ${label}`.replace(/^./, (letter) => letter.toUpperCase()) : label;
}

function caseContent(experiment: Experiment, report: Report, where: Case): string[] {
  const figures = figuresOf(experiment, report, where, titleOf(experiment, where));
  return [
    figures.length === 0
      ? soft('There is nothing to draw: this report has neither fronts nor curves of its runs.')
      : element('div', { class: 'figures' }, figures.map(figureOf)),
    ...protocolsIn(report, where.env).map(soft),
  ];
}

function figureOf({ svg, caption }: Figure): string {
  return element('figure', {}, [element('div', { class: 'scroll' }, svg), element('figcaption', {}, text(caption))]);
}

function detailsOf(table: ReportTable): string {
  return element('details', {}, [element('summary', {}, text(table.title)), tableOf(table), soft(table.legend)]);
}

/** Rows whose first cell is the same share it. */
function tableOf({ head, rows }: Table): string {
  const isFirst = rows.map((row, i) => i === 0 || row[0] !== rows[i - 1][0]);
  const spanAt = (i: number) => {
    const next = isFirst.indexOf(true, i + 1);
    return (next < 0 ? rows.length : next) - i;
  };
  const isGrouped = isFirst.includes(false);
  // Columns of numbers are aligned to the right, with the few words in them.
  const isNumeric = head.map((_, k) => k > 0 && 2 * rows.filter((row) => NUMERIC.test(row[k])).length > rows.length);
  const body = rows.map((row, i) => {
    const cells = row.map((cell, k) => {
      const style = [isNumeric[k] ? 'n' : '', cell.length > LONGEST ? 'wide' : ''].filter(Boolean).join(' ');
      const attributes = { class: style === '' ? undefined : style };
      if (k > 0) return element('td', attributes, text(cell));
      if (!isFirst[i]) return '';
      return element('th', { ...attributes, scope: 'row', rowspan: isGrouped ? spanAt(i) : undefined }, text(cell));
    });
    return element('tr', { class: isGrouped && isFirst[i] ? 'first' : undefined }, cells);
  });
  const titles = head.map((name, k) =>
    element('th', { scope: 'col', class: isNumeric[k] ? 'n' : undefined }, text(name)),
  );
  return element('div', { class: 'scroll' }, [
    element('table', {}, [element('thead', {}, element('tr', {}, titles)), element('tbody', {}, body)]),
  ]);
}

function heading(level: 1 | 2 | 3, content: string): string {
  return element(`h${level}`, {}, text(content));
}

function paragraph(content: string): string {
  return element('p', {}, text(content));
}

function soft(content: string): string {
  return element('p', { class: 'soft' }, text(content));
}

function list(items: readonly string[]): string {
  return element(
    'ul',
    {},
    items.map((item) => element('li', {}, text(item))),
  );
}
