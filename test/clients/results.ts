import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** One capability of one client, tried against the server. */
export interface CapabilityResult {
  readonly client: string
  readonly version: string
  readonly language: string
  /** A few words; `*` for all of them where a toolchain or a package is not there. */
  readonly capability: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why, unless it passed. */
  readonly message?: string
}

/** Where a server that is ready says what it is, for a part of the suite. */
export interface TestServer {
  readonly readyFile: string
  /** A folder for a part's own files, which goes with the server. */
  readonly folder: string
}

/** The clients of one toolchain. */
export interface ClientSuite {
  readonly language: string
  readonly clients: readonly string[]
  /** Tries them all; throws `Absent` where the toolchain or a package is not there. */
  run(served: TestServer): Promise<readonly CapabilityResult[]>
}

/** Says that a part cannot run here, and why. */
export class Unavailable extends Error {}

/** The absolute path of a file of the project. */
export const projectPath = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The built command, as the recipes of docs/recipes/ start it. */
export const command = `${process.execPath} ${projectPath('dist/src/cli.js')}`

/** The combined listener of a server, as the recipes take one that runs already. */
export function urlOf({ readyFile }: TestServer): string {
  const { ports } = JSON.parse(readFileSync(readyFile, 'utf8'))
  return `http://127.0.0.1:${ports.control}`
}

/** Writes `test/clients/results.json`, which the compatibility page is made from. */
export function writeResults(results: readonly CapabilityResult[]): void {
  const sorted = [...results].sort(
    (a, b) => compare(a.client, b.client) || compare(a.capability, b.capability),
  )
  writeFileSync(projectPath('test/clients/results.json'), `${JSON.stringify(sorted, null, 2)}\n`)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
