import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { capture } from '../../../src/cli/capture/capture.ts'
import { readConfig } from '../../../src/cli/config.ts'
import { fetchWithinOrigin } from '../../../src/cli/fetch-within-origin.ts'

/**
 * Starts a server that redirects as a table of targets says, and answers everything else with 200.
 */
async function redirecting(
  targets: Readonly<Record<string, readonly [status: number, location: string]>>,
) {
  const received: string[] = []
  const server = createServer((request: IncomingMessage, reply) => {
    const { method, url = '', headers } = request
    received.push(`${method} ${url} ${headers['x-vault-token'] ?? '-'}`)
    const target = targets[url]
    request.resume().on('end', () => {
      if (target === undefined) reply.end('{}')
      else reply.writeHead(target[0], { location: target[1] }).end()
    })
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const headers = { 'X-Vault-Token': 'real' }

describe('behaviour/program#commands: redirects of a server that gets a real token', () => {
  test('are followed within the origin, with the method that the status asks for', async () => {
    const { url, received } = await redirecting({
      '/a': [307, '/b'],
      '/b': [301, '/c'],
    })
    const reply = await fetchWithinOrigin(`${url}/a`, { method: 'POST', headers, body: '{}' })
    expect(reply.status).toBe(200)
    expect(received).toEqual(['POST /a real', 'POST /b real', 'GET /c real'])
  })

  test('are refused to another origin, which gets no request', async () => {
    const other = await redirecting({})
    const { url } = await redirecting({ '/a': [307, `${other.url}/a`] })
    await expect(fetchWithinOrigin(`${url}/a`, { headers })).rejects.toThrow(
      `the server redirects to ${other.url}, which must not get the token; use the address of that server`,
    )
    expect(other.received).toEqual([])
  })

  test('are refused if there are too many', async () => {
    const { url, received } = await redirecting({ '/a': [302, '/a'] })
    await expect(fetchWithinOrigin(`${url}/a`, { headers })).rejects.toThrow('more than 10 times')
    expect(received).toHaveLength(11)
  })

  test('end a capture with one line that names the other server', async () => {
    const other = await redirecting({})
    const paths = ['/v1/sys/mounts', '/v1/sys/auth', '/v1/sys/health']
    const { url } = await redirecting(
      Object.fromEntries(paths.map((path) => [path, [307, `${other.url}${path}`] as const])),
    )
    const argv = ['capture', '--from', url, '--service=secrets', '--token=real']
    const config = await readConfig(argv, {}, false)
    if (!('command' in config)) throw new Error('expected a configuration')
    const result = await capture(config, () => [])
    expect(result.code).not.toBe(0)
    expect(JSON.stringify(result)).toContain(`the server redirects to ${other.url}`)
    expect(other.received).toEqual([])
  })
})
