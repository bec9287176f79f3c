/**
 * Body of a suite with seven failing tests for the JavaScript runners. Only the server knows why
 * each test fails. The code expects `failing(title, run)` and `hanging(title, run)`, the latter
 * with a limit of about a second.
 */
const tests = `
const ask = async (url, { method = 'GET', token, body } = {}) => {
  const headers = { 'content-type': 'application/json', ...(token && { 'x-vault-token': token }) }
  const reply = await fetch(url, { method, headers, body: body && JSON.stringify(body) })
  if (!reply.ok) throw new Error('the program ended with status ' + reply.status)
  const text = await reply.text()
  return { headers: reply.headers, json: text === '' ? undefined : JSON.parse(text) }
}
const vault = ({ VAULT_ADDR, VAULT_TOKEN }, method, path, body, token = VAULT_TOKEN) =>
  ask(VAULT_ADDR + '/v1/' + path, { method, token, body })

failing('wrong cas', async ({ env }) => {
  await vault(env, 'POST', 'secret/data/app', { data: { color: 'blue' } })
  await vault(env, 'POST', 'secret/data/app', { data: { color: 'red' }, options: { cas: 0 } })
})

failing('expired token', async ({ world, env }) => {
  const { json } = await vault(env, 'POST', 'auth/token/create', { ttl: '1m' })
  await world.clock.advance('2m')
  await vault(env, 'GET', 'auth/token/lookup-self', undefined, json.auth.client_token)
})

failing('job that never runs', async ({ world, env }) => {
  const group = { Name: 'web', Tasks: [{ Name: 'web', Driver: 'docker', Config: { image: 'web' } }] }
  const Job = { ID: 'web', Name: 'web', Type: 'service', Datacenters: ['dc9'], TaskGroups: [group] }
  await ask(env.NOMAD_ADDR + '/v1/jobs', { method: 'PUT', body: { Job } })
  await world.clock.advance('10s')
  const { json } = await ask(env.NOMAD_ADDR + '/v1/job/web/allocations')
  if (json.length === 0) throw new Error('the job does not run')
})

failing('denied path', async ({ env }) => {
  const policy = 'path "secret/data/app" { capabilities = ["read"] }'
  await vault(env, 'PUT', 'sys/policies/acl/app', { policy })
  const { json } = await vault(env, 'POST', 'auth/token/create', { policies: ['app'] })
  await vault(env, 'GET', 'secret/data/other', undefined, json.auth.client_token)
})

failing('sealed node', async ({ world, env }) => {
  world.faults.preset('secrets-sealed')
  await vault(env, 'GET', 'secret/data/app')
})

failing('nothing arrived', async ({ env: _unused }) => {
  await ask('http://127.0.0.1:2/v1/secret/data/app')
})

hanging('hung blocking read', async ({ env }) => {
  await ask(env.CONSUL_HTTP_ADDR + '/v1/kv/lock', { method: 'PUT', body: 'free' })
  const { headers } = await ask(env.CONSUL_HTTP_ADDR + '/v1/kv/lock')
  const index = headers.get('x-consul-index')
  await ask(env.CONSUL_HTTP_ADDR + '/v1/kv/lock?wait=5m&index=' + index)
})
`

/** Declarations of `failing` and `hanging` by runner. */
const declarations = {
  vitest: `const failing = base
const hanging = (title, run) => base(title, { timeout: 1000 }, run)`,
  node: `const failing = base
const hanging = (title, run) => base(title, { timeout: 1000 }, run)`,
  jest: `const failing = base
const hanging = (title, run) => base(title, run, 1000)`,
}

/**
 * Returns the text of the suite for a runner, as a module.
 *
 * @param fixtures module with the fixtures, such as `infra-understudy/jest`
 */
export function failingSuite(runner: keyof typeof declarations, fixtures: string): string {
  // Vitest finds the fixtures that a test uses by the names of the test's parameters.
  return `import { test as fixtureTest } from ${JSON.stringify(fixtures)}
const base = fixtureTest.extend({ dump: 'never', verify: { unmatched: 'ignore' } })
${declarations[runner]}
${tests}`
}
