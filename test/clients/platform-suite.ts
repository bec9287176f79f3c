import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { prepare, run } from './process.ts'
import { type CapabilityResult, projectPath, Unavailable } from './results.ts'
import { withServer } from './server.ts'

/** Go module whose own tests are run; its source comes from the module cache. */
export const platformClient = 'github.com/hashicorp/go-tfe'

/**
 * Patterns of the names of tests that are not run, by reason. A pattern may name a part of a test.
 */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  'areas that the mock does not have': [
    'Stack|HYOK|Hyok|QueryRun|AuditTrail|IPRange|ProviderSet|T[fF]Policy|ReservedTag|GHA',
    'Git[hH]ubApp|PlanExport|RegistryComponent|OrganizationAuditConfiguration',
    'OrganizationTokenTTLPolicies|OrganizationTokensReadWithOptions',
    '.*(OIDC|Oidc|SCIM|DataRetentionPolicy|ToAndRemoveFromStacks|UpdateStacks)',
    '(AdminUsers_List|TeamsRead|UsersReadCurrent)$/with_scim_attributes',
  ],
  'they need a real repository': [
    'RegistryModulesCreate(Monorepo.*|With)VCSConnection|RegistryModulesListCommit',
    'RegistryModulesCreateMonorepoNonStandardName',
    'PolicySetVersionsIngressAttributes',
  ],
  'they ask no server, or a public one': ['_|Client_|ClientRequest|LogReader|.*arshal'],
  'they need agents that run': ['Agents(List|Read)$'],
  'they need accounts and data of the environment in which the suite is developed': [
    'AdminUsers_List$/query|AdminUsers_Delete$/an_existing|AdminUsers_Disable2FA',
    'Admin(OPA|Sentinel|Terraform)Versions_List$/(without_list|with_(filter|search))',
  ],
  'every organization has every feature': [
    'OrganizationsReadEntitlements|OrganizationsRead$/when_the_org_exists',
    'RunTasksCreateWithoutGlobalEntitlement',
  ],
  'they contradict the version of the client that contains them': [
    'ConfigurationVersionsCreateForRegistryModule$/with_invalid_workspace_id',
    'WorkspacesUpdate$/when_options_include_trigger-patterns',
  ],
  'runs have no estimate of their costs until they have planned': ['.*CostEstimate'],
  'they expect an order of workspaces whose names are random': [
    'WorkspacesList_RunDependent$/with_current-state-version',
  ],
}

/**
 * Name part of the tests that wait for runs, in steps of two seconds. These tests and those of the
 * hosted edition are run if the environment variable `UNDERSTUDY_TFE_SUITE` is `all`.
 */
const slow = 'RunDependent'

/** Timing so short that runs end before the suite polls them a second time. */
const options = {
  platform: {
    runPendingTime: '0s',
    runQueuedTime: '0s',
    planTime: '200ms',
    applyTime: '200ms',
    stageTime: '100ms',
  },
}

const adminRoles = [
  'SITE_ADMIN',
  'CONFIGURATION',
  'PROVISION_LICENSES',
  'SUBSCRIPTION',
  'SUPPORT',
  'SECURITY_MAINTENANCE',
  'VERSION_MAINTENANCE',
]

interface Event {
  readonly Action: string
  readonly Test?: string
  readonly Output?: string
}

/**
 * Runs the client's own tests on a server of its own, for one edition of the product or both. A
 * test passes if it passes in one edition and fails in none.
 */
export async function runPlatformSuite(version: string): Promise<readonly CapabilityResult[]> {
  const client = { client: platformClient, version, language: 'Go' }
  try {
    const events = await withServer(
      () => ['--port=0', '--platform-port=0', `--options=${JSON.stringify(options)}`],
      async ({ readyFile, folder }) => await suiteEvents(readyFile, folder),
    )
    const names = new Set(events.flatMap(({ Test = '' }) => (Test === '' ? [] : [Test])))
    const results = [...names].flatMap((name): CapabilityResult[] => {
      if (name.includes('/')) return []
      const ends = new Set(events.flatMap(({ Test, Action }) => (Test === name ? [Action] : [])))
      const capability = `own suite: ${name}`
      if (ends.has('pass') && !ends.has('fail'))
        return [{ ...client, capability, outcome: 'passed' }]
      // The suite itself skips the test in these editions.
      if (ends.has('skip') && !ends.has('fail')) return []
      const output = events.filter((other) => other.Test?.startsWith(name) && other.Output)
      const message = output.map(({ Output = '' }) => Output.trim()).join(' ')
      return [{ ...client, capability, outcome: 'failed', message }]
    })
    if (results.length === 0) throw new Unavailable('the suite does not build here')
    return results
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return [{ ...client, capability: 'own suite', outcome: 'skipped', message: error.message }]
  }
}

