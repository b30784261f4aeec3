import { checkEnv, CONTRACT } from '../envs/index.js';
import { required } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenEnv, envOperand } from './env-operand.js';
import { counted } from './result.js';

/** `psl check`: the contract of environments, tried on one. */
export const check = defineCommand({
  operands: {
    env: required(envOperand('The path of the module of your environment, such as ./my-env.ts, or the name of one.')),
  },

  async run({ env: given }, output) {
    const env = await chosenEnv('ENV', given);
    const problems = await checkEnv(env);
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
