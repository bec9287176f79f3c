import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { run, startCommand } from '../../support/command.ts'
import { filesOf } from '../../support/documentation/documented-commands.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-rehearse-'))
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Client program of the guide, which exits with 1 if the replica has not caught up with a write.
 */
const [, impatient = ''] = filesOf('docs/guide/rehearse.md')[0] ?? []
const client = (name: string, code: string) => {
  const file = join(folder, name)
  writeFileSync(file, code)
  return ['--', process.execPath, file]
}

await using understudy = await createUnderstudy()
const presetCount = understudy.world().faults.presets().length

const survivors = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/))

describe('behaviour/program#commands: understudy rehearse as a command', () => {
  test('a client without retries on 412 fails only under the matching preset', async () => {
    const { code, stdout, stderr } = await run(['rehearse', ...client('a.mjs', impatient)])
    expect(code).toBe(1)
    const rows = survivors(stdout)
    expect(rows.length).toBe(presetCount)
    const withOutcome = (outcome: string) =>
      rows.filter(([, survived]) => survived === outcome).map(([preset]) => preset)
    expect(withOutcome('no')).toEqual(['secrets-index-behind'])
    expect(withOutcome('yes')).toHaveLength(8)
    // The client uses no other API.
    expect(withOutcome('not used')).toEqual(
      expect.arrayContaining(['mesh-no-leader', 'scheduler-no-leader']),
    )
    expect(stderr).toContain(`understudy: ${presetCount} of ${presetCount}: any-truncated\n`)
  }, 240_000)

  test('a client with retries survives all presets, also over TLS', async () => {
    const off = 'if (reply.status === 412) process.exit(1)\n'
    expect(impatient).toContain(off)
    const code = impatient
      .replace(off, '')
      .replace(
        'const written',
        "import { ok } from 'node:assert'\nok(VAULT_ADDR.startsWith('https:'))\nconst written",
      )
    const argv = ['rehearse', '--tls', '--presets=secrets-index-behind', ...client('b.mjs', code)]
    const ended = await run(argv, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    expect(ended.stderr).not.toContain('without faults, the')
    const [row = []] = survivors(ended.stdout)
    expect([ended.code, ...row.slice(0, 4)]).toEqual([0, 'secrets-index-behind', 'yes', '3', '3'])
  })

  test('a client in the neutral dialect can be rehearsed', async () => {
    const code = impatient.replaceAll('X-Vault-', 'X-Secrets-').replaceAll('x-vault-', 'x-secrets-')
    const presets = '--presets=secrets-index-behind,secrets-rate-limited'
    const argv = ['rehearse', '--dialect=neutral', presets, ...client('c.mjs', code)]
    const { code: exit, stdout } = await run(argv)
    expect([exit, ...survivors(stdout).map((row) => row.slice(0, 4).join(' '))]).toEqual([
      1,
      'secrets-index-behind no 1 0',
      'secrets-rate-limited yes 5 5',
    ])
  })

  test('a signal reaches the command and ends the rehearsal', async () => {
    const waits = client('d.mjs', 'setInterval(() => {}, 1000)')
    const call = startCommand(['rehearse', '--time-limit=60s', ...waits])
    await call.waitForStderr('without faults')
    call.kill('SIGTERM')
    const { code, stdout } = await call.ended
    expect([code, stdout]).toEqual([143, ''])
  })

  test('a missing command prints one line, and the exit code is 2', async () => {
    const { code, stdout, stderr } = await run(['rehearse', '--', 'no-such-command'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'understudy: cannot run no-such-command: command not found',
    )
  })
})
