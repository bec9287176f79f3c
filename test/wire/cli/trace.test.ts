import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTrace } from '../../../routes/trace/page.ts'
import { run, start } from '../../support/command.ts'

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 't.html')
}

const traceIn = (file: string) => readTrace(readFileSync(file, 'utf8'))

describe('behaviour/program#traces: the built command', () => {
  test('exec writes a trace, which summary and json read', async () => {
    const file = temporaryFile()
    const program = `
      const headers = { 'x-vault-token': 'no-such-token' }
      fetch(process.env.VAULT_ADDR + '/v1/secret/data/x', { headers }).then(() => process.exit(3))`
    const argv = ['exec', `--trace=${file}`, '--', process.execPath, '-e', program]
    const { code, stderr } = await run(argv)
    expect(code).toBe(3)
    expect(stderr.endsWith(`understudy: trace: ${file}\n`)).toBe(true)
    const summary = await run(['trace', 'summary', file])
    expect(summary.stdout).toContain('- `r1 GET /v1/secret/data/x` 403')
    const state = await run(['trace', 'json', file, '--at=r1'])
    expect(JSON.parse(state.stdout)).toMatchObject({ format: 1 })
    writeFileSync(file, 'damaged')
    const damaged = await run(['trace', 'summary', file])
    expect([damaged.code, damaged.stdout, damaged.stderr]).toEqual([
      2,
      '',
      `understudy: ${file}: this is not a trace: it holds no data\n`,
    ])
  })

  test('start writes a trace at its end, with requests that are open', async () => {
    const file = temporaryFile()
    const server = await start(['--port=0', `--trace=${file}`])
    const { control } = server.origins
    await fetch(`${control}/_mock/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"action":{"hang":true}}',
    })
    const hanging = fetch(`${control}/v1/sys/health`).catch(() => undefined)
    await expect
      .poll(async () => (await fetch(`${control}/_mock/requests/open`)).text())
      .toContain('/v1/sys/health')
    expect(existsSync(file)).toBe(false)
    const { code, stderr } = await server.stop('SIGTERM')
    await hanging
    expect([code, stderr.split('\n').at(-2)]).toEqual([0, `understudy: trace: ${file}`])
    expect(traceIn(file).worlds[0]?.open).toMatchObject([{ path: '/v1/sys/health' }])
  })

  test('start writes a trace when a client shuts it down', async () => {
    const file = temporaryFile()
    const server = await start(['--port=0', '--allow-shutdown', `--trace=${file}`])
    await fetch(`${server.origins.control}/_mock/shutdown`, { method: 'POST' })
    expect((await server.ended).code).toBe(0)
    expect(traceIn(file).run.flags).toContain('--allow-shutdown')
  })

  test('a path that cannot be a file is refused before the start', async () => {
    const { code, stdout, stderr } = await run(['--port=0', '--trace=/dev/null'])
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      'understudy: --trace: /dev/null is a device; it must be a file\n',
    ])
  })
})
