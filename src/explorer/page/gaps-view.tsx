/**
 * How each preference is answered: for two objectives returns and regret over the weight, for three the regret in the
 * triangle of preferences, for more the regret over each weight.
 */
import { useMemo, useState } from 'preact/hooks';
import { drawable, linear, ticks, ticksAcross, widen, type Domain } from '../../plots/scale.js';
import { domainOf, formatNumber, MARGIN, nearestPoint, pathOf, Pickable, useSize, type Point } from './charts.js';
import { inkOf, objectiveColour, preferenceColour } from './colours.js';
import { percent } from './front.js';
import { stillPicked } from './front-props.js';
import {
  answersOf,
  answersOfSet,
  barsAround,
  bestFor,
  meanRegret,
  ownAnswersOf,
  regretsByWeight,
  worstOf,
  type Answer,
} from './gaps.js';
import type { Preference } from './messages.js';
import { CORNERS, HIGH, inTriangle, SIDE } from './simplex.js';
import { achieved, objectives, paneName, preferences, run, setPreference, theme } from './state.js';
import { evaluatedThen } from './time.js';
import { gapsLegend } from './words.js';

interface GapsProps {
  readonly width: number;
  readonly height: number;
  readonly answers: readonly Answer[];
  /** Whether they are those of a finite set, which has no regret. */
  readonly isFiniteSet: boolean;
  readonly picked: number | undefined;
  readonly onPick: (index: number | undefined) => void;
}

export function GapsView() {
  const { ref, width, height } = useSize<HTMLDivElement>();
  const [chosen, setPicked] = useState<number>();
  const current = run.value;
  const evaluated = evaluatedThen.value;
  const { answers, own } = useMemo(() => {
    if (current === undefined || evaluated === undefined) return { answers: [], own: undefined };
    const { isFiniteSet, referencePoint } = current;
    const all = (isFiniteSet ? answersOfSet : answersOf)(evaluated, referencePoint);
    return { answers: all, own: ownAnswersOf(evaluated, referencePoint) };
  }, [current, evaluated]);
  if (current === undefined) return null;
  const count = objectives.value.length;
  const Chart = count === 2 ? OverWeight : count === 3 ? InTriangle : OverEachWeight;
  const { isFiniteSet } = current;
  const picked = stillPicked(chosen, answers.length);
  const shown = picked === undefined ? undefined : answers[picked];
  return (
    <div class="gaps" data-dominated={answers.filter(({ isDominated }) => isDominated).length}>
      <div class="front-plot" ref={ref}>
        {width > 0 && answers.length > 0 && (
          <Chart {...{ width, height, answers, isFiniteSet, picked, onPick: setPicked }} />
        )}
      </div>
      <Summary answers={answers} own={own} isFiniteSet={isFiniteSet} />
      <div class="tooltip" role="status">
        {shown === undefined ? (
          <span class="muted">{answers.length > 0 && gapsLegend(count, isFiniteSet)}</span>
        ) : (
          <Details
            answer={shown}
            best={bestFor([...(own ?? []), ...answers], shown.preference)}
            isFiniteSet={isFiniteSet}
          />
        )}
      </div>
    </div>
  );
}

/** Shares of less than a tenth of a per cent are rounding. */
function share(regret: number): string {
  return regret < 0.0005 ? '0 %' : `${(100 * regret).toFixed(1)} %`;
}

function named(preference: Preference): string {
  return objectives.value
    .map(({ name }, k) => [name, preference[k]] as const)
    .filter(([, weight]) => weight > 0.005)
    .map(([name, weight]) => `${name} ${percent(weight)}`)
    .join(', ');
}

interface SummaryProps {
  readonly answers: readonly Answer[];
  /** Those by own policies, where others answer. */
  readonly own: readonly Answer[] | undefined;
  readonly isFiniteSet: boolean;
}

