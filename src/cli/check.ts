import { checkEnv, CONTRACT, envModule } from '../envs/index.js';
import { typeErrors } from '../typescript/index.js';
import { required } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenEnv, envOperand } from './env-operand.js';
import { EvaluationLine } from './progress.js';
import { counted } from './result.js';

/** `psl check`: the contract of environments, tried on one, and its types. */
export const check = defineCommand({
  operands: {
    env: required(envOperand('The path of the module of your environment, such as ./my-env.ts, or the name of one.')),
  },

  async run({ env: given }, output) {
    const env = await chosenEnv('ENV', given);
    const module = envModule(env);
    const line = new EvaluationLine(output.human, 'checking');
    const types = module === undefined ? [] : typeErrors(new URL(module));
    const problems = [
      ...types.map((clause) => ({ rule: 'types', problem: `${clause}.`, options: {} })),
      ...(await checkEnv(env, (share) => line.evaluating(share))),
    ];
    line.clear();
    output.report([
      ...problems.map(({ rule, problem, options }) => {
        const chosen = Object.entries(options).map(([name, value]) => `, with ${name}=${String(value)}`);
        return `${rule}${chosen.join('')}: ${problem}`;
      }),
      problems.length === 0
        ? `${env} keeps all ${CONTRACT.length} rules of environments`
        : `${env} has ${counted(problems.length, 'problem')}`,
    ]);
    return { env, problems };
  },

  isBad: ({ problems }) => problems.length > 0,
});
