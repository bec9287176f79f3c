import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readConfig } from '../../src/cli/config.ts'
import { startServer } from '../../src/cli/server.ts'

/** Version that the stand-in of the mesh's command reports. */
const version = '1.20.0'

/** World options of the agents: the edition whose tests run, and the version that they expect. */
const options = JSON.stringify({ mesh: { edition: 'community', version } })

/**
 * Runs work with a stand-in of the mesh's command in a directory. A call of `consul agent` starts a
 * server in this process, as `understudy agent` does in one of its own, and stops it when the call
 * ends. Suites that start an agent for every test spend their time on tests, not on starts.
 *
 * @param work receives the directory, which belongs in front of `PATH`
 */
export async function withAgents<T>(folder: string, work: (bin: string) => Promise<T>): Promise<T> {
  const stops = new Set<() => Promise<void>>()
  const starter = createServer((request, reply) => {
    const start = async () => {
      const argv = (await text(request)).split('\n').filter((word) => word !== '')
      const own = ['--port=0', '--secrets-port=0', '--scheduler-port=0', '--log-level=silent']
      const config = await readConfig([...argv, ...own, `--options=${options}`], {})
      if ('help' in config || 'version' in config)
        throw new Error(`not an agent: ${argv.join(' ')}`)
      const server = await startServer(config)
      const stop = async () => {
        if (stops.delete(stop)) await server.close()
      }
      stops.add(stop)
      if (reply.destroyed) return stop()
      reply.once('close', () => void stop())
      reply.write('==> Consul agent running!\n')
    }
    start().catch((error: unknown) => reply.writeHead(400).end(`${error}\n`))
  })
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', resolve))
  const { port } = starter.address() as AddressInfo
  const bin = join(folder, 'agents')
  mkdirSync(bin, { recursive: true })
  writeFileSync(
    join(bin, 'consul'),
    `#!/bin/sh
if [ "$1" = version ]; then echo '{"Version":"${version}"}'; exit 0; fi
IFS='
'
exec curl --no-progress-meter --no-buffer --data-binary "$*" http://127.0.0.1:${port}/
`,
  )
  chmodSync(join(bin, 'consul'), 0o755)
  try {
    return await work(bin)
  } finally {
    starter.closeAllConnections()
    starter.close()
    await Promise.all([...stops].map((stop) => stop()))
  }
}
