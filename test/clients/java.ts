import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, run } from './process.ts'
import { type CapabilityResult, type ClientSuite, projectPath, type TestServer } from './results.ts'
import { openWorld } from './server.ts'

const folder = projectPath('test/clients/java')

/** Artifacts of the clients, in the order in which the trials take their worlds. */
const clients = ['com.ecwid.consul:consul-api', 'org.kiwiproject:consul-client'] as const

/**
 * Suite of the Java clients of the mesh. Maven downloads their archives once per version of the
 * `pom.xml`.
 */
export const javaSuite: ClientSuite = { language: 'Java', clients, run: runJava }

async function runJava(served: TestServer): Promise<readonly CapabilityResult[]> {
  const pom = readFileSync(join(folder, 'pom.xml'), 'utf8')
  const digest = createHash('sha256').update(pom).digest('hex').slice(0, 12)
  const archives = projectPath(`node_modules/.cache/clients/java-${digest}`)
  const complete = join(archives, 'complete')
  await prepare('java', ['-version'], { limit: 30_000 })
  if (!existsSync(complete)) {
    // Remove leftovers of an interrupted attempt.
    rmSync(archives, { recursive: true, force: true })
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${archives}`]
    await prepare('mvn', ['-q', '-B', ...goal], { cwd: folder, limit: 100_000 })
    writeFileSync(complete, '')
  }
  const worlds = [await openWorld(served), await openWorld(served)]
  const argv = ['-cp', join(archives, '*'), join(folder, 'Trials.java'), ...worlds.flat()]
  const { stdout, stderr } = await run('java', argv, { cwd: folder, limit: 60_000 })
  const lines = stdout.split('\n').filter((line) => line.includes('\t'))
  if (lines.length === 0) throw new Error(`the trials in Java ran nothing:\n${stdout}${stderr}`)
  return lines.map((line) => {
    const [client = '', capability = '', message = ''] = line.split('\t')
    const result = { client, version: versionIn(pom, client), language: 'Java', capability }
    return message === ''
      ? { ...result, outcome: 'passed' as const }
      : { ...result, outcome: 'failed' as const, message }
  })
}

/** Returns the version of an artifact in a `pom.xml`. */
function versionIn(pom: string, client: string): string {
  const [, name] = client.split(':')
  const start = pom.indexOf(`<artifactId>${name}</artifactId>`)
  return /<version>(.*?)<\/version>/.exec(pom.slice(start))?.[1] ?? ''
}
