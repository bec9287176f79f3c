import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { resultsIn } from './npm.ts'
import { run } from './process.ts'
import { type CapabilityResult, type ClientSuite, type TestServer, Unavailable } from './results.ts'
import { withServer } from './server.ts'

const client = 'hashicorp/vault-action'

/**
 * Own integration tests and workflows of Vault's action for CI. `UNDERSTUDY_VAULT_ACTION` is a
 * checkout with its packages installed.
 */
export const vaultActionSuite: ClientSuite = {
  language: "the action's own suites",
  clients: [],
  run: runSuites,
}

/**
 * Returns the flags that start a suite's server, either a development server or one that is not yet
 * initialized.
 */
const flagsFor = (secrets: object, ...others: string[]) => [
  ...['--port=0', '--secrets-port=0', '--root-token=testtoken', ...others],
  `--options=${JSON.stringify({ secrets })}`,
]

async function runSuites(): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_VAULT_ACTION: folder } = process.env
  if (folder === undefined) throw new Unavailable('UNDERSTUDY_VAULT_ACTION names no checkout')
  const version =
    /^## v?(\d\S*)/m.exec(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'))?.[1] ?? ''
  const action = { folder, version }
  const development = () => flagsFor({ start: 'dev' })
  const results: CapabilityResult[] = []
  for (const suite of ['basic', 'enterprise']) {
    results.push(...(await withServer(development, (served) => runTests(action, suite, served))))
  }
  results.push(...(await withServer(development, (served) => runJob(action, 'e2e', served))))
  const overTls = (at: string) =>
    flagsFor({ start: 'bare', initialized: false }, '--tls', `--tls-dir=${at}/tls`)
  return [...results, ...(await withServer(overTls, (served) => runJob(action, 'e2e-tls', served)))]
}

interface Action {
  readonly folder: string
  readonly version: string
}

/** Returns the variables that the tests and the jobs read the server's address from. */
function addressOf({ readyFile }: TestServer): Readonly<Record<string, string>> {
  const { ports } = JSON.parse(readFileSync(readyFile, 'utf8'))
  return { VAULT_HOST: '127.0.0.1', VAULT_PORT: String(ports.secrets), CI: 'true' }
}

/** Runs one of the action's folders of integration tests. */
async function runTests(
  { folder, version }: Action,
  suite: string,
  served: TestServer,
): Promise<readonly CapabilityResult[]> {
  const file = join(served.folder, 'report.json')
  const config = `integrationTests/${suite}/jest.config.js`
  const argv = ['node_modules/jest/bin/jest.js', '-c', config, '--json', `--outputFile=${file}`]
  const settings = { cwd: folder, env: addressOf(served), limit: 200_000 }
  const { stderr } = await run(process.execPath, argv, settings)
  if (!existsSync(file)) throw new Error(`jest ran nothing:\n${stderr}`)
  return resultsIn(file, () => ({ client, version })).map((result) => ({
    ...result,
    capability: `${suite}: ${result.capability}`,
  }))
}

interface Step {
  readonly id?: string
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
}

/**
 * Runs the steps of a job of the action's workflow that set the server up, call the action and
 * verify its results, each as the runner of a workflow does. Later steps see the variables and
 * outputs of earlier ones.
 */
async function runJob(
  { folder, version }: Action,
  name: string,
  served: TestServer,
): Promise<readonly CapabilityResult[]> {
  const workflow = parse(readFileSync(join(folder, '.github/workflows/build.yml'), 'utf8'))
  const { inputs } = parse(readFileSync(join(folder, 'action.yml'), 'utf8'))
  const steps: readonly Step[] = workflow.jobs[name].steps
  const { VAULT_PORT: port = '' } = addressOf(served)
  const env: Record<string, string> = { ...secretsOf(served) }
  const outputs = new Map<string, Readonly<Record<string, string>>>()
  const expand = (value: unknown) =>
    String(value)
      .replace(/\$\{\{\s*(?:secrets|env)\.(\S+)\s*\}\}/g, (_, key) => env[key] ?? '')
      .replace(
        /\$\{\{\s*steps\.(\S+)\.outputs\.(\S+)\s*\}\}/g,
        (_, id, key) => outputs.get(id)?.[key] ?? '',
      )
      .replace('localhost:8200', `localhost:${port}`)
  const results: CapabilityResult[] = []
  for (const step of steps) {
    const calls = step.uses === './'
    if (!calls && !/setup\.js|test:integration/.test(step.run ?? '')) continue
    const files = mkdtempSync(join(served.folder, 'step-'))
    const [variables, outputFile] = [join(files, 'env'), join(files, 'output')]
    for (const file of [variables, outputFile]) writeFileSync(file, '')
    const defaults = Object.entries<{ default?: unknown }>(inputs).flatMap(([key, input]) =>
      input.default === undefined ? [] : [[key, input.default] as const],
    )
    const given = calls ? [...defaults, ...Object.entries(step.with ?? {})] : []
    const { code, stdout, stderr } = await run(
      calls ? process.execPath : 'bash',
      calls ? ['dist/index.js'] : ['-ec', step.run ?? ''],
      {
        cwd: folder,
        env: {
          ...env,
          ...Object.fromEntries(
            Object.entries(step.env ?? {}).map(([key, value]) => [key, expand(value)]),
          ),
          ...Object.fromEntries(
            given.map(([key, value]) => [`INPUT_${key.toUpperCase()}`, expand(value)]),
          ),
          ...addressOf(served),
          GITHUB_ENV: variables,
          GITHUB_OUTPUT: outputFile,
          GITHUB_PATH: join(files, 'path'),
        },
        limit: 60_000,
      },
    )
    Object.assign(env, valuesIn(variables))
    if (step.id !== undefined) outputs.set(step.id, valuesIn(outputFile))
    results.push({
      client,
      version,
      language: 'JavaScript',
      capability: `${name}: ${step.name}`,
      ...(code === 0 ? { outcome: 'passed' } : { outcome: 'failed', message: stdout + stderr }),
    })
  }
  return results
}

/** Returns the secrets of the job over TLS: the CA, and a client certificate, in base 64. */
function secretsOf({ folder }: TestServer): Readonly<Record<string, string>> {
  const file = (name: string) => join(folder, 'tls', name)
  if (!existsSync(file('ca.pem'))) return {}
  const encoded = (name: string) => readFileSync(file(name)).toString('base64')
  return {
    VAULTCA: encoded('ca.pem'),
    VAULT_CLIENT_CERT: encoded('cert.pem'),
    VAULT_CLIENT_KEY: encoded('key.pem'),
  }
}

/** Parses a file of variables of a workflow: `NAME<<DELIMITER`, the value, and the delimiter. */
function valuesIn(file: string): Readonly<Record<string, string>> {
  const text = readFileSync(file, 'utf8')
  const entries = text.matchAll(/^(.+?)<<(.+)\r?\n([\s\S]*?)\r?\n\2$/gm)
  return Object.fromEntries([...entries].map(([, name = '', , value = '']) => [name, value]))
}
