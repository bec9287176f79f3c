import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { writeEnvironment } from '../../../routes/control/worlds/environment.ts'
import { printEnvironment } from '../../../src/cli/env.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const target = { host: '127.0.0.1', port: 0, format: 'json' } as const

/** Starts a server that is not an understudy, or a port that does not answer. */
async function otherServer(answer?: string): Promise<string> {
  const server = createServer((_request, reply) => {
    if (answer !== undefined) reply.writeHead(500).end(answer)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('behaviour/program#commands: the environment of a running server', () => {
  test('is that of the server, or of one of its worlds', async () => {
    const understudy = await createUnderstudy()
    onTestFinished(() => understudy.close())
    const url = await understudy.listen()
    const world = understudy.createWorld({ id: 'w' })
    const caller = { VAULT_NEW_SETTING: 'x', NO_PROXY: 'a.test', HOME: '/home/ada' }
    const printResult = async (more: object) => {
      const printed = await printEnvironment({ ...target, url, ...more }, caller)
      if (printed.code !== 0) return printed.line
      const variables: Record<string, string | null> = JSON.parse(printed.text)
      expect(variables).toMatchObject({ VAULT_NEW_SETTING: null, VAULT_AGENT_ADDR: null })
      expect(variables['NO_PROXY']).toBe('a.test,localhost,127.0.0.1,::1')
      expect(variables).not.toHaveProperty('HOME')
      const { NO_PROXY: _, no_proxy: __, ...rest } = variables
      return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
    }
    expect(await printResult({})).toEqual(understudy.world().env(undefined, {}))
    expect(await printResult({ url: undefined, port: Number(new URL(url).port) })).toEqual(
      understudy.world().env(undefined, {}),
    )
    expect(await printResult({ world: 'w' })).toEqual(world.env(undefined, {}))
    expect(await printResult({ url: `${url}/_world/w/` })).toEqual(world.env(undefined, {}))
    expect(await printResult({ world: 'x' })).toBe(
      `no environment: ${url}/_mock/worlds/x/env?format=json answered 404: there is no world "x"`,
    )
  })

  test('fails if another server answers, or none', async () => {
    const other = await otherServer('who\nare you?\n')
    expect(await printEnvironment({ ...target, url: other }, {})).toEqual({
      code: 1,
      line: `no environment: ${other}/_mock/env?format=json answered 500: who are you?`,
    })
    const silent = await otherServer()
    expect(await printEnvironment({ ...target, url: silent }, {}, 50)).toEqual({
      code: 1,
      line: `no environment: ${silent}/_mock/env?format=json did not answer within 50 ms`,
    })
    await expect(printEnvironment({ ...target, url: 'https://a b' }, {})).rejects.toThrow(
      '--url must be',
    )
  })

  test('is quoted in files as their readers take it', () => {
    const environment = { A: 'plain', B: 'two words', C: "it's", D: `it's "so"`, E: `'"\`` }
    expect(writeEnvironment({ A: '1' }, 'sh', ['B'])).toBe(`export A='1'\nunset B\n`)
    expect(writeEnvironment({ A: '1' }, 'dotenv', ['B'])).toBe('A=1\nB=\n')
    expect(writeEnvironment({ A: '1' }, 'github', ['B'])).toBe('A=1\nB=\n')
    expect(JSON.parse(writeEnvironment({ A: '1' }, 'json', ['B']))).toEqual({ A: '1', B: null })
    expect(writeEnvironment(environment, 'dotenv')).toBe(
      `A=plain\nB='two words'\nC="it's"\nD=\`it's "so"\`\nE=''"\`'\n`,
    )
  })
})
