import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run, start } from '../../support/command.ts'

const fixtures = `
secrets:
  mounts: { team/: { type: kv, options: { version: '2' } } }
  policies: { reader: 'path "team/data/*" { capabilities = ["read"] }' }
  kv: { team/: { app/db: { password: hunter2 } } }
`

/** Returns the mounts, policies and key names of a server. */
async function listing(origin: string): Promise<readonly unknown[]> {
  const paths = ['sys/mounts', 'sys/auth', 'sys/policies/acl?list=true', 'team/metadata?list=true']
  return Promise.all(
    paths.map(async (path) => {
      const headers = { 'X-Vault-Token': 'root' }
      const { data } = await (await fetch(`${origin}/v1/${path}`, { headers })).json()
      return path.endsWith('true') ? data : Object.keys(data).sort()
    }),
  )
}

describe('behaviour/program#commands: understudy capture as a command', {
  timeout: 120_000,
}, () => {
  test("a captured server, after validation and a start, returns the original's lists", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-capture-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const options = '--options={"secrets":{"start":"bare"}}'
    const vendor = ['--port=0', '--dialect=vendor']
    const from = await start([...vendor, options], { UNDERSTUDY_FIXTURES: fixtures })
    const { code, stdout, stderr } = await run([
      ...['capture', '--from', from.origins.secrets, '--service', 'secrets', '--token', 'root'],
    ])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toContain('hunter2')
    const file = join(folder, 'captured.yaml')
    writeFileSync(file, stdout)
    expect(await run(['validate', file])).toEqual({ code: 0, stdout: '', stderr: '' })
    const again = await start([...vendor, `--fixtures=${file}`])
    expect(await listing(again.origins.secrets)).toEqual(await listing(from.origins.secrets))
  })

  test('failures print one line and exit with 1 if the server refuses, with 2 if arguments are missing', async () => {
    const { origins } = await start(['--port=0', '--dialect=vendor'])
    const argv = ['capture', '--from', origins.secrets, '--service=secrets', '--token=wrong']
    const refused = await run(argv)
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(/^nothing captured: \/v1\/sys\/mounts answered 403: [^\n]*\n$/)
    expect(await run(['capture'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'understudy: capture needs --from URL\n',
    })
  })
})
