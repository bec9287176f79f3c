import { readdirSync } from 'node:fs'
import { prepare } from './process.ts'
import { type CapabilityResult, type ClientSuite, Unavailable } from './results.ts'
import { withServer } from './server.ts'
import { allResourceTrials } from './terraform-provider-trials.ts'
import { type TerraformSandbox, terraformSandbox } from './terraform-sandbox.ts'
import { commandTrials, providerTrials, type Trial } from './terraform-trials.ts'

const command = 'terraform'
const provider = 'terraform-provider-tfe'

/**
 * Suite of the platform's command and its provider, over TLS. `UNDERSTUDY_TERRAFORM` is the path of
 * the command, `UNDERSTUDY_TFE_PROVIDER` the directory that contains the provider's binary.
 */
export const terraformSuite: ClientSuite = {
  language: 'Terraform',
  clients: [command, provider],
  run: runTerraform,
}

async function runTerraform(): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_TERRAFORM: path, UNDERSTUDY_TFE_PROVIDER: providerFolder } = process.env
  if (path === undefined) throw new Unavailable('UNDERSTUDY_TERRAFORM names no command')
  const { stdout } = await prepare(path, ['version', '-json'], { limit: 30_000 })
  const { terraform_version: version } = JSON.parse(stdout)
  const flags = (folder: string) => ['--port=0', '--tls', `--tls-dir=${folder}/tls`]
  return withServer(flags, async (served) => {
    const sandbox = await terraformSandbox(served, path, providerFolder)
    const results: CapabilityResult[] = []
    for (const [capability, trial] of Object.entries(commandTrials)) {
      const result = { client: command, version, language: 'Terraform', capability }
      results.push({ ...result, ...(await outcomeOf(trial, sandbox)) })
    }
    for (const [capability, trial] of Object.entries({ ...providerTrials, ...allResourceTrials })) {
      const result = {
        client: provider,
        version: providerVersion(providerFolder),
        language: 'Terraform',
        capability,
      }
      const outcome = providerFolder === undefined ? noProvider : await outcomeOf(trial, sandbox)
      results.push({ ...result, ...outcome })
    }
    return results
  })
}

/** Returns the version in the name of the provider's binary, `terraform-provider-tfe_v0.71.0_x5`. */
function providerVersion(folder: string | undefined): string {
  const names = folder === undefined ? [] : readdirSync(folder)
  const versions = names.map((name) => /^terraform-provider-tfe_v?([\d.]+\d)/.exec(name)?.[1])
  return versions.find((version) => version !== undefined) ?? ''
}

const noProvider = {
  outcome: 'skipped',
  message: 'UNDERSTUDY_TFE_PROVIDER names no folder',
} as const

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
