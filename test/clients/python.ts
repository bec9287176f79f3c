import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from '../support/documentation/documented-commands.ts'
import { prepare, run } from './process.ts'
import {
  type CapabilityResult,
  type ClientSuite,
  command,
  projectPath,
  type TestServer,
  urlOf,
} from './results.ts'

const folder = projectPath('test/clients/python')

/** Python packages of the clients, by the file that tests them. */
const clients = new Map([
  ['test_hvac.py', 'hvac'],
  ['test_nomad.py', 'python-nomad'],
  ['test_consul.py', 'py-consul'],
  ['test_terrasnek.py', 'terrasnek'],
  // docs/recipes/conftest.py, tested with hvac.
  ['test_recipe.py', 'hvac'],
  // docs/guide/services.md
  ['test_election.py', 'py-consul'],
])

/** Result of a test, as `conftest.py` writes it. */
interface PytestResult {
  readonly file: string
  readonly capability: string
  readonly outcome: CapabilityResult['outcome']
  readonly message: readonly string[]
}

/**
 * Suite of the Python clients, in a virtual environment that is created once per version of the
 * requirements.
 */
export const pythonSuite: ClientSuite = {
  language: 'Python',
  clients: [...new Set(clients.values())],
  run: runPython,
}

async function runPython(served: TestServer): Promise<readonly CapabilityResult[]> {
  const { readyFile, folder: resultFolder } = served
  const requirements = readFileSync(join(folder, 'requirements.txt'), 'utf8')
  const digest = createHash('sha256').update(requirements).digest('hex').slice(0, 12)
  const environment = projectPath(`node_modules/.cache/clients/python-${digest}`)
  const python = join(environment, 'bin/python')
  const complete = join(environment, 'complete')
  if (!existsSync(complete)) {
    // Remove leftovers of an interrupted attempt.
    await prepare('python3', ['-m', 'venv', '--clear', '--without-pip', environment], {
      limit: 30_000,
    })
    const pip = ['-m', 'pip', '--python', python, 'install', '--quiet', '-r', 'requirements.txt']
    await prepare('python3', pip, { cwd: folder, limit: 60_000 })
    writeFileSync(complete, '')
  }

  copyFileSync(projectPath('docs/recipes/conftest.py'), join(folder, 'recipe/conftest.py'))
  const tests = async (
    settings: Readonly<Record<string, string>>,
    ...paths: string[]
  ): Promise<readonly PytestResult[]> => {
    const file = join(resultFolder, 'python.json')
    rmSync(file, { force: true })
    const argv = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...paths]
    const env = { ...settings, UNDERSTUDY_RESULTS: file, PYTHONDONTWRITEBYTECODE: '1' }
    const { stdout, stderr } = await run(python, argv, { cwd: folder, env, limit: 60_000 })
    const results: readonly PytestResult[] = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : []
    if (results.length === 0) throw new Error(`pytest ran nothing:\n${stdout}${stderr}`)
    return results
  }
  const running = await tests({ UNDERSTUDY_URL: urlOf(served) }, 'recipe')
  const results = [
    ...(await tests({ UNDERSTUDY_READY: readyFile, INFRA_UNDERSTUDY_COMMAND: command })),
    ...running.map((each) => ({
      ...each,
      capability: `${each.capability}, with a server that runs already`,
    })),
  ]
  const versions = new Map(
    requirements
      .trim()
      .split('\n')
      .map((line) => line.split('==', 2) as [string, string]),
  )
  const all = [...results, await electionResult(python, resultFolder)]
  return all.map(({ file: test, capability, outcome, message }) => {
    const client = clients.get(test) ?? test
    return {
      client,
      version: versions.get(client) ?? '',
      language: 'Python',
      capability,
      outcome,
      ...(outcome === 'passed' ? {} : { message: message.join(' ') }),
    }
  })
}

/** Runs the leader election of the guide, exactly as printed, against a server of its own. */
async function electionResult(python: string, resultFolder: string): Promise<PytestResult> {
  const cwd = join(resultFolder, 'election')
  mkdirSync(cwd, { recursive: true })
  for (const [name, text] of filesOf('docs/guide/services.md')) writeFileSync(join(cwd, name), text)
  const test = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_election.py']
  const argv = [projectPath('dist/src/cli.js'), 'exec', '--', python, ...test]
  const { code, stdout, stderr } = await run(process.execPath, argv, { cwd, limit: 60_000 })
  const message = code === 0 ? [] : [stdout, stderr]
  const outcome = code === 0 ? 'passed' : 'failed'
  return { file: 'test_election.py', capability: 'leader election of the guide', outcome, message }
}
