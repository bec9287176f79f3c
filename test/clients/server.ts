import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectPath, type TestServer, urlOf } from './results.ts'

/** Starts the built server, waits until it is ready, runs the work and stops the server. */
export async function withServer<T>(
  flags: (folder: string) => readonly string[],
  work: (served: TestServer) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-clients-'))
  const readyFile = join(folder, 'ready.json')
  const argv = ['--dialect=vendor', '--log-level=error', `--ready-file=${readyFile}`]
  const server = spawn(
    process.execPath,
    [projectPath('dist/src/cli.js'), ...argv, ...flags(folder)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    // Wait for the ready line. A server that cannot start exits instead.
    await Promise.race([once(server.stdout, 'data'), once(server, 'exit').then(neverReady)])
    return await work({ readyFile, folder })
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

function neverReady(): never {
  throw new Error('the server did not start; `npm run build` makes it')
}

/** Creates a world whose mesh API has a listener of its own. Returns its address and its token. */
export async function openWorld(served: TestServer): Promise<readonly [string, string]> {
  const reply = await fetch(`${urlOf(served)}/_mock/worlds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ listen: { mesh: 0 } }),
  })
  const { info } = await reply.json()
  return [info.services.mesh.url, info.services.mesh.token]
}
