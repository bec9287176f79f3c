import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withAgents } from './agents.ts'
import { meshSuiteSkipped } from './mesh-suite.ts'
import { platformClient, runPlatformSuite } from './platform-suite.ts'
import { prepare, run } from './process.ts'
import {
  type CapabilityResult,
  type ClientSuite,
  command,
  projectPath,
  type TestServer,
  Unavailable,
  urlOf,
} from './results.ts'

const folder = projectPath('test/clients/go')

/** Go modules of the clients, by the test package that covers them. */
const modules = new Map([
  ['vault', 'github.com/hashicorp/vault/api'],
  // The login helpers of the Vault client.
  ['logins', 'github.com/hashicorp/vault/api'],
  ['openbao', 'github.com/openbao/openbao/api/v2'],
  ['tfe', platformClient],
  ['consul', 'github.com/hashicorp/consul/api'],
  ['nomad', 'github.com/hashicorp/nomad/api'],
  // docs/recipes/understudy_test.go, which the other packages use to find the server.
  ['recipe', 'github.com/hashicorp/vault/api'],
])

interface Event {
  readonly Action: string
  readonly Package?: string
  readonly Test?: string
  readonly Output?: string
}

const outcomes = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
] as const)

/** Suite of the Go clients, whose modules come from the cache or the network. */
export const goSuite: ClientSuite = {
  language: 'Go',
  clients: [...new Set(modules.values())],
  run: runGo,
}

/**
 * Generates the tests of the open fork's client from those of the original, because both clients
 * have one API.
 */
async function writeForkTests(): Promise<void> {
  await mkdir(join(folder, 'openbao'), { recursive: true })
  for (const name of await readdir(join(folder, 'vault'))) {
    const origin = await readFile(join(folder, 'vault', name), 'utf8')
    const changes = [
      [
        /^(?:\/\/.*\n)?package vault\n/,
        `// Code generated from vault/${name}. DO NOT EDIT.\npackage openbao\n`,
      ],
      [`"${modules.get('vault')}"`, `"${modules.get('openbao')}"`],
    ] as const
    const fork = changes.reduce((text, [old, now]) => text.replace(old, now), origin)
    await writeFile(join(folder, 'openbao', name.replace('vault', 'openbao')), fork)
  }
}

async function runGo(served: TestServer): Promise<readonly CapabilityResult[]> {
  const { readyFile } = served
  await writeForkTests()
  const recipe = 'understudy_test.go'
  await copyFile(projectPath(`docs/recipes/${recipe}`), join(folder, 'recipe', recipe))
  await prepare('go', ['mod', 'download'], { cwd: folder, limit: 60_000 })
  const { stdout: listed } = await prepare(
    'go',
    ['list', '-m', '-f', '{{.Path}} {{.Version}}', ...modules.values()],
    { cwd: folder, limit: 30_000 },
  )
  const versions = new Map(
    listed
      .trim()
      .split('\n')
      .map((line) => line.split(' ', 2) as [string, string]),
  )
  const { stdout, stderr } = await run('go', ['test', '-count=1', '-json', './...'], {
    cwd: folder,
    env: { UNDERSTUDY_READY: readyFile, INFRA_UNDERSTUDY_COMMAND: command },
    limit: 100_000,
  })
  const running = await run('go', ['test', '-count=1', '-json', './recipe'], {
    cwd: folder,
    env: { UNDERSTUDY_URL: urlOf(served) },
    limit: 30_000,
  })
  const results = [
    ...resultsOf(eventsIn(stdout), versions),
    ...resultsOf(eventsIn(running.stdout), versions).map((result) => ({
      ...result,
      capability: `${result.capability}, with a server that runs already`,
    })),
  ]
  if (results.length === 0) throw new Error(`go test ran nothing:\n${stdout}${stderr}`)
  return [
    ...results,
    ...(await runPlatformSuite(versions.get(platformClient) ?? '')),
    ...(await meshResults(served.folder, versions)),
  ]
}