/** Splits a pattern at each `|` outside of parentheses. */
function alternatives(pattern: string): string[] {
  return pattern.match(/(?:\([^)]*\)|[^|(])+/g) ?? []
}

/**
 * Builds the tests once and returns the output of every edition. The tests run in parallel,
 * although a few expect that no other test changes the lists of the installation. Failed tests
 * therefore run again, one after the other, and only the second result counts.
 */
async function suiteEvents(readyFile: string, folder: string): Promise<readonly Event[]> {
  const { platform } = JSON.parse(await readFile(readyFile, 'utf8')).services
  const go = (limit: number, cwd: string, ...argv: string[]) => prepare('go', argv, { cwd, limit })
  const clients = projectPath('test/clients/go')
  const { stdout } = await go(30_000, clients, 'list', '-m', '-f', '{{.Dir}}', platformClient)
  const cwd = stdout.trim()
  const binary = join(folder, 'tfe.test')
  await go(150_000, cwd, 'test', '-c', '-o', binary, '.')
  const isComplete = process.env['UNDERSTUDY_TFE_SUITE'] === 'all'
  // The tool splits patterns at each `|` outside of parentheses.
  const patterns = Object.values(leftOut).flatMap((each) => each.flatMap(alternatives))
  const skipped = [...patterns, ...(isComplete ? [] : [`.*${slow}`])].map((each) => `^Test${each}`)
  const flags = ['-test.v=test2json', '-test.timeout=9m', `-test.skip=${skipped.join('|')}`]
  const events: Event[] = []
  for (const enterprise of isComplete ? ['1', '0'] : ['1']) {
    const env = {
      TFE_ADDRESS: platform.url,
      TFE_TOKEN: platform.tokens.siteAdmin,
      ENABLE_TFE: enterprise,
      ENABLE_BETA: '1',
      OAUTH_CLIENT_GITHUB_TOKEN: 'x',
      GITHUB_REGISTRY_MODULE_IDENTIFIER: 'owner/terraform-random-demo',
      GITHUB_POLICY_SET_IDENTIFIER: 'owner/policy-set',
      TFC_RUN_TASK_URL: 'http://127.0.0.1:9/',
      ...Object.fromEntries(
        adminRoles.map((role) => [`TFE_ADMIN_${role}_TOKEN`, platform.tokens.siteAdmin]),
      ),
    }
    const limit = isComplete ? 600_000 : 150_000
    const test = async (...selection: string[]) => {
      const argv = ['tool', 'test2json', binary, ...flags, ...selection]
      const { stdout } = await run('go', argv, { cwd, env, limit })
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
      return lines.map((line): Event => JSON.parse(line))
    }
    const together = await test('-test.parallel=16')
    const failed = namesOfFailed(together)
    events.push(...together.filter(({ Test = '' }) => !failed.has(Test.split('/')[0] ?? '')))
    if (failed.size === 0) continue
    const names = [...failed]
    process.stdout.write(`${platformClient}, tried again alone: ${names.join(', ')}\n`)
    events.push(...(await test('-test.parallel=1', `-test.run=^(${names.join('|')})$`)))
  }
  return events
}

/** Returns the names of the failed tests, without those of their parts. */
function namesOfFailed(events: readonly Event[]): ReadonlySet<string> {
  const failed = events.filter(({ Action }) => Action === 'fail')
  return new Set(failed.flatMap(({ Test = '' }) => (Test === '' ? [] : [Test.split('/')[0] ?? ''])))
}
