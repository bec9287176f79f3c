import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare, run } from '../clients/process.ts'

/** Time limit for one command, in milliseconds. */
const limit = 180_000

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Name of a check, and the reason why it failed, if it did. */
export interface CheckResult {
  readonly what: string
  readonly failure?: string | undefined
}

/** Temporary directory outside this project that acts as a user's project. */
export class PackageSandbox {
  readonly folder: string
  readonly tarball: string

  constructor(folder: string, tarball: string) {
    this.folder = folder
    this.tarball = tarball
    mkdirSync(folder, { recursive: true })
    this.write({ 'package.json': '{"private": true}' })
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true })
      writeFileSync(join(this.folder, path), text)
    }
  }

  /**
   * Installs the tarball and further packages. Throws `Unavailable` if the registry does not
   * answer.
   */
  async install(...more: readonly string[]): Promise<void> {
    const argv = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=dev']
    await prepare('npm', [...argv, this.tarball, ...more], { cwd: this.folder, limit })
  }

  /** Runs a command, and expects exit code 0 and the expected text in its output. */
  async try(
    what: string,
    [command, ...argv]: readonly [string, ...string[]],
    expected = '',
  ): Promise<CheckResult> {
    const { code, stdout, stderr } = await run(command, argv, { cwd: this.folder, limit })
    const printed = `${stdout}\n${stderr}`
    if (code === 0 && printed.includes(expected)) return { what }
    return { what, failure: `code ${code}\n${printed.trim().slice(-2000)}` }
  }

  /** Runs a Node program as `try` runs a command. */
  node(what: string, argv: readonly string[], expected?: string): Promise<CheckResult> {
    return this.try(what, [process.execPath, ...argv], expected)
  }
}

/** Packs the built project into a folder and returns the tarball's path. */
export async function pack(folder: string): Promise<string> {
  const argv = ['pack', '--ignore-scripts', '--json', '--offline', '--pack-destination', folder]
  const { stdout } = await prepare('npm', argv, { cwd: root, limit })
  const [{ filename }] = JSON.parse(stdout)
  return join(folder, filename)
}
