// What the executable starts with: the command, or the solver that the command forks, which is the same file.
const { setFlagsFromString } = require('node:v8');
const { getAsset } = require('node:sea');

const [, , ...args] = process.argv;
// As src/planner/solver-process.ts forks it, with the options of Node.js before the program: an executable gets them as arguments.
const isSolver = process.send !== undefined && args.at(-1) === process.execPath;
if (isSolver) for (const flag of args.slice(0, -1)) setFlagsFromString(flag);
// The name that it was called by, which a link of kubectl's plugin has.
process.argv[1] = process.argv0;
const name = isSolver ? 'demand-solver' : 'gpu-partition';
const { runInThisContext } = require('node:vm');
runInThisContext(`(function (require) {${getAsset(name, 'utf8')}\n})`, { filename: `${name}.cjs` })(require);
