import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, run } from './process.ts'
import { type CapabilityResult, type ClientSuite, projectPath, Unavailable } from './results.ts'

const folder = projectPath('test/clients/python/hvac')
const version = '2.4.0'

/** Test files about clouds, whose engines and login methods the server only mounts. */
const withoutSubject = [
  ...['aws', 'azure', 'gcp'].map((name) => `api/auth_methods/test_${name}.py`),
  ...['aws', 'azure', 'gcp'].map((name) => `api/secrets_engines/test_${name}.py`),
]

const certificateTests = 'api/auth_methods/test_cert.py'

/** An instant at which the client certificate of the suite is valid, until 2026-11-18. */
const certificateClock = 'frozen@2026-01-01T00:00:00Z'

const withoutProvider =
  'a login by a browser needs a provider of the same world or a simulated issuer'

/** Tests about subjects that the server does not have, by part of their name, with the reason. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['test_oidc_authorization_url_request_0', withoutProvider],
  ['test_oidc_callback_0', withoutProvider],
])

/**
 * Own suite of hvac, which starts a server for each class with the command `vault`. Takes minutes,
 * so it only runs if `UNDERSTUDY_HVAC_SUITE` is `all`, or a path below `tests/integration_tests`.
 */
export const hvacSuite: ClientSuite = {
  language: "hvac's own suite",
  clients: [],
  run: runHvac,
}

async function runHvac(): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_HVAC_SUITE: selected = '' } = process.env
  if (selected === '') throw new Unavailable('UNDERSTUDY_HVAC_SUITE is not set')
  const { python, source, bin } = await prepareSuite()
  const pytest = async (words: readonly string[], env: Readonly<Record<string, string>>) => {
    const argv = ['-m', 'pytest', '-q', '-rA', '-p', 'no:cacheprovider', '-n', '2', ...words]
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`
    const settings = { cwd: source, env: { ...env, PATH }, limit: 900_000 }
    const { stdout, stderr } = await run(python, argv, settings)
    const results = resultsIn(stdout)
    if (results.length === 0) throw new Error(`pytest ran nothing:\n${stdout}${stderr}`)
    return results
  }
  const folderOfTests = 'tests/integration_tests'
  if (selected !== 'all') return pytest([`${folderOfTests}/${selected}`], {})
  const ignored = [...withoutSubject, certificateTests]
  return [
    ...(await pytest(
      [...ignored.map((path) => `--ignore=${folderOfTests}/${path}`), folderOfTests],
      {},
    )),
    ...(await pytest([`${folderOfTests}/${certificateTests}`], {
      UNDERSTUDY_HVAC_CLOCK: certificateClock,
    })),
  ]
}

/** Installs the suite's requirements once per version, and unpacks its source. */
async function prepareSuite() {
  const requirements = readFileSync(join(folder, 'requirements.txt'), 'utf8')
  const digest = createHash('sha256').update(requirements).digest('hex').slice(0, 12)
  const home = projectPath(`node_modules/.cache/clients/hvac-${digest}`)
  const python = join(home, 'env/bin/python')
  const source = join(home, `hvac-${version}`)
  const bin = join(home, 'bin')
  if (!existsSync(join(home, 'complete'))) {
    const pip = ['-m', 'pip', '--python', python]
    await prepare('python3', ['-m', 'venv', '--clear', '--without-pip', join(home, 'env')], {
      limit: 30_000,
    })
    const install = [...pip, 'install', '--quiet', '-r', join(folder, 'requirements.txt')]
    await prepare('python3', install, { limit: 120_000 })
    const download = ['download', '--quiet', '--no-deps', '--no-binary', ':all:', '-d', home]
    await prepare('python3', ['-m', 'pip', ...download, `hvac==${version}`], { limit: 60_000 })
    const archive = join(home, `hvac-${version}.tar.gz`)
    await prepare('python3', ['-m', 'tarfile', '-e', archive, home], { limit: 30_000 })
    mkdirSync(join(source, 'tests/config_files/generated'), { recursive: true })
    writeFileSync(join(home, 'complete'), '')
  }
  mkdirSync(bin, { recursive: true })
  const command = `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'vault.mjs')}' "$@"\n`
  writeFileSync(join(bin, 'vault'), command)
  chmodSync(join(bin, 'vault'), 0o755)
  return { python, source, bin }
}

/** Returns one result for each file of tests, and one for each failed test. */
function resultsIn(output: string): readonly CapabilityResult[] {
  const client = { client: 'hvac', version, language: 'Python' }
  const files = new Map<string, number>()
  const failures: CapabilityResult[] = []
  for (const line of output.split('\n')) {
    const [, word, file = '', name = ''] =
      /^(PASSED|FAILED|ERROR) tests\/integration_tests\/(\S+?)\.py::(\S+)/.exec(line) ?? []
    if (word === undefined) continue
    const subject = file.replace(/.*test_/, '').replaceAll('_', ' ')
    if (word === 'PASSED') files.set(subject, (files.get(subject) ?? 0) + 1)
    else {
      const [, reason] = [...reasons].find(([part]) => name.includes(part)) ?? []
      failures.push({
        ...client,
        capability: `own suite: ${subject}, ${name}`,
        outcome: reason === undefined ? 'failed' : 'skipped',
        message: reason ?? line,
      })
    }
  }
  const passed = [...files].map(([subject, count]): CapabilityResult => {
    return { ...client, capability: `own suite: ${subject}, ${count} tests`, outcome: 'passed' }
  })
  return [...passed, ...failures]
}
