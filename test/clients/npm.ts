import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './process.ts'
import { type CapabilityResult, type ClientSuite, projectPath, type TestServer } from './results.ts'

/** npm packages, by the path prefix of their tests. */
const packages = new Map([
  ['test/wire/secrets/node-vault', 'node-vault'],
  ['test/clients/node/consul', 'consul'],
])

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

/** Suite of the npm clients, which also runs in `npm test`. Each test starts its own server. */
export const npmSuite: ClientSuite = {
  language: 'JavaScript',
  clients: [...packages.values()],
  run: runNpm,
}

async function runNpm({ folder }: TestServer): Promise<readonly CapabilityResult[]> {
  const file = join(folder, 'npm.json')
  const vitest = projectPath('node_modules/vitest/vitest.mjs')
  const argv = [vitest, 'run', ...packages.keys(), '--reporter=json', `--outputFile=${file}`]
  const { stderr } = await run(process.execPath, argv, { cwd: projectPath('.'), limit: 100_000 })
  if (!existsSync(file)) throw new Error(`vitest told nothing:\n${stderr}`)
  return resultsIn(file, (name) => {
    const [, client = name] = [...packages].find(([path]) => name.includes(path)) ?? []
    return { client, version: versionOf(client) }
  })
}

/**
 * Returns the results in a report of the JSON reporter of vitest or jest.
 *
 * @param clientOf returns the client that a test file covers
 */
export function resultsIn(
  file: string,
  clientOf: (name: string) => Pick<CapabilityResult, 'client' | 'version'>,
): readonly CapabilityResult[] {
  const { testResults }: Report = JSON.parse(readFileSync(file, 'utf8'))
  return testResults.flatMap(({ name, assertionResults }) => {
    const { client, version } = clientOf(name)
    return assertionResults.map(({ ancestorTitles, title, status, failureMessages = [] }) => {
      const outcome = status === 'passed' || status === 'failed' ? status : 'skipped'
      const message = failureMessages[0]?.split('\n')[0] ?? status
      return {
        client,
        version,
        language: 'JavaScript',
        capability: [...ancestorTitles, title].join(': '),
        outcome,
        ...(outcome === 'passed' ? {} : { message }),
      }
    })
  })
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(projectPath(`node_modules/${name}/package.json`), 'utf8')).version
}
