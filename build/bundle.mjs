// Bundles the programs into dist/, or into the given folder.
// Bundling saves memory: the agent takes half of what it takes from source.
import { build } from 'esbuild';
import { chmod, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pageText } from '../src/ui/page-text.ts';
import { writeNotices } from './notices.mjs';

const root = new URL('../', import.meta.url);
// A third of its size, and a file less to lose.
const highs = gzipSync(await readFile(fileURLToPath(import.meta.resolve('highs/runtime'))), { level: 9 }).toString(
  'base64',
);
const { version, engines } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const [, oldestMajor, oldestMinor] = /^>=(\d+)\.(\d+)$/.exec(engines.node);

/** Ends a program on an outdated Node with a message instead of a fault at its first connection. */
const demandNode = `{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < ${oldestMajor} || (major === ${oldestMajor} && minor < ${oldestMinor})) {
    console.error(\`error: this program needs Node.js ${oldestMajor}.${oldestMinor} or newer, and \${process.execPath} is \${process.versions.node}: install a newer one, or take the executable gpu-partition of the release, which needs none\`);
    process.exit(2);
  }
}`;

/** Loaded when they are first used: hardly a pod reads YAML, or has a kubeconfig with an auth-provider. */
const loadedWhenUsed = /^(yaml|openid-client|jsonpath-plus)$/;

/** Each of these replaces a package, or a part of one; see also the files that it names. */
const narrowPackages = {
  name: 'narrow-packages',
  setup({ onResolve, onLoad }) {
    const inBuild = (file) => new URL(`build/${file}`, root).pathname;
    onResolve({ filter: /^@kubernetes\/client-node$/ }, ({ importer }) =>
      importer.includes('@dot-i/k8s-operator')
        ? { path: inBuild('client-node-for-operator.mjs') }
        : { path: fileURLToPath(new URL('config.js', import.meta.resolve('@kubernetes/client-node'))) },
    );
    // Of client-node only KubeConfig is used, and not the thousands of generated models beside it: reading them would take most of the time.
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'narrow',
      pluginData: resolveDir,
    }));
    onLoad({ filter: /gen\/index\.js$/, namespace: 'narrow' }, ({ pluginData }) => ({
      contents: "export * from './gen/configuration.js'; export * from './gen/servers.js';",
      resolveDir: pluginData,
    }));
    onResolve({ filter: /^undici$/ }, () => ({ path: inBuild('undici-for-clients.mjs') }));
    onResolve({ filter: /^node-fetch$/ }, () => ({ path: inBuild('node-fetch-for-operator.mjs') }));
    onResolve({ filter: /^(hpagent|socks|socks-proxy-agent)$/ }, () => ({
      path: inBuild('proxies-for-client-node.mjs'),
    }));
    // src/kube/kubeconfig.ts has read the YAML, and client-node gets JSON.
    onResolve({ filter: /^js-yaml$/ }, ({ path }) => ({ path, namespace: 'narrow' }));
    onLoad({ filter: /^js-yaml$/, namespace: 'narrow' }, () => ({ contents: 'export const load = JSON.parse;' }));
    // A copy of the streams of an old Node.js, for winston.
    onResolve({ filter: /^readable-stream/ }, ({ path }) => ({ path, namespace: 'narrow' }));
    onLoad({ filter: /^readable-stream/, namespace: 'narrow' }, ({ path }) => {
      const part = { 'readable-stream': '', 'readable-stream/lib/_stream_writable.js': '.Writable' }[path];
      return { contents: `module.exports = require('node:stream')${part};` };
    });
    onResolve({ filter: loadedWhenUsed }, ({ path, namespace }) =>
      namespace === 'narrow' ? undefined : { path, namespace: 'narrow' },
    );
    onLoad({ filter: loadedWhenUsed, namespace: 'narrow' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => !['default', 'module.exports'].includes(name));
      const getters = names.map((name) => `get ${name}() { return require('${path}').${name}; }`);
      return { contents: `module.exports = { ${getters.join(', ')} };`, resolveDir: root.pathname };
    });
  },
};

/**
 * An ES import of a module of Node.js reads every export. One of `node:http` is WebSocket, for which Node.js loads all of its undici: 70 ms
 * of a start, and memory. Required, a module is loaded without its lazy parts.
 */
const requireBuiltins = {
  name: 'require-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_0-9/]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

const outdir = process.argv[2] ?? 'dist';

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root.pathname,
  bundle: true,
  platform: 'node',
  minifySyntax: true,
  // V8 keeps the source text, at two bytes a character if a single one is not Latin-1: comments of dependencies have some.
  // Names stay, and lines stay short enough, for a stack trace to be read.
  minifyWhitespace: true,
  lineLimit: 200,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [narrowPackages, requireBuiltins],
};
const define = {
  GPU_PARTITION_VERSION: JSON.stringify(version),
  GPU_PARTITION_PAGE: JSON.stringify(pageText),
  GPU_PARTITION_HIGHS: JSON.stringify(highs),
  // As in the undici of Node.js: without a second parser of HTTP, which is experimental and 160 kB of text in each program.
  esbuildDetection: 'true',
};

const { metafile } = await build({
  ...common,
  entryPoints: {
    'gpu-partition': 'src/cli/main.ts',
    controller: 'src/controller/main.ts',
    agent: 'src/agent/main.ts',
    'demand-solver': 'src/planner/main.ts',
    'nvidia-smi-sim': 'src/simulator/nvidia-smi/main.ts',
    'device-plugin-sim': 'src/simulator/device-plugin/main.ts',
    'dra-driver-sim': 'src/simulator/dra-driver/main.ts',
  },
  outdir,
  outExtension: { '.js': '.mjs' },
  // Not the oldest that it runs on: an outdated Node must parse the file to print what it lacks.
  target: 'node18',
  format: 'esm',
  sourcemap: 'linked',
  metafile: true,
  define: { ...define, GPU_PARTITION_SOLVER: JSON.stringify('./demand-solver.mjs') },
  // CommonJS parts of an ES module bundle call require.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as __createRequire } from 'node:module';",
      demandNode,
      'const require = __createRequire(import.meta.url);',
    ].join('\n'),
  },
});
// The parts of the executable, see executable.mjs: Node.js 24 starts it with CommonJS only. It is its own solver.
await build({
  ...common,
  entryPoints: { 'gpu-partition': 'src/cli/main.ts', 'demand-solver': 'src/planner/main.ts' },
  outdir: `${outdir}/executable`,
  outExtension: { '.js': '.cjs' },
  target: 'node24',
  format: 'cjs',
  // The solver is run as a script, which can require but not import.
  supported: { 'dynamic-import': false },
  define: { ...define, GPU_PARTITION_SOLVER: JSON.stringify(''), 'import.meta.url': '__executable' },
  banner: { js: "const __executable = require('node:url').pathToFileURL(process.execPath).href;" },
  // What reads other parts of import.meta is for a run from source.
  logOverride: { 'empty-import-meta': 'silent' },
});
// Linked into PATH it is a command, and a plugin that kubectl finds.
await chmod(new URL(`${outdir}/gpu-partition.mjs`, root), 0o755);
await writeNotices(Object.keys(metafile.inputs), new URL(`${outdir}/NOTICES.txt`, root));
