import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { start } from '../../support/command.ts'
import { fileOf, readDocument } from '../../support/files.ts'

describe('behaviour/program#drop-in: the example of a test job', () => {
  test('the tests of the example pass against its fixtures', async () => {
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
    // Compose files escape a dollar sign by doubling it.
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

describe('behaviour/program#clusters: the DR pair of the compose file', () => {
  test('west becomes a secondary of east, also if it already is one', async () => {
    const { services } = parse(readDocument('docker/dr/compose.yaml'), { merge: true })
    const names = ['east', 'west']
    expect(Object.keys(services)).toEqual([...names, 'link'])
    const { environment, volumes, command } = services.link
    expect(Object.keys(services.link.depends_on)).toEqual(names)
    expect(environment).toEqual({ EAST: 'http://east:4600', WEST: 'http://west:4600' })
    expect([volumes, command]).toEqual([
      ['./link.mjs:/link.mjs:ro'],
      ['node /link.mjs; touch /tmp/linked; exec sleep infinity'],
    ])
    const [east, west] = await Promise.all(
      names.map((name) => start(['--port=0'], services[name].environment)),
    )
    const [EAST = '', WEST = ''] = [east?.origins.control, west?.origins.control]
    const headers = { 'X-Vault-Token': 'root' }
    const body = JSON.stringify({ data: { user: 'ada' } })
    await fetch(`${EAST}/v1/secret/data/app`, { method: 'POST', headers, body })
    const link = () =>
      promisify(execFile)(process.execPath, [fileOf('docker/dr/link.mjs')], { env: { EAST, WEST } })
    expect((await link()).stdout).toBe('west follows east\n')
    expect((await link()).stdout).toBe('west follows east\n')
    const health = await fetch(`${WEST}/v1/sys/health`)
    expect(health.status).toBe(472)
  })
})

describe('behaviour/program#drop-in: the image', () => {
  test('the image has the package version as a label, and only the named base image', () => {
    const text = readDocument('Dockerfile')
    const { version } = JSON.parse(readDocument('package.json'))
    expect(text).toContain(`\nARG VERSION=${version}\n`)
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(bases).toEqual(Array(3).fill(['$', '{NODE_IMAGE}'].join('')))
  })
})
