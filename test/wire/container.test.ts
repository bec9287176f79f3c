import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { start } from '../support/command.ts'
import { fileOf, readDocument } from '../support/files.ts'

describe('behaviour/program#drop-in: the example of a test job', () => {
  test('its tests pass against its fixtures', async () => {
    const { services } = parse(readDocument('docker/compose.tests.yaml'))
    expect(services.tests.depends_on).toEqual({ understudy: { condition: 'service_healthy' } })
    const { UNDERSTUDY_DIALECT, UNDERSTUDY_FIXTURES } = services.understudy.environment
    expect(services.understudy.volumes).toEqual([
      `.${UNDERSTUDY_FIXTURES}:${UNDERSTUDY_FIXTURES}:ro`,
    ])
    const { origins } = await start(['--port=0'], {
      UNDERSTUDY_DIALECT,
      UNDERSTUDY_FIXTURES: fileOf(`docker${UNDERSTUDY_FIXTURES}`),
    })
    const folder = mkdtempSync(join(tmpdir(), 'understudy-container-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const command = readDocument('docker/bin/vault').replace('/app/', fileOf('/'))
    writeFileSync(join(folder, 'vault'), command, { mode: 0o755 })
    // Compose writes a dollar sign as two.
    const script = services.tests.command[0].replaceAll('$$', '$')
    const { stdout } = await promisify(execFile)('/bin/sh', ['-euc', script], {
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        VAULT_ADDR: origins.secrets,
        VAULT_TOKEN: services.tests.environment.VAULT_TOKEN,
      },
    })
    expect(stdout).toBe('tests passed for ada\n')
  })
})
