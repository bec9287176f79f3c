import { httpTarget, withComparisonTokens } from '../../src/cli/compare/compare.ts'
import type { ComparedApi } from '../../src/cli/compare/compared-api.ts'
import { formatRequest, type Target } from '../../src/cli/compare/request.ts'
import { findDifferences } from '../../src/cli/compare/search.ts'
import type { Finding } from '../../src/cli/compare/shrink.ts'
import { comparedApis } from './apis.ts'
import { compareFixedRequests, type FixedRequests } from './fixed-requests.ts'
import { meshSuites } from './mesh/suites.ts'
import { comparedMeshLike } from './mesh.ts'
import { withMock } from './mock.ts'
import { schedulerSuites } from './scheduler/suites.ts'
import { type ComparedFamily, secretsFamilies } from './secrets-families.ts'

/**
 * Compares the mock with real servers: `npm run oracle`. `ORACLE_SECRETS_URL`, `ORACLE_MESH_URL`
 * and `ORACLE_SCHEDULER_URL` are the servers' addresses; `ORACLE_SECRETS_TOKEN` and so on are their
 * root tokens. `ORACLE_SECRETS_WORDS` and so on map words of the mock to those of the server, as
 * JSON. `ORACLE_SEED`, `ORACLE_RUNS`, `ORACLE_LONGEST` and `ORACLE_MOST` set the seed, the number
 * of sequences, the requests per sequence, and the number of findings that ends the run.
 *
 * After the random sequences, suites of fixed requests compare the scheduler and the mesh:
 *
 * - both: every path with every method (`routes`), and callers with each right (`rights`)
 * - scheduler: every member of a body with a bad value (`fields`, `bodies`), jobs on a cluster with
 *   one node (`scenarios`), and drains of this node (`drains`)
 * - mesh: every operation with each common parameter (`queries`), sessions with locks and checks
 *   (`locks`), and configuration entries, intentions and prepared queries (`configuration`)
 *
 * `ORACLE_SUITES` selects suites by name; `ORACLE_RUNS=0` skips the random sequences. `rights` is
 * skipped for a scheduler without a token. The mesh server must be a community edition with ACLs
 * and the node name `mesh-1`; the mock copies its default policy. Start such a server with:
 *
 *     consul agent -dev -node mesh-1 -grpc-port -1 -grpc-tls-port -1 -hcl 'acl { enabled = true default_policy = "deny" tokens {
 *       initial_management = "11111111-2222-3333-4444-555555555555"
 *       agent = "11111111-2222-3333-4444-555555555555" } }'
 *
 * The scheduler server must be disposable, and its only driver must be the driver for tests.
 * `ORACLE_FAMILIES` names families of the secrets API, whose requests depend on each other, or
 * `all`; otherwise the requests of all operations are mixed.
 */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const families = familiesOf(env['ORACLE_FAMILIES'])
  const apis = families.length === 0 ? comparedApis : families
  const requested = apis.filter((api) => env[`${prefixOf(api)}_URL`] !== undefined)
  if (requested.length === 0) {
    console.error(
      'npm run oracle needs ORACLE_SECRETS_URL, ORACLE_MESH_URL or ORACLE_SCHEDULER_URL',
    )
    return 2
  }
  let differenceCount = 0
  for (const api of requested) differenceCount += await compareApi(api, env)
  return differenceCount === 0 ? 0 : 1
}

/** Returns the families of the secrets API with these names: separated by commas, or `all`. */
function familiesOf(names = ''): readonly ComparedApi[] {
  const requested = names.split(',')
  return names === ''
    ? []
    : secretsFamilies().filter(({ family }) => names === 'all' || requested.includes(family))
}

/** Returns the name of a comparison: its API, and its family if it has one. */
function labelOf(api: ComparedApi | ComparedFamily): string {
  return 'family' in api ? `${api.name}, ${api.family}` : api.name
}

function prefixOf({ name }: ComparedApi): string {
  return `ORACLE_${name.toUpperCase()}`
}

async function compareApi(api: ComparedApi, env: NodeJS.ProcessEnv): Promise<number> {
  const prefix = prefixOf(api)
  const words: Readonly<Record<string, string>> = JSON.parse(env[`${prefix}_WORDS`] ?? '{}')
  const token = env[`${prefix}_TOKEN`] ?? ''
  const server = httpTarget('server', env[`${prefix}_URL`] ?? '', token, api, words)
  const runs = Number(env['ORACLE_RUNS'] ?? 1000)
  const like = api.name === 'mesh' ? await comparedMeshLike(server) : api
  const count = runs === 0 ? 0 : await compareSequences(like, server, runs, env)
  return count + (await compareSuites(like, server, env))
}

/** Returns the lists of fixed requests of an API. */
function suitesOf({ name }: ComparedApi): readonly FixedRequests[] {
  if (name === 'mesh') return meshSuites
  return name === 'scheduler' ? schedulerSuites : []
}

function compareSequences(
  api: ComparedApi,
  server: Target,
  runs: number,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const seed = env['ORACLE_SEED'] ?? '1'
  return withMock(api, async (mock) => {
    const { findings } = await withComparisonTokens(api, mock, server, (left, right) =>
      findDifferences({
        ...{ api, left, right, seed, runs },
        maxRequests: Number(env['ORACLE_LONGEST'] ?? 6),
        maxFindings: Number(env['ORACLE_MOST'] ?? 20),
        onFinding: (finding) => console.log(`${renderFinding(finding)}\n`),
      }),
    )
    console.log(`${labelOf(api)}: ${findings.length} kinds of differences with seed ${seed}.`)
    return findings.length
  })
}

/** Compares the fixed requests of an API, all of them or those that are named. */
async function compareSuites(
  api: ComparedApi,
  server: Target,
  { ORACLE_SUITES: names = '' }: NodeJS.ProcessEnv,
): Promise<number> {
  let count = 0
  for (const suite of suitesOf(api)) {
    if (names !== '' && !names.split(',').includes(suite.name)) continue
    // ACLs are enabled on a server exactly if it has a token.
    if ((suite.usesAcl === true) !== (server.token !== '')) continue
    const mockApi = suite.usesAcl ? api : { ...api, setUp: { options: {} } }
    const differences = await withMock(mockApi, (mock) => compareFixedRequests(suite, mock, server))
    for (const { kind, request } of differences) console.log(`${kind}\n    ${request}\n`)
    console.log(`${api.name}, ${suite.name}: ${differences.length} differences.`)
    count += differences.length
  }
  return count
}

function renderFinding({ kind, requests, left, right }: Finding): string {
  const requested = requests.map((request) => `    ${formatRequest(request)}`)
  return [
    kind,
    ...requested,
    `  mock:   ${JSON.stringify(left)}`,
    `  server: ${JSON.stringify(right)}`,
  ].join('\n')
}

process.exitCode = await main(process.env)