/** A client's own test suite, which is in the module cache. */
interface UpstreamSuite {
  readonly client: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Time limit in milliseconds. */
  readonly limit: number
}

/**
 * Runs the supported part of the mesh client's own suite, which starts an agent for every test. The
 * suite takes some minutes, so it is off unless `UNDERSTUDY_CONSUL_SUITE` is 1.
 */
async function meshResults(
  folder: string,
  versions: ReadonlyMap<string, string>,
): Promise<readonly CapabilityResult[]> {
  if (process.env['UNDERSTUDY_CONSUL_SUITE'] !== '1') return []
  const argv = ['-timeout=400s', '-parallel=12', '-run=.', `-skip=${meshSuiteSkipped}`]
  return withAgents(folder, (bin) => {
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    const suite = { client: modules.get('consul') ?? '', argv, env, limit: 500_000 }
    return upstreamResults(suite, versions)
  })
}

async function upstreamResults(
  { client, argv, env, limit }: UpstreamSuite,
  versions: ReadonlyMap<string, string>,
): Promise<readonly CapabilityResult[]> {
  const result = { client, version: versions.get(client) ?? '', language: 'Go' }
  try {
    const { stdout: cwd } = await prepare('go', ['list', '-m', '-f', '{{.Dir}}', client], {
      cwd: folder,
      limit: 30_000,
    })
    const call = ['test', '-count=1', '-json', ...argv, '.']
    const { stdout } = await run('go', call, { cwd: cwd.trim(), env, limit })
    const events = eventsIn(stdout)
    const results = events.flatMap(({ Action, Test = '' }): CapabilityResult[] => {
      const outcome = outcomes.get(Action as 'pass')
      if (outcome === undefined || Test === '' || Test.includes('/')) return []
      const capability = `own suite: ${Test}`
      if (outcome === 'passed') return [{ ...result, capability, outcome }]
      const output = events.filter((other) => other.Test?.startsWith(Test) && other.Output)
      const message = output.map(({ Output = '' }) => Output.trim()).join(' ')
      return [{ ...result, capability, outcome, message }]
    })
    if (results.length === 0) throw new Unavailable('the suite does not build here')
    return results
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return [{ ...result, capability: 'own suite', outcome: 'skipped', message: error.message }]
  }
}

function eventsIn(text: string): readonly Event[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line): Event => JSON.parse(line))
}

/** Returns the results of all leaf tests, and of packages that do not compile. */
function resultsOf(
  events: readonly Event[],
  versions: ReadonlyMap<string, string>,
): readonly CapabilityResult[] {
  const results: CapabilityResult[] = []
  for (const event of events) {
    const outcome = outcomes.get(event.Action as 'pass')
    const name = event.Package?.split('/').at(-1) ?? ''
    const client = modules.get(name)
    if (outcome === undefined || client === undefined) continue
    const { Test } = event
    const packageEvents = events.filter(({ Package }) => Package === event.Package)
    const isParent = packageEvents.some((other) =>
      Test === undefined ? other.Test !== undefined : other.Test?.startsWith(`${Test}/`),
    )
    if (isParent) continue
    const output = packageEvents
      .filter((other) => other.Test === Test && other.Action === 'output')
      .map(({ Output = '' }) => Output.trim())
      .filter((line) => line !== '' && !/^(===|---|FAIL)/.test(line))
    results.push({
      client,
      version: versions.get(client) ?? '',
      language: 'Go',
      capability: Test === undefined ? '*' : capabilityOf(Test),
      outcome,
      ...(outcome === 'passed' ? {} : { message: output.join(' ') }),
    })
  }
  return results
}

/**
 * Returns the capability that a test covers: `blocking query` for `TestBlockingQuery`, `KVv2: check
 * and` for `TestKVv2/check_and`.
 */
function capabilityOf(test: string): string {
  const [top = '', ...below] = test.replace(/^Test/, '').split('/')
  const words = top
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/\b[A-Z][a-z]+\b/g, (word) => word.toLowerCase())
  return [words, ...below.map((each) => each.replaceAll('_', ' '))].join(': ')
}