/** How well preferences are answered. */
function Summary({ answers, own, isFiniteSet }: SummaryProps) {
  if (answers.length === 0) return <p class="gaps-summary muted">Nothing has been evaluated yet.</p>;
  if (isFiniteSet) {
    const text = `A set of ${answers.length} policies: a preference is answered by the best of them, so it has no regret.`;
    return <p class="gaps-summary muted">{text}</p>;
  }
  const dominated = answers.filter(({ isDominated }) => isDominated).length;
  const worst = worstOf(answers);
  const calibrated = run.value?.answers;
  return (
    <p class="gaps-summary">
      <b>{dominated}</b> of {answers.length.toLocaleString('en')} preferences get a policy that another one of the set
      dominates. A preference loses <b>{share(meanRegret(answers))}</b> of its best utility on average
      {worst !== undefined && (
        <>
          , at worst{' '}
          <button class="inline" onClick={() => setPreference(worst.preference)} title="Take this preference">
            {share(worst.regret)} at {named(worst.preference)}
          </button>
        </>
      )}
      {calibrated !== undefined && own !== undefined && (
        <>
          . The policies of others answer <b>{calibrated.others}</b> (psl calibrate); with its own a preference lost{' '}
          <b>{share(meanRegret(own))}</b>
        </>
      )}
    </p>
  );
}

interface DetailsProps {
  readonly answer: Answer;
  /** The one whose utility is the largest at that preference. */
  readonly best: Answer | undefined;
  readonly isFiniteSet: boolean;
}

function Details({ answer, best, isFiniteSet }: DetailsProps) {
  const { preference, returns, isDominated, regret } = answer;
  const isBest = best === undefined || best === answer || (regret < 0.0005 && !isFiniteSet);
  return (
    <>
      <b>{named(preference)}</b>
      {objectives.value.map(({ name }, k) => (
        <span key={name}>
          {name} {formatNumber(returns[k])}
        </span>
      ))}
      <span>
        {isDominated ? 'dominated, ' : ''}
        {isBest
          ? 'nothing is better for it'
          : isFiniteSet
            ? `the policy of ${named(best.preference)} answers it`
            : `loses ${share(regret)} to the policy of ${named(best.preference)}`}
      </span>
    </>
  );
}

/** The highest regret that an axis has room for: something is always seen, and rounding is not. */
function regretDomain(answers: readonly Answer[]): Domain {
  return [0, Math.max(0.02, 1.1 * (worstOf(answers)?.regret ?? 0))];
}

const STRIP_GAP = 24;

/** Two objectives: what each preference gets of either, and what it may lose, over the weight of the first. */
function OverWeight({ width, height, answers, isFiniteSet, picked, onPick }: GapsProps) {
  const names = objectives.value;
  const x = linear(widen([0, 1], 0.02, 0.02), [MARGIN.left, width - MARGIN.right]);
  const across = answers.map(({ preference }) => x(preference[0]));
  const bottom = height - MARGIN.bottom;
  const high = (bottom - MARGIN.top + STRIP_GAP) / (isFiniteSet ? 2 : 3);
  const strips = [
    ...names.map(({ name, unit }, k) => ({
      name: unit === undefined ? name : `${name} (${unit})`,
      colour: objectiveColour(k, 2),
      domain: domainOf(answers.map(({ returns }) => returns[k])),
    })),
    ...(isFiniteSet
      ? []
      : [{ name: 'Regret (% of the best utility)', colour: 'var(--ink)', domain: regretDomain(answers) }]),
  ].map((strip, i) => {
    const top = MARGIN.top + i * high;
    return { ...strip, top, y: linear(strip.domain, [top + high - STRIP_GAP, top]) };
  });
  const regrets = strips.at(2);
  const bars = barsAround(across);
  return (
    <>
      <Pickable
        label={`${isFiniteSet ? 'Returns' : 'Returns and regret'} of ${answers.length} preferences over the weight of ${names[0].name}`}
        {...{ width, height, picked, onPick }}
        count={answers.length}
        nearest={(px) =>
          nearestPoint(
            across.map((at): Point => [at, 0]),
            px,
            0,
          )
        }
        onTake={(i) => setPreference(answers[i].preference)}
      >
        {answers.map(
          ({ isDominated }, i) =>
            isDominated && (
              <rect
                key={i}
                class="gap"
                x={bars[i][0]}
                width={bars[i][1] - bars[i][0]}
                y={MARGIN.top}
                height={bottom - MARGIN.top}
              />
            ),
        )}
        <g class="axes" aria-hidden="true">
          {strips.map(({ name, colour, domain, top, y }, k) => (
            <g key={name}>
              {ticks(domain, 2).map(({ value, label }) => (
                <g key={value}>
                  <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} />
                  <text x={MARGIN.left - 8} y={y(value) + 4} text-anchor="end">
                    {k === 2 ? formatNumber(100 * value, 0.1) : label}
                  </text>
                </g>
              ))}
              <text class="axis-name" x={4} y={top - 9} style={{ fill: k === 2 ? colour : inkOf(colour, theme.value) }}>
                ↑ {name}
              </text>
            </g>
          ))}
          {ticksAcross([0, 1], width - MARGIN.left - MARGIN.right, 11).map(({ value }) => (
            <text key={value} x={x(value)} y={bottom + 17} text-anchor="middle">
              {percent(value)}
            </text>
          ))}
          <text class="axis-name" x={width - MARGIN.right} y={height - 6} text-anchor="end">
            weight of {names[0].name} →
          </text>
        </g>
        {names.map(({ name }, k) => (
          <path
            key={name}
            class="front-line"
            d={pathOf(answers.map(({ returns }, i): Point => [across[i], strips[k].y(returns[k])]))}
          />
        ))}
        {answers.map((answer, i) => {
          const colour = preferenceColour(answer.preference);
          const look = answer.isDominated ? { fill: 'none', stroke: colour } : { fill: colour };
          return (
            <g key={i} class="answer">
              {names.map(({ name }, k) => (
                <circle
                  key={name}
                  cx={across[i]}
                  cy={strips[k].y(answer.returns[k])}
                  r={i === picked ? 5 : 2.6}
                  {...look}
                />
              ))}
              {regrets !== undefined && (
                <line
                  class="regret"
                  stroke-width={Math.max(1, bars[i][1] - bars[i][0] - 1)}
                  x1={across[i]}
                  x2={across[i]}
                  y1={regrets.y(0)}
                  y2={regrets.y(answer.regret)}
                />
              )}
            </g>
          );
        })}
      </Pickable>
      <OnStrips {...{ x, bottom }} strips={strips.slice(0, 2)} />
    </>
  );
}

