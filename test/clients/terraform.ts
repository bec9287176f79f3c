import { prepare } from './process.ts'
import { Absent, type Part, type Result } from './results.ts'
import { withServer } from './server.ts'
import { commandTrials, providerTrials, type Trial } from './terraform-trials.ts'
import { type Workplace, workplaceIn } from './terraform-workplace.ts'

const command = 'terraform'
const provider = 'terraform-provider-tfe'

/**
 * The platform's command and its provider, over TLS. `UNDERSTUDY_TERRAFORM` is the path of the
 * command, `UNDERSTUDY_TFE_PROVIDER` that of a folder with the provider's program.
 */
export const terraformPart: Part = {
  language: 'Terraform',
  clients: [command, provider],
  run: runTerraform,
}

async function runTerraform(): Promise<readonly Result[]> {
  const { UNDERSTUDY_TERRAFORM: path, UNDERSTUDY_TFE_PROVIDER: ofProvider } = process.env
  if (path === undefined) throw new Absent('UNDERSTUDY_TERRAFORM names no command')
  const { stdout } = await prepare(path, ['version', '-json'], { limit: 30_000 })
  const { terraform_version: version } = JSON.parse(stdout)
  const flags = (folder: string) => ['--port=0', '--tls', `--tls-dir=${folder}/tls`]
  return withServer(flags, async (served) => {
    const workplace = await workplaceIn(served, path, ofProvider)
    const results: Result[] = []
    for (const [capability, trial] of Object.entries(commandTrials)) {
      const result = { client: command, version, language: 'Terraform', capability }
      results.push({ ...result, ...(await outcomeOf(trial, workplace)) })
    }
    for (const [capability, trial] of Object.entries(providerTrials)) {
      const result = { client: provider, version: '', language: 'Terraform', capability }
      const outcome = ofProvider === undefined ? noProvider : await outcomeOf(trial, workplace)
      results.push({ ...result, ...outcome })
    }
    return results
  })
}

const noProvider = {
  outcome: 'skipped',
  message: 'UNDERSTUDY_TFE_PROVIDER names no folder',
} as const

async function outcomeOf(
  trial: Trial,
  workplace: Workplace,
): Promise<Pick<Result, 'outcome' | 'message'>> {
  try {
    await trial(workplace)
    return { outcome: 'passed' }
  } catch (error) {
    return { outcome: 'failed', message: String(error) }
  }
}
