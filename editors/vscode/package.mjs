// Makes the .vsix for this platform, with the server in it:
//   node package.mjs BINARY [OUT.vsix] [--for-this-machine] [--pre-release]
// BINARY is that of the preset `package`: it must need nothing but the C library, and not a newer one than kNewestLibrary, or it is refused. Any binary will do
// with --for-this-machine. --pre-release marks it as one for the marketplaces. The licence of the repository goes with it.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

// The C library of the oldest systems that editors/vscode/README.md names.
const kNewestLibrary = [2, 35];
const kCLibrary = /^(libc|libm|libpthread|libdl|librt|ld-linux-[-a-z0-9_]+)\.so\.\d+$/;

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const [binary, out = `agent-doc-${process.platform}-${process.arch}.vsix`] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const known = ['--for-this-machine', '--pre-release'];
if (!binary || options.some((option) => !known.includes(option))) {
  console.error('usage: node package.mjs BINARY [OUT.vsix] [--for-this-machine] [--pre-release]');
  process.exit(2);
}
if (!existsSync(binary)) {
  console.error(`there is no program ${binary}: make it by \`cmake --preset package && cmake --build --preset package\``);
  process.exit(1);
}
if (process.platform === 'linux' && !options.includes('--for-this-machine')) refuseUnlessSelfContained(binary);

function refuseUnlessSelfContained(program) {
  const read = (what) => execFileSync('readelf', ['--wide', what, program], { encoding: 'utf8' });
  const needed = [...read('--dynamic').matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
  const foreign = needed.filter((name) => !kCLibrary.test(name));
  const versions = [...read('--version-info').matchAll(/Name: GLIBC_(\d+)\.(\d+)/g)].map(([, major, minor]) => [Number(major), Number(minor)]);
  const [newest] = versions.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const isNewer = newest !== undefined && (newest[0] - kNewestLibrary[0] || newest[1] - kNewestLibrary[1]) > 0;
  console.log(`${program} needs ${needed.join(', ')}; the C library of version ${newest?.join('.') ?? 'any'} or newer`);
  if (foreign.length === 0 && !isNewer) return;
  const why = foreign.length > 0 ? `it needs ${foreign.join(', ')}` : `it needs a newer C library than ${kNewestLibrary.join('.')}`;
  console.error(`${program} would not run on other systems: ${why}. Take the one of \`cmake --preset package && cmake --build --preset package\`, or package it with --for-this-machine.`);
  process.exit(1);
}
const folder = import.meta.dirname;
const tool = (name) => path.join(folder, 'node_modules', '.bin', name);
const run = (program, ...args) => execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });

rmSync(path.join(folder, 'bin'), { recursive: true, force: true });
mkdirSync(path.join(folder, 'bin'));
const server = path.join(folder, 'bin', process.platform === 'win32' ? 'agent-doc.exe' : 'agent-doc');
copyFileSync(binary, server);
chmodSync(server, 0o755);

run('npm', 'run', '--silent', 'check');
run('npm', 'run', '--silent', 'bundle');
const target = `${process.platform}-${process.arch}`;
const licence = path.join(folder, '..', '..', 'LICENSE');
if (existsSync(licence)) copyFileSync(licence, path.join(folder, 'LICENSE'));
const more = [...(existsSync(licence) ? [] : ['--skip-license']), ...(options.includes('--pre-release') ? ['--pre-release'] : [])];
run(tool('vsce'), 'package', '--target', target, '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', ...more, '--out', path.resolve(out));
