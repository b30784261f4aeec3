import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { element, escapeXml, polyline } from './svg.js';

test('escapeXml escapes what has a meaning in XML', () => {
  expect(escapeXml('a < b & "c" > d')).toBe('a &lt; b &amp; &quot;c&quot; &gt; d');
});

test('escapeXml replaces what XML cannot hold', () => {
  expect(escapeXml('a\u0000b\u001bc\ud800d\uffffe')).toBe('a\uFFFDb\uFFFDc\uFFFDd\uFFFDe');
  expect(escapeXml('tab\tand 😀')).toBe('tab\tand 😀');
  expect(escapeXml('a\u0085b\u2028c')).toBe('a&#x85;b&#x2028;c');
});

test('element writes numbers to a hundredth and leaves out what is undefined', () => {
  expect(element('circle', { cx: 1 / 3, cy: -0.001, r: 2, fill: undefined })).toBe('<circle cx="0.33" cy="0" r="2"/>');
  expect(element('g', { id: 'a"b' }, ['<path/>', '<path/>'])).toBe('<g id="a&quot;b"><path/><path/></g>');
});

test('polyline moves to the first point and draws to the others', () => {
  expect(
    polyline([
      [0, 1],
      [2.5, 3],
      [4, 5.123456],
    ]),
  ).toBe('M0,1L2.5,3L4,5.12');
});

test('any text survives in SVG as text and as an attribute', () => {
  // Line breaks and tabs are left out because a reader of attributes turns them into spaces.
  const writable = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\p{Cc}\uFFFE\uFFFF]/gu, ''));
  fc.assert(
    fc.property(writable, (text) => {
      const root = new DOMParser().parseFromString(
        element('a', { b: text }, escapeXml(text)),
        'text/xml',
      ).documentElement!;
      expect(root.textContent).toBe(text);
      expect(root.getAttribute('b')).toBe(text);
    }),
    { examples: [['\u2028']] },
  );
});
