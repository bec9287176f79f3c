import { readFileSync } from 'node:fs'
import { projectPath } from '../clients/results.ts'

/** Programs that use the package, by file name. */

const secret = `{ fixtures: { secrets: { kv: { secret: { app: { a: 1 } } } } } }`

const body = `
async function main() {
  const understudy = await createUnderstudy(${secret})
  const url = await understudy.listen()
  const headers = { 'x-secrets-token': 'root' }
  const reply = await fetch(url + '/v1/secret/data/app', { headers })
  console.log(reply.status, (await reply.json()).data.data)
  await understudy.close()
}
main()
`

/** Programs that start a server, send a request, print `200 { a: 1 }` and close the server. */
export const programs = {
  'imports.mjs': `import { createUnderstudy } from 'infra-understudy'\n${body}`,
  'requires.cjs': `const { createUnderstudy } = require('infra-understudy')\n${body}`,
}

const ofTheRunner = `
test('has a world of its own', async ({ world, env }) => {
  world.secrets.put('secret/app', { a: 1 })
  const headers = { 'x-vault-token': env.VAULT_TOKEN }
  const reply = await fetch(env.VAULT_ADDR + '/v1/secret/data/app', { headers })
  expect(reply.status === 200).toBeTruthy()
  expect(world).toHaveSecret('secret/app', { a: 1 })
  expect(world).toHaveReceived({ path: '/v1/secret/data/app' })
})
`
const plain = ofTheRunner.replace(/.*toBeTruthy.*\n/, '')

export const nodeTests = {
  'imports.test.mjs': `import { expect, test } from 'infra-understudy/node'\n${plain}`,
  'requires.test.cjs': `const { expect, test } = require('infra-understudy/node')\n${plain}`,
}

const embedded = `
test('embeds a server', async () => {
  const understudy = await createUnderstudy(${secret})
  const reply = await understudy.inject('/v1/sys/health')
  expect(reply.json()).toMatchObject({ initialized: true, sealed: false })
  await understudy.close()
})
`

/** Test files for Jest: ES modules and CommonJS, with one server for all workers. */
export const jestTests = {
  'jest.config.json': JSON.stringify({
    testMatch: ['**/*.test.?js'],
    globalSetup: 'infra-understudy/global-setup',
    globalTeardown: 'infra-understudy/global-teardown',
  }),
  'requires.test.cjs': `const { createUnderstudy } = require('infra-understudy')
const { test: inWorld } = require('infra-understudy/jest')
${embedded}${ofTheRunner.replace('test(', 'inWorld(')}`,
  'imports.test.mjs': `import { createUnderstudy } from 'infra-understudy'
import { test as inWorld } from 'infra-understudy/jest'
${embedded}${ofTheRunner.replace('test(', 'inWorld(')}`,
  'shared.test.cjs': `const { connect } = require('infra-understudy/client')
test('finds the server that was started for all', async () => {
  const world = await connect().openWorld()
  expect((await fetch(world.env.VAULT_ADDR + '/v1/sys/health')).status).toBe(200)
  await world.delete()
})
`,
}

export const vitestTests = {
  'vitest.config.mjs': `export default { test: { globalSetup: ['infra-understudy/global-setup'] } }\n`,
  'imports.test.mjs': `import { expect } from 'vitest'
import { test } from 'infra-understudy/vitest'
${ofTheRunner}`,
}

const typed = `
import { connect } from 'infra-understudy/client'
import setUp from 'infra-understudy/global-setup'
import tearDown from 'infra-understudy/global-teardown'
import { createUnderstudy, type EmbeddedWorld, type Understudy } from 'infra-understudy'
import { expect, test, type Given } from 'infra-understudy/node'

export async function main(): Promise<void> {
  const understudy: Understudy = await createUnderstudy(${secret})
  const world: EmbeddedWorld = understudy.createWorld({ id: 'a', clock: 'frozen@2026-01-01T00:00:00Z' })
  const reply = await world.inject({ url: '/v1/sys/health', headers: { a: 'b' } })
  const code: number = reply.statusCode
  const paths: readonly string[] = world.secrets.paths()
  const end: () => Promise<void> = await setUp()
  await tearDown()
  await (await connect().openWorld()).delete()
  // All modules of the package must export the same class.
  const given = (own: Given): Understudy => own.understudy
  test('a', (own) => expect(own.world).toHaveSecret('secret/app', { a: given(own) }))
  // @ts-expect-error there is no such option
  await createUnderstudy({ seeed: 'a' })
  // @ts-expect-error there is no such member
  world.nothing()
  console.log(code, paths, end)
}
`

/** Programs for compilers; their type errors are marked as expected. */
export const typedPrograms = {
  'imports.ts': typed,
  'requires.cts': typed,
  'in-vitest.ts': `import { test } from 'infra-understudy/vitest'
test('a', ({ world, env, expect }) => {
  expect(world).toHaveReceived({ path: env.VAULT_ADDR })
  // @ts-expect-error there is no such assertion
  expect(world).toHaveNothing()
})
`,
  'in-jest.ts': `import { test } from 'infra-understudy/jest'
test('a', ({ world, env }) => {
  expect(world).toHaveReceived({ path: env.VAULT_ADDR })
  // @ts-expect-error there is no such assertion
  expect(world).toHaveNothing()
})
`,
}

/** Returns files shown in a guide, by the names that the guide gives them. */
export function documentedIn(
  name: 'embedding' | 'traces',
  ...names: readonly string[]
): Readonly<Record<string, string>> {
  const guide = readFileSync(projectPath(`docs/guide/${name}.md`), 'utf8')
  const blocks = guide.matchAll(/<!-- file (\S+) -->\n```\w+\n([\s\S]*?)```/g)
  const shown = new Map([...blocks].map(([, name, text]) => [name, text]))
  return Object.fromEntries(names.map((name) => [name, shown.get(name) ?? missing(name)]))
}

function missing(name: string): never {
  throw new Error(`the guide shows no ${name}`)
}
