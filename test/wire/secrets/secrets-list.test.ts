import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { error, noContent, ok } from '../../routes/secrets/replies.ts'
import { start } from '../../support/command.ts'
import { requestText, WireClient } from '../wire-client.ts'
import { parsedAnswer, rootLine, rootToken, startSecrets } from './secrets-server.ts'

const month = 2_764_800

describe('behaviour/secrets#api-lists: LIST on a keep-alive connection', () => {
  /** Sends LIST among other requests, and checks the answers. */
  async function talk(client: WireClient): Promise<void> {
    const ask = async (verb: string, target: string, body = '') =>
      parsedAnswer(await client.exchange(requestText(verb, `/v1/${target}`, body, rootLine)))
    expect(await ask('LIST', 'kv')).toEqual(error(404))
    expect(await ask('PUT', 'kv/b/LIST', '{"LIST /v1/kv":"HTTP/1.1"}')).toEqual(noContent)
    expect(await ask('LIST', 'kv')).toEqual(ok({ data: { keys: ['b/'] } }))
    expect(await ask('LIST', 'kv/b/')).toEqual(ok({ data: { keys: ['LIST'] } }))
    expect(await ask('GET', 'kv/b/LIST')).toEqual(
      ok({ data: { 'LIST /v1/kv': 'HTTP/1.1' }, lease_duration: month }),
    )
    expect(await ask('POST', 'kv/a', '{"n":1}')).toEqual(noContent)
    expect(await ask('LIST', 'kv?list=false')).toEqual(ok({ data: { keys: ['a', 'b/'] } }))
    expect(await ask('GET', 'kv?list=true')).toEqual(ok({ data: { keys: ['a', 'b/'] } }))
    expect(await ask('LIST', 'sys/policies/acl')).toEqual(
      ok({ data: { keys: ['default', 'root'] } }),
    )
    expect(await ask('DELETE', 'kv/a')).toEqual(noContent)
    expect(await ask('LIST', 'kv')).toEqual(ok({ data: { keys: ['b/'] } }))
    expect(client.unread).toBe('')
  }

  test('LIST works over plain HTTP', async () => {
    const { wire } = await startSecrets()
    await talk(await wire())
  })

  test('LIST works over TLS', async () => {
    const dir = temporaryFolder()
    const { origins } = await start(['--port=0', '--tls', `--tls-dir=${dir}`])
    const ca = readFileSync(join(dir, 'ca.pem'), 'utf8')
    await talk(await WireClient.open({ port: Number(new URL(origins.secrets).port), ca }))
  })

  test('a Node client over TLS, which trusts only the CA, can use LIST on a keep-alive connection', async () => {
    const dir = temporaryFolder()
    const { origins } = await start(['--port=0', '--tls', `--tls-dir=${dir}`])
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      ca: readFileSync(join(dir, 'ca.pem')),
      rejectUnauthorized: true,
    })
    onTestFinished(() => agent.destroy())
    const ports = new Set<number | undefined>()
    const ask = async (method: string, path: string, body?: string): Promise<unknown> => {
      const sent = request(`${origins.secrets}/v1/${path}`, { method, agent, headers: rootToken })
      sent.end(body)
      const [response] = await once(sent, 'response')
      ports.add(sent.socket?.localPort)
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      return { status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) }
    }
    expect(await ask('POST', 'kv/a', '{"n":1}')).toEqual(noContent)
    expect(await ask('LIST', 'kv')).toEqual(ok({ data: { keys: ['a'] } }))
    expect(await ask('GET', 'kv/a')).toEqual(ok({ data: { n: 1 }, lease_duration: month }))
    expect(await ask('LIST', 'kv')).toEqual(ok({ data: { keys: ['a'] } }))
    expect(await ask('DELETE', 'kv/a')).toEqual(noContent)
    expect(await ask('LIST', 'kv')).toEqual(error(404))
    expect(ports.size).toBe(1)
  })
})

function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-secrets-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}