interface OnStripsProps {
  readonly x: (weight: number) => number;
  readonly bottom: number;
  readonly strips: readonly { readonly y: (value: number) => number }[];
}

/** What is shown now, above the plot and apart from it, which stays as it is when a preference is dragged. */
function OnStrips({ x, bottom, strips }: OnStripsProps) {
  return (
    <>
      {preferences.value.map((preference, pane) => (
        <div key={pane} class="w-line" style={lineStyle(preference, x(preference[0]), MARGIN.top, bottom)}>
          {paneName(pane) !== '' && <b>{paneName(pane)}</b>}
        </div>
      ))}
      {preferences.value.flatMap((preference, pane) => {
        const reached = achieved.value[pane];
        if (reached?.returns.length !== strips.length) return [];
        const isStale = reached.preference.some((weight, k) => weight !== preference[k]);
        return strips.map(({ y }, k) => {
          const place = `translate(${x(reached.preference[0])}px, ${y(reached.returns[k])}px)`;
          const style = { transform: place, '--colour': preferenceColour(reached.preference) };
          const kind = isStale ? 'current stale' : 'current';
          return <div key={`${pane} ${k}`} class={kind} style={style} aria-hidden="true" />;
        });
      })}
    </>
  );
}

/** A line over a plot, at a preference that is shown. */
function lineStyle(preference: Preference, x: number, top: number, bottom: number) {
  return {
    transform: `translate(${x}px, ${top}px)`,
    height: `${bottom - top}px`,
    '--colour': preferenceColour(preference),
  };
}

/** Three objectives: a dot for each preference, the larger the more is lost there; nothing is at those of a finite set. */
function InTriangle({ width, height, answers, isFiniteSet, picked, onPick }: GapsProps) {
  const scale = Math.min((width - 40) / SIDE, (height - 60) / HIGH);
  const [left, top] = [(width - scale * SIDE) / 2, (height - scale * HIGH) / 2];
  const place = (preference: Preference): Point => {
    const [x, y] = inTriangle(preference);
    return [left + scale * x, top + scale * y];
  };
  const placed = answers.map(({ preference }) => place(preference));
  const [, most] = regretDomain(answers);
  const corners = CORNERS.map(([x, y]): Point => [left + scale * x, top + scale * y]);
  const room = (scale * SIDE) / Math.sqrt(8 * answers.length + 1);
  return (
    <>
      <Pickable
        label={`${isFiniteSet ? 'Policies' : 'Regret'} of ${answers.length} preferences in the triangle of three objectives`}
        {...{ width, height, picked, onPick }}
        count={answers.length}
        nearest={(x, y) => nearestPoint(placed, x, y)}
        onTake={(i) => setPreference(answers[i].preference)}
      >
        <g class="axes" aria-hidden="true">
          <path class="floor" d={`${pathOf(corners)}Z`} />
          {objectives.value.map(({ name }, k) => (
            <text
              key={name}
              class="axis-name"
              x={corners[k][0]}
              y={corners[k][1] + (k === 0 ? -10 : 20)}
              text-anchor={['middle', 'start', 'end'][k]}
              style={{ fill: inkOf(objectiveColour(k, 3), theme.value) }}
            >
              {name}
            </text>
          ))}
        </g>
        {answers.map(({ preference, isDominated, regret }, i) => {
          const colour = preferenceColour(preference);
          const look = isDominated ? { fill: 'var(--card)', stroke: colour } : { fill: colour };
          const [cx, cy] = placed[i];
          return (
            <g key={i} class="answer">
              {regret > 0.0005 && <circle class="lost" {...{ cx, cy }} r={room * (0.3 + (0.7 * regret) / most)} />}
              <circle {...{ cx, cy }} r={i === picked ? 6 : Math.min(4, room / 3)} {...look} />
            </g>
          );
        })}
      </Pickable>
      <InPlace place={place} />
    </>
  );
}

