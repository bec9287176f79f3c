import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { fileOf, readDocument } from '../files.ts'

/** Commands of a document. The commands run in a folder with the document's files. */
interface DocumentedCommands {
  /** Required tool in addition to Node, a key of `probes`; empty if none is required. */
  readonly tool: string
  readonly commands: string
  /** Lines that the output contains, in this order. */
  readonly expectedLines: readonly string[]
}

const filePattern = /<!-- file (\S+) -->\n```\w*\n([\s\S]*?)```/g
const commandsPattern = /<!-- execute ?(\w*) -->\n```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g

/** Returns the files that a document instructs its readers to write, by name. */
export function filesOf(document: string): readonly (readonly [name: string, text: string])[] {
  return [...readDocument(document).matchAll(filePattern)].map(([, name = '', text = '']) => [
    name,
    text,
  ])
}

/** Returns the commands of a document in order. */
export function documentedCommands(document: string): readonly DocumentedCommands[] {
  return [...readDocument(document).matchAll(commandsPattern)].map(
    ([, tool = '', commands = '', expectedLines = '']) => ({
      tool,
      commands,
      expectedLines: expectedLines.trim().split('\n'),
    }),
  )
}

/**
 * Commands by tool. A command fails if its tool is not installed. If the tool is a Go module, the
 * command downloads the module.
 */
const probes: Readonly<Record<string, string>> = {
  '': 'true',
  curl: 'curl --version',
  python: 'python --version',
  pytest: 'python -m pytest --version',
  hvac: 'python -c "import hvac, pytest"',
  consul: 'python -c "import consul, pytest"',
  consulgo: 'go mod download github.com/hashicorp/consul/api@v1.33.0',
  nomad: 'python -c "import nomad, pytest"',
  bao: 'bao version',
  gotest: 'go version',
  go: 'go mod download github.com/hashicorp/vault/api@v1.23.0',
  approle: 'go mod download github.com/hashicorp/vault/api/auth/approle@v0.12.0',
}

/**
 * Returns true if a tool is installed. `UNDERSTUDY_TOOLS` names folders to search in addition to
 * the usual ones.
 */
export function isInstalled(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', probes[tool] ?? tool], {
      stdio: 'ignore',
      env: environment(''),
      cwd: tmpdir(),
    })
    return true
  } catch {
    return false
  }
}

function environment(bin: string): NodeJS.ProcessEnv {
  const path = [bin, process.env['UNDERSTUDY_TOOLS'], process.env['PATH']]
  return {
    HOME: process.env['HOME'],
    GOFLAGS: '-mod=mod',
    NO_COLOR: '1',
    PATH: path.filter((each) => each !== undefined && each !== '').join(':'),
  }
}

/** Folder outside this project, which is removed at the end of a `using` block. */
interface Sandbox {
  readonly folder: string
  [Symbol.dispose](): void
}

/**
 * Creates a folder as a reader of the document would, with the package installed and the document's
 * files written. For documents other than the README, a one-line script replaces npm's npx, which
 * takes half a second to start.
 */
export function sandboxFor(document: string): Sandbox {
  const sandbox = sandboxWith(filesOf(document))
  if (document !== 'README.md') {
    const npx = join(sandbox.folder, 'node_modules/.bin/npx')
    writeFileSync(npx, '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  }
  return sandbox
}

/**
 * Creates a folder with the package, vitest and node-vault installed, and writes files by name.
 * Makes the built command executable.
 */
export function sandboxWith(files: Iterable<readonly [name: string, text: string]>): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-walk-'))
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  for (const name of ['vitest', 'node-vault']) {
    symlinkSync(fileOf(`node_modules/${name}`), join(folder, 'node_modules', name))
  }
  symlinkSync(fileOf('.'), join(folder, 'node_modules/infra-understudy'))
  symlinkSync(fileOf('dist/src/cli.js'), join(bin, 'infra-understudy'))
  symlinkSync(fileOf('node_modules/vitest/vitest.mjs'), join(bin, 'vitest'))
  chmodSync(fileOf('dist/src/cli.js'), 0o755)
  for (const [name, text] of files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

/**
 * Runs commands in a folder. Returns standard output, then standard error. Rejects if a command
 * fails, or if the commands take more than 170 seconds; the error has the output.
 */
export async function runCommands(folder: string, commands: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', commands], {
    cwd: folder,
    env: environment(join(folder, 'node_modules/.bin')),
    timeout: 170_000,
  })
  return stdout + stderr
}
