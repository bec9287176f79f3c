import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, run } from './process.ts'
import { inProject, type Part, type Result, type Served } from './results.ts'

const folder = inProject('test/clients/python')

/** The packages of the clients by the file that tests them. */
const clients = new Map([
  ['test_hvac.py', 'hvac'],
  ['test_nomad.py', 'python-nomad'],
  ['test_consul.py', 'py-consul'],
  ['test_terrasnek.py', 'terrasnek'],
])

/** What `conftest.py` writes of each test. */
interface Told {
  readonly file: string
  readonly capability: string
  readonly outcome: Result['outcome']
  readonly message: readonly string[]
}

/** The Python clients, in an environment of their own that is made once for each requirements. */
export const pythonPart: Part = {
  language: 'Python',
  clients: [...clients.values()],
  run: runPython,
}

async function runPython({ readyFile, folder: own }: Served): Promise<readonly Result[]> {
  const requirements = readFileSync(join(folder, 'requirements.txt'), 'utf8')
  const digest = createHash('sha256').update(requirements).digest('hex').slice(0, 12)
  const environment = inProject(`node_modules/.cache/clients/python-${digest}`)
  const python = join(environment, 'bin/python')
  const complete = join(environment, 'complete')
  if (!existsSync(complete)) {
    // What an earlier attempt left half done goes.
    await prepare('python3', ['-m', 'venv', '--clear', '--without-pip', environment], {
      limit: 30_000,
    })
    const pip = ['-m', 'pip', '--python', python, 'install', '--quiet', '-r', 'requirements.txt']
    await prepare('python3', pip, { cwd: folder, limit: 60_000 })
    writeFileSync(complete, '')
  }

  const file = join(own, 'python.json')
  const { stdout, stderr } = await run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
    cwd: folder,
    env: { UNDERSTUDY_READY: readyFile, UNDERSTUDY_RESULTS: file, PYTHONDONTWRITEBYTECODE: '1' },
    limit: 60_000,
  })
  if (!existsSync(file)) throw new Error(`pytest told nothing:\n${stdout}${stderr}`)
  const told: readonly Told[] = JSON.parse(readFileSync(file, 'utf8'))
  if (told.length === 0) throw new Error(`pytest ran nothing:\n${stdout}${stderr}`)
  const versions = new Map(
    requirements
      .trim()
      .split('\n')
      .map((line) => line.split('==', 2) as [string, string]),
  )
  return told.map(({ file: test, capability, outcome, message }) => {
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
