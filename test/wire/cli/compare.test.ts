import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { run, start, startCommand } from '../../support/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-compare-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bareFlags = ['--port=0', '--options={"secrets":{"start":"bare"}}']
const managementToken = '11111111-2222-3333-4444-555555555555'
const cluster = (options: object) => [
  '--port=0',
  '--scheduler-port=0',
  '--dialect=vendor',
  `--options=${JSON.stringify({ scheduler: { timeScale: 0, ...options } })}`,
]
const withAcls = cluster({ aclEnabled: true, initialManagementToken: managementToken })

/** Sends a request to the secrets API of a server with its root token. */
async function ask(url: string, header: string, token: string) {
  const reply = await fetch(url, { headers: { [header]: token } })
  return { status: reply.status, body: await reply.json() }
}

const compared = (url: string, ...more: readonly string[]) => [
  ...['compare', '--against', url, '--token=root', '--seed=a', ...more],
]

describe('behaviour/program#commands: understudy compare as a command', () => {
  test.each(['vendor', 'neutral'])(
    'a server of this build has no differences, and keeps no data: %s',
    async (dialect) => {
      const { origins } = await start([...bareFlags, `--dialect=${dialect}`])
      const listed = async () => {
        const places = ['sys/mounts', 'sys/auth', 'sys/policies/acl?list=true']
        const tokens = 'auth/token/accessors?list=true'
        return await Promise.all(
          [...places, tokens].map(async (path) => {
            const { body } = await ask(`${origins.secrets}/v1/${path}`, 'x-vault-token', 'root')
            return path === tokens
              ? body.data.keys.length
              : Object.keys(body.data.keys ?? body.data)
          }),
        )
      }
      const before = await listed()
      const argv = compared(origins.secrets, '--sequences=20', `--dialect=${dialect}`)
      const { code, stdout, stderr } = await run(argv)
      expect([code, stdout]).toEqual([0, '20 sequences with seed a: 0 kinds of differences\n'])
      expect(stderr).toBe(`understudy: 20 sequences with seed a, secrets of ${origins.secrets}\n`)
      expect(await listed()).toEqual(before)
    },
    240_000,
  )

  test('a planted fault is reported, and the exit code is 1', async () => {
    const { origins } = await start([...bareFlags, '--dialect=vendor'])
    const reply = await fetch(`${origins.control}/_mock/faults`, {
      method: 'POST',
      body: JSON.stringify({ match: { operation: 'enableMount' }, action: { status: 418 } }),
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(201)
    const { code, stdout } = await run(compared(origins.secrets, '--sequences=1'))
    expect(code).toBe(1)
    expect(stdout).toMatch(/\n\n1 sequences? with seed a: \d+ kinds? of differences\n$/)
  }, 240_000)

  test.each([
    { acls: 'on', argv: withAcls, token: managementToken },
    { acls: 'off', argv: cluster({}), token: '' },
  ])(
    'the jobs API has no differences, and other jobs stay: ACLs $acls',
    async ({ argv, token }) => {
      const { origins } = await start(argv)
      const headers = { 'x-nomad-token': token }
      const Job = { ID: 'mine', Name: 'mine', Type: 'service', Datacenters: ['dc1'] }
      const TaskGroups = [
        { Name: 'g', Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'a' } }] },
      ]
      const body = JSON.stringify({ Job: { ...Job, TaskGroups } })
      const created = await fetch(`${origins.scheduler}/v1/jobs`, { method: 'POST', headers, body })
      expect(created.status).toBe(200)
      const tokenFlags = token === '' ? [] : [`--token=${token}`]
      const compare = ['compare', '--service=scheduler', '--against', origins.scheduler, '--seed=b']
      const { code, stdout } = await run([...compare, '--sequences=20', ...tokenFlags])
      expect(stdout).toMatch(/(?:^|\n)20 sequences with seed b: 0 kinds of differences[^\n]*\n$/)
      expect(code).toBe(0)
      const jobs = await (
        await fetch(`${origins.scheduler}/v1/jobs?namespace=*`, { headers })
      ).json()
      expect(jobs.map(({ ID }: { ID: string }) => ID)).toEqual(['mine'])
    },
    240_000,
  )

  test('the command supports TLS with a CA from NODE_EXTRA_CA_CERTS', async () => {
    const tls = join(folder, 'tls')
    const { origins } = await start([...bareFlags, '--dialect=vendor', `--tls-dir=${tls}`])
    expect(origins.secrets).toMatch(/^https:/)
    const argv = compared(origins.secrets, '--sequences=3', '--tls')
    const { code, stdout } = await run(argv, { NODE_EXTRA_CA_CERTS: join(tls, 'ca.pem') })
    expect([code, stdout]).toEqual([0, '3 sequences with seed a: 0 kinds of differences\n'])
    const distrusted = await run(argv)
    expect(distrusted.code).toBe(2)
    expect(distrusted.stderr).toMatch(/\nunderstudy: https:[^\n]*certificate[^\n]*\n$/)
  }, 240_000)

  test('one seed gives one sequence of requests; a signal ends the run and removes its data', async () => {
    const { origins } = await start([...bareFlags, '--dialect=vendor'])
    const call = startCommand(compared(origins.secrets, '--sequences=99999'))
    await call.waitForStderr('sequences with seed')
    call.kill('SIGINT')
    const { code, stdout } = await call.ended
    expect(code).toBe(130)
    expect(stdout).toMatch(/^\d+ sequences with seed a: 0 kinds of differences\n$/)
    const mounts = await ask(`${origins.secrets}/v1/sys/mounts`, 'x-vault-token', 'root')
    expect(Object.keys(mounts.body.data).filter((name) => name.includes('understudy'))).toEqual([])
  }, 240_000)

  test('invalid arguments and incomparable servers print one line, and the exit code is 2', async () => {
    const { origins } = await start(['--port=0', '--dialect=vendor'])
    const refused = async (argv: readonly string[]) => {
      const { code, stdout, stderr } = await run(['compare', ...argv])
      expect([code, stdout]).toEqual([2, ''])
      return stderr.split('\n').slice(-2).join('\n')
    }
    const { secrets: url } = origins
    expect(await refused([])).toBe('understudy: compare needs --against URL\n')
    expect(await refused(['--against=vault.example'])).toBe(
      'understudy: --against must be the address of a server, such as http://127.0.0.1:8200\n',
    )
    expect(await refused([`--against=${url}`])).toBe(
      'understudy: compare needs --token TOKEN, a root token of that server\n',
    )
    expect(await refused([`--against=${url}`, '--service=mesh'])).toBe(
      'understudy: compare supports --service secrets and scheduler\n',
    )
    expect(await refused(['--against=https://a:b@vault.example', '--token=t'])).toBe(
      'understudy: compare writes to https://vault.example, which is on another machine; add --yes to allow that\n',
    )
    expect(await refused([`--against=${url}`, '--token=wrong'])).toMatch(
      /^understudy: nothing compared: the server answered 403: \{"errors":\[.*\n$/,
    )
    const report = join(folder, 'none')
    const closedServer = createServer()
    await new Promise<void>((resolve) => closedServer.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void closedServer.close())
    const { port } = closedServer.address() as AddressInfo
    await new Promise((resolve) => closedServer.close(resolve))
    const argv = [`--against=http://127.0.0.1:${port}`, '--token=root', `--report=${report}`]
    expect(await refused(argv)).toMatch(
      new RegExp(`^understudy: http://127.0.0.1:${port}: [^\n]*ECONNREFUSED[^\n]*\n$`),
    )
  }, 240_000)
})
