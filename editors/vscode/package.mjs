// Builds the .vsix for this platform, including the server:
// node package.mjs BINARY [OUT.vsix] [--for-this-machine] [--pre-release] BINARY is the program of
// the preset `package`. It must not need any library, so that it runs on every Linux;
// --for-this-machine accepts any program. --pre-release marks the .vsix as such for the
// marketplaces.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const [binary, out = `agent-doc-${process.platform}-${process.arch}.vsix`] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'));
const known = ['--for-this-machine', '--pre-release'];
if (!binary || options.some((option) => !known.includes(option))) {
  console.error('usage: node package.mjs BINARY [OUT.vsix] [--for-this-machine] [--pre-release]');
  process.exit(2);
}
if (!existsSync(binary)) {
  console.error(
    `there is no program ${binary}: make it by ` +
      '`cmake --preset package && cmake --build --preset package`',
  );
  process.exit(1);
}
if (process.platform === 'linux' && !options.includes('--for-this-machine'))
  refuseUnlessSelfContained(binary);

function refuseUnlessSelfContained(program) {
  const dynamic = execFileSync('readelf', ['--wide', '--dynamic', program], { encoding: 'utf8' });
  const needed = [...dynamic.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
  if (needed.length === 0) return;
  console.error(
    `${program} would not run on other systems: it needs ${needed.join(', ')}. ` +
      'Take the one of `cmake --preset package && cmake --build --preset package`, or package it with --for-this-machine.',
  );
  process.exit(1);
}
const folder = import.meta.dirname;
const tool = (name) => path.join(folder, 'node_modules', '.bin', name);
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });

rmSync(path.join(folder, 'bin'), { recursive: true, force: true });
mkdirSync(path.join(folder, 'bin'));
const server = path.join(
  folder,
  'bin',
  process.platform === 'win32' ? 'agent-doc.exe' : 'agent-doc',
);
copyFileSync(binary, server);
chmodSync(server, 0o755);

for (const name of ['LICENSE', 'NOTICES.md'])
  copyFileSync(path.join(folder, '../..', name), path.join(folder, name));

run('npm', 'run', '--silent', 'check');
run('npm', 'run', '--silent', 'bundle');
const target = `${process.platform}-${process.arch}`;
const more = options.includes('--pre-release') ? ['--pre-release'] : [];
run(
  tool('vsce'),
  'package',
  '--target',
  target,
  '--no-dependencies',
  '--allow-missing-repository',
  '--no-rewrite-relative-links',
  ...more,
  '--out',
  path.resolve(out),
);