function InPlace({ place }: { place: (preference: Preference) => Point }) {
  return (
    <>
      {preferences.value.map((preference, pane) => {
        const [x, y] = place(preference);
        const style = { transform: `translate(${x}px, ${y}px)`, '--colour': preferenceColour(preference) };
        return (
          <div key={pane} class="current" style={style} aria-hidden="true">
            {paneName(pane) !== '' && <b>{paneName(pane)}</b>}
          </div>
        );
      })}
    </>
  );
}

/** More objectives: a small plot for each, with the regret of all preferences that give it a weight. */
function OverEachWeight({ width, height, answers }: GapsProps) {
  const names = objectives.value;
  const columns = width < 420 ? 2 : 3;
  const rows = Math.ceil(names.length / columns);
  const domain = regretDomain(answers);
  const [wide, high] = [width / columns, height / rows];
  const groups = useMemo(() => names.map((_, k) => regretsByWeight(answers, k)), [answers, names]);
  const boxes = names.map((_, k) => {
    const [left, top] = [wide * (k % columns) + 34, high * Math.floor(k / columns) + 22];
    const [right, bottom] = [left + wide - 44, top + high - 44];
    return { left, right, top, bottom, x: linear([0, 1], [left, right]), y: linear(drawable(domain), [bottom, top]) };
  });
  return (
    <>
      <svg class="plot" {...{ width, height }} role="img" aria-label="Regret over the weight of each objective">
        {names.map(({ name }, k) => {
          const { left, right, top, bottom, x, y } = boxes[k];
          const worst = groups[k].map((group): Point => [x(group.weight), y(group.worst)]);
          const mean = groups[k].map((group): Point => [x(group.weight), y(group.mean)]);
          return (
            <g key={name} class="curve" style={{ color: objectiveColour(k, names.length) }}>
              <g class="axes">
                {ticks(domain, 2).map(({ value }) => (
                  <g key={value}>
                    <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
                    <text x={left - 5} y={y(value) + 4} text-anchor="end">
                      {formatNumber(100 * value, 0.1)} %
                    </text>
                  </g>
                ))}
                <text
                  class="axis-name"
                  x={left}
                  y={top - 8}
                  style={{ fill: inkOf(objectiveColour(k, names.length), theme.value) }}
                >
                  {name}
                </text>
                <text x={left} y={bottom + 14} text-anchor="middle">
                  0
                </text>
                <text x={right} y={bottom + 14} text-anchor="end">
                  weight 1
                </text>
              </g>
              <path class="band" d={`${pathOf([[x(0), y(0)], ...worst, [worst.at(-1)?.[0] ?? x(1), y(0)]])}Z`} />
              <path class="mean" d={pathOf(mean)} />
            </g>
          );
        })}
      </svg>
      <InBoxes boxes={boxes} />
    </>
  );
}

interface Box {
  readonly x: (weight: number) => number;
  readonly top: number;
  readonly bottom: number;
}

function InBoxes({ boxes }: { boxes: readonly Box[] }) {
  return (
    <>
      {preferences.value.flatMap((preference, pane) =>
        boxes.map(({ x, top, bottom }, k) => (
          <div key={`${pane} ${k}`} class="w-line" style={lineStyle(preference, x(preference[k]), top, bottom)} />
        )),
      )}
    </>
  );
}
