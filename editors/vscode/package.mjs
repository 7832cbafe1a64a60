// Makes the .vsix for this platform, with the server in it:
//   node package.mjs BINARY [OUT.vsix]
// The binary is taken as it is, and runs where its shared libraries are: on Debian 12, with the packages of scripts/setup.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const [binary, out = `agent-doc-${process.platform}-${process.arch}.vsix`] = process.argv.slice(2);
if (!binary) {
  console.error('usage: node package.mjs BINARY [OUT.vsix]');
  process.exit(2);
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
run(tool('vsce'), 'package', '--target', target, '--no-dependencies', '--skip-license', '--allow-missing-repository', '--out', path.resolve(out));
