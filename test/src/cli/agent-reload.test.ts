import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/cli/config.ts'
import { Understudy } from '../../../src/embedding/understudy.ts'
import { servicesWithFiles } from '../../../src/services.ts'

// behaviour/mesh#agent
test('a reload registers, replaces and removes definitions of the files, and keeps those of the API', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  const file = join(folder, 'web.hcl')
  writeFileSync(
    file,
    'service { name = "web" port = 80 check { ttl = "1m" } }\nservice { name = "old" }\ncheck { name = "gone" ttl = "1m" }',
  )
  const config = await readConfig(['agent', '-dev', '-config-dir', folder], {}, false)
  if (!('agentFiles' in config) || config.agentFiles === undefined) throw new Error('no files')
  const { fixtures, agentFiles } = config
  const services = servicesWithFiles(agentFiles).filter(({ name }) => name === 'mesh')
  const understudy = new Understudy(
    { fixtures, dialect: 'vendor', apiPorts: { mesh: 0 } },
    services,
  )
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    return understudy.close()
  })
  await understudy.listen()
  const put = async (path: string, body?: string) => {
    const reply = await fetch(`${understudy.apiUrl('mesh')}/v1/${path}`, {
      method: 'PUT',
      ...(body !== undefined && { body }),
    })
    return [reply.status, await reply.text()]
  }
  const read = async (path: string) =>
    (await fetch(`${understudy.apiUrl('mesh')}/v1/agent/${path}`)).json()
  await put('agent/check/pass/service:web')
  await put('agent/service/register', '{"Name": "api"}')
  writeFileSync(
    file,
    'service { name = "web" port = 81 check { ttl = "2m" } }\nservice { name = "new" tags = ["a"] }',
  )
  expect(await put('agent/reload')).toEqual([200, ''])
  const listed = await read('services')
  expect(Object.keys(listed)).toEqual(['api', 'new', 'web'])
  expect(listed.web.Port).toBe(81)
  const checks = await read('checks')
  expect(Object.keys(checks)).toEqual(['service:web'])
  expect(checks['service:web'].Status).toBe('passing')
  writeFileSync(file, 'service { name = "x" bogus = 1 }')
  expect(await put('agent/reload')).toEqual([
    500,
    `failed to parse ${file}: 1 error occurred:\n\t* invalid config key service.bogus\n\n`,
  ])
  expect(Object.keys(await read('services'))).toEqual(['api', 'new', 'web'])
  writeFileSync(file, 'service { name = "web" }')
  expect(await put('agent/reload')).toEqual([200, ''])
  expect(Object.keys(await read('services'))).toEqual(['api', 'web'])
  expect(await read('checks')).toEqual({})
})
