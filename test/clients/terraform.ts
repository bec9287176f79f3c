import { readdirSync } from 'node:fs'
import { prepare } from './process.ts'
import { type CapabilityResult, type ClientSuite, Unavailable } from './results.ts'
import { withServer } from './server.ts'
import { platformConfiguration } from './terraform-provider-trials.ts'
import { resourceTrials } from './terraform-resource-trials.ts'
import { type TerraformSandbox, terraformSandbox } from './terraform-sandbox.ts'
import { commandTrials, providerTrials, type Trial } from './terraform-trials.ts'
import { secretsConfiguration } from './terraform-vault-trials.ts'

const command = 'terraform'

/** Provider, with the variable that names the directory of its binary. */
interface Provider {
  readonly name: string
  readonly variable: string
  readonly trials: Readonly<Record<string, Trial>>
}

const providers: readonly Provider[] = [
  {
    name: 'tfe',
    variable: 'UNDERSTUDY_TFE_PROVIDER',
    trials: { ...providerTrials, ...resourceTrials(platformConfiguration) },
  },
  {
    name: 'vault',
    variable: 'UNDERSTUDY_VAULT_PROVIDER',
    trials: resourceTrials(secretsConfiguration),
  },
]

/**
 * Suite of the platform's command, and of its providers of the platform and of the secrets API,
 * over TLS. `UNDERSTUDY_TERRAFORM` is the path of the command, `UNDERSTUDY_TFE_PROVIDER` and
 * `UNDERSTUDY_VAULT_PROVIDER` are the directories that contain the binaries of the providers.
 */
export const terraformSuite: ClientSuite = {
  language: 'Terraform',
  clients: [command, ...providers.map(({ name }) => `terraform-provider-${name}`)],
  run: runTerraform,
}

/** Databases of the connections with the user of a static role, and where plug-ins would be. */
const options = {
  secrets: {
    databases: { 'db:5432': { users: { reports: 'first' } } },
    pluginDirectory: '/plugins',
  },
}

async function runTerraform(): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_TERRAFORM: path } = process.env
  if (path === undefined) throw new Unavailable('UNDERSTUDY_TERRAFORM names no command')
  const { stdout } = await prepare(path, ['version', '-json'], { limit: 30_000 })
  const { terraform_version: version } = JSON.parse(stdout)
  const flags = (folder: string) => [
    ...['--port=0', '--tls', `--tls-dir=${folder}/tls`],
    `--options=${JSON.stringify(options)}`,
  ]
  const folders = Object.fromEntries(
    providers.flatMap(({ name, variable }) => {
      const folder = process.env[variable]
      return folder === undefined ? [] : [[name, folder] as const]
    }),
  )
  return withServer(flags, async (served) => {
    const sandbox = await terraformSandbox(served, path, folders)
    const results: CapabilityResult[] = []
    for (const [capability, trial] of Object.entries(commandTrials)) {
      const result = { client: command, version, language: 'Terraform', capability }
      results.push({ ...result, ...(await outcomeOf(trial, sandbox)) })
    }
    for (const { name, variable, trials } of providers) {
      const folder = folders[name]
      const client = `terraform-provider-${name}`
      for (const [capability, trial] of Object.entries(trials)) {
        const result = {
          client,
          version: folder === undefined ? '' : versionIn(folder, client),
          language: 'Terraform',
          capability,
        }
        const outcome =
          folder === undefined
            ? ({ outcome: 'skipped', message: `${variable} names no folder` } as const)
            : await outcomeOf(trial, sandbox)
        results.push({ ...result, ...outcome })
      }
    }
    return results
  })
}

/** Returns the version in the name of a provider's binary, `terraform-provider-tfe_v0.71.0_x5`. */
function versionIn(folder: string, client: string): string {
  const names = readdirSync(folder)
  const versions = names.map((name) => new RegExp(`^${client}_v?([\\d.]+\\d)`).exec(name)?.[1])
  return versions.find((version) => version !== undefined) ?? ''
}

async function outcomeOf(
  trial: Trial,
  sandbox: TerraformSandbox,
): Promise<Pick<CapabilityResult, 'outcome' | 'message'>> {
  try {
    await trial(sandbox)
    return { outcome: 'passed' }
  } catch (error) {
    return { outcome: 'failed', message: String(error) }
  }
}
