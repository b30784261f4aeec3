/** What all of this is, for somebody who has never seen it: keys, the run that is shown, and words. */
import { useEffect, useRef } from 'preact/hooks';
import { isHelping, run } from './state.js';
import { budgetWords, gistOf, hypervolumeOf, keptWords, protocolWords, statusOf } from './words.js';

const DOCUMENTATION = 'https://www.npmjs.com/package/psl-morl';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['← → ↑ ↓', 'move the preference; with Shift in larger steps'],
  ['Space', 'pauses and goes on'],
  ['.', 'takes one step'],
  ['R', 'goes back to the start'],
  ['C', 'compares two preferences'],
  ['F', 'opens and closes a fan: policies of the whole front at once'],
  ['G', 'shows B as a ghost in the picture of A'],
  ['V', 'puts the camera back to where it was at first'],
  ['L', 'lets the camera follow the robot, or stand still'],
  ['Tab, ↑ ↓', 'on an axis of many: keep policies from there on, with Shift up to there; Delete keeps all'],
  ['?', 'opens and closes this'],
];

const WORDS: readonly (readonly [word: string, means: string])[] = [
  ['objective', 'what is wanted, as one number of the reward'],
  ['preference w', 'how much each objective counts: weights that sum to one'],
  ['return', 'what an episode earns, a number for each objective'],
  ['utility', 'the return times the preference: one number, to be as large as can be'],
  ['dominated', 'another policy is no worse in any objective, and better in one'],
  ['front', 'the returns that no other policy dominates'],
  ['Pareto set', 'the policies behind a front'],
  ['hypervolume', 'how much of the space above the reference point a front dominates'],
  [
    'regret',
    'the share of the utility that a preference loses by the policy that answers it, against the best of the set',
  ],
  ['θ(w)', 'the parameters of the policy at a preference, which a hypernetwork makes'],
];

export function HelpButton() {
  return (
    <button class="icon" onClick={() => (isHelping.value = true)} aria-label="Help" title="Keys and words (?)">
      ?
    </button>
  );
}

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelping.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => (isHelping.value = false);
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-labelledby="help-title"
      onClose={close}
      // What is outside of its content is the dialog itself.
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      {isOpen && (
        <div>
          <header>
            <h2 id="help-title">{run.value === undefined ? 'A Pareto set, alive' : gistOf(run.value)}</h2>
            <button class="icon" onClick={close} aria-label="Close" autofocus>
              ✕
            </button>
          </header>
          <p>
            One trained model holds a policy for every preference. What moves here is that policy, played in this
            browser; what it returns is a point of the front. The{' '}
            <a href={DOCUMENTATION} target="_blank" rel="noreferrer">
              documentation of psl-morl
            </a>{' '}
            has the whole story.
          </p>
          <About />
          <h3>Keys</h3>
          <Pairs rows={KEYS} isKeys />
          <h3>Words</h3>
          <Pairs rows={WORDS} />
        </div>
      )}
    </dialog>
  );
}

/** The run that is shown: how it came about and how good it is. */
function About() {
  const current = run.value;
  if (current === undefined) return null;
  const { env, method, seed } = current;
  const hypervolume = hypervolumeOf(current);
  const rows: [string, string][] = [
    ['Environment', env.summary === '' ? env.id : `${env.id}: ${env.summary}`],
    ['Method', `${method.algorithm}, preset ${method.preset}, seed ${seed}, ${statusOf(current)}`],
    ['Budget', budgetWords(current)],
    ['Protocol', protocolWords(current)],
    ...(hypervolume === undefined
      ? []
      : [['Hypervolume', `${hypervolume}, of ${keptWords(current)}`] as [string, string]]),
  ];
  return (
    <>
      <h3>This run</h3>
      <Pairs rows={rows} />
    </>
  );
}

interface PairsProps {
  readonly rows: readonly (readonly [string, string])[];
  readonly isKeys?: boolean;
}

function Pairs({ rows, isKeys = false }: PairsProps) {
  return (
    <dl class="pairs">
      {rows.map(([name, text]) => (
        <div key={name}>
          <dt>{isKeys ? <kbd>{name}</kbd> : name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
