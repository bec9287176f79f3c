import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runAs } from '../../../src/cli/as/run-as.ts'
import {
  createUnderstudy,
  type EmbeddedWorld,
  type Understudy,
} from '../../../src/embedding/index.ts'

let understudy: Understudy
beforeAll(async () => {
  understudy = await createUnderstudy({ dialect: 'vendor' })
  return () => understudy.close()
})

/** Returns a function that runs commands in a new world; `words` are separated by single spaces. */
async function container(options: object = {}) {
  const world: EmbeddedWorld = await understudy.openWorld({ options })
  onTestFinished(() => world.delete())
  const env = world.env()
  const call = (words: string, stdin = '') => runAs(words.split(' '), env, () => stdin)
  const output = async (words: string, stdin = '') => {
    const result = await call(words, stdin)
    return 'text' in result ? result.text : `${result.code}: ${result.line}`
  }
  return { world, call, said: output, env }
}

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-stand-in-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, text)
  return path
}

describe('behaviour/program#drop-in: vault', () => {
  test('kv put and get, of either version, from arguments, files and standard input', async () => {
    const { said: output, world } = await container()
    expect(await output('vault kv put secret/app/db user=ada password=@/dev/null')).toBe(
      'Success! Data written to: secret/data/app/db\n',
    )
    expect(await output('vault kv get -field=user secret/app/db')).toBe('ada\n')
    expect(world.secrets.get('secret/app/db')).toEqual({ user: 'ada', password: '' })
    await output('vault kv put -mount=secret json -', '{"a": {"b": 1}}')
    expect(await output('vault kv get -field a secret/json')).toBe('{"b":1}\n')
    expect(await output('vault kv put kv/x y=-', 'typed')).toBe('Success! Data written to: kv/x\n')
    expect(JSON.parse(await output('vault kv get kv/x'))).toEqual({ y: 'typed' })
    expect(await output('vault kv get -field=z kv/x')).toBe('1: Field "z" not present in secret')
  })

  test('engines, methods, policies, roles and tokens', async () => {
    const { said: output, world } = await container()
    expect(await output('vault secrets enable -path=team -version=2 kv')).toBe(
      'Success! Enabled the kv secrets engine at: team/\n',
    )
    expect(await output('vault secrets enable -path team2 kv-v2')).toContain('at: team2/')
    expect(await output('vault secrets enable transit')).toContain('the transit secrets engine')
    expect(await output('vault auth enable approle')).toBe(
      'Success! Enabled approle auth method at: approle/\n',
    )
    const rules = 'path "secret/*" { capabilities = ["read"] }'
    expect(await output(`vault policy write reader ${file(rules)}`)).toBe(
      'Success! Uploaded policy: reader\n',
    )
    expect(await output('vault policy write other -', rules)).toContain('other')
    expect(await output('vault write -f transit/keys/k')).toContain('"name": "k"')
    expect(await output('vault write auth/approle/role/r token_policies=reader')).toBe(
      'Success! Data written to: auth/approle/role/r\n',
    )
    const role = await output('vault read -field=role_id auth/approle/role/r/role-id')
    expect(role).toMatch(/^[0-9a-f-]{36}\n$/)
    expect(await output('vault delete auth/approle/role/r')).toMatch(/^Success! Data deleted/)
    const created = 'vault token create -policy=reader -policy=other -ttl=1h -id=mine -orphan'
    expect(JSON.parse(await output(created))).toMatchObject({
      client_token: 'mine',
      token_policies: ['default', 'other', 'reader'],
      orphan: true,
    })
    expect(await output('vault token create -field=token')).toMatch(/^hvs\.\S+\n$/)
    expect(world.secrets.get('secret/app')).toBeUndefined()
  })

  test('lists, patches, logins, plug-ins and the state of the node', async () => {
    const {
      said: output,
      world,
      call,
    } = await container({
      secrets: { pluginDirectory: '/plugins' },
    })
    await output('vault kv put secret/a/b x=1')
    expect(await output('vault list secret/metadata')).toBe('Keys\n----\na/\n')
    expect(await output('vault patch secret/data/a/b -', '{"data": {"y": 2}}')).toContain(
      '"version": 2',
    )
    expect(world.secrets.get('secret/a/b')).toEqual({ x: '1', y: 2 })
    expect(await output('vault login -field=token root')).toBe('root\n')
    await output('vault auth enable userpass')
    await output('vault write auth/userpass/users/ann password=pw')
    const login = 'vault login -method=userpass -token-only username=ann password=pw'
    expect(await output(login)).toMatch(/^hvs\.\S+$/)
    expect(await output('vault login -method=userpass password=pw')).toBe(
      "2: 'username' must be specified",
    )
    expect(await output('vault login -method=userpass username=ann password=pw')).toMatch(
      /^Success! You are now authenticated/,
    )
    const register = 'vault plugin register -sha256=abcd -version=1.0.0 secret own'
    expect(await output(register)).toBe('Success! Registered plugin: own\n')
    expect(await output('vault status')).toMatch(/^Sealed +false$/m)
    expect(await output('vault operator generate-root -decode=AAA= -otp=hv')).toBe('hv\n')
    await output('vault write -f sys/seal')
    expect(await call('vault status')).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^Unseal Progress +0\/3$/m),
    })
  })

  test('-format=json prints the replies whole', async () => {
    const { said: output } = await container()
    const json = async (words: string) => JSON.parse(await output(`vault ${words}`))
    await output('vault kv put secret/a x=1')
    const empty = { lease_id: '', lease_duration: 0, renewable: false, warnings: null }
    const read = await json('kv get -format=json secret/a')
    expect(read).toMatchObject({ ...empty, data: { data: { x: '1' } } })
    expect(Object.keys(read)).not.toContain('auth')
    const token = await json('token create -format=json -policy=default')
    expect(token).toMatchObject({ data: null, auth: { token_policies: ['default'] } })
    expect(await json('list -format=json secret/metadata')).toEqual(['a'])
    const hash = await json('write -format=json sys/tools/hash input=YQ==')
    expect(hash.data.sum).toMatch(/^\w{64}$/)
    expect(await json('status -format=json')).toMatchObject({ sealed: false, ha_enabled: true })
  })

  // choice/process#stored-login
  test('login stores its token in the file of the image, and later commands use it', async () => {
    const { world, env } = await container()
    const tokenFile = file('root\n')
    const { VAULT_TOKEN: _, ...others } = env
    const inImage = { ...others, UNDERSTUDY_TOKEN_FILE: tokenFile }
    const run = (words: string, more: object = {}) =>
      runAs(words.split(' '), { ...inImage, ...more }, () => '')
    world.secrets.token({ id: 'weak', policies: ['default'] })
    await run('vault login -no-store weak')
    await run('vault login -token-only weak')
    expect(readFileSync(tokenFile, 'utf8')).toBe('root\n')
    expect(await run('vault read -field=id auth/token/lookup-self')).toMatchObject({
      text: 'root\n',
    })
    expect(await run('vault login weak')).toMatchObject({
      text: expect.stringMatching(/^Success! You are now authenticated. The token is stored.$/m),
    })
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600)
    const own = 'vault read -field=id auth/token/lookup-self'
    expect(await run(own)).toMatchObject({ text: 'weak\n' })
    expect(await run(own, { VAULT_TOKEN: 'root' })).toMatchObject({ text: 'root\n' })
    const absent = { UNDERSTUDY_TOKEN_FILE: `${tokenFile}.absent` }
    expect(await run(own, absent)).toMatchObject({ text: 'root\n' })
    const folder = { UNDERSTUDY_TOKEN_FILE: tmpdir() }
    expect(await run(own, folder)).toMatchObject({
      code: 1,
      line: expect.stringMatching(/^cannot read /),
    })
  })

  test('a refused or unsupported call prints one line', async () => {
    const { said: output, env } = await container()
    expect(await output('vault secrets enable nothing')).toMatch(
      /^2: POST \/v1\/sys\/mounts\/nothing answered 400: [^\n]+$/,
    )
    expect(await output('vault operator rekey')).toMatch(
      /^2: vault operator rekey is not supported here; /,
    )
    expect(await output('vault kv put secret/a')).toBe('2: usage: vault kv put PATH KEY=VALUE...')
    expect(await output('vault kv put secret/a -', '[1]')).toBe(
      '2: data must be KEY=VALUE, or a JSON object as @FILE or -',
    )
    expect(await output('vault kv put secret/a b')).toMatch(/^2: data must be KEY=VALUE/)
    expect(await output('vault kv put secret/a [')).toMatch(/^2: data must be KEY=VALUE/)
    expect(await output('vault kv put secret/a b=@/no/such')).toMatch(/^1: cannot read \/no\/such /)
    expect(await output('terraform plan')).toBe('2: as needs a product: vault, consul, nomad')
    const unreachable = { ...env, VAULT_ADDR: 'http://127.0.0.1:9', VAULT_TOKEN: '' }
    expect(await runAs(['vault', 'read', 'sys/health'], unreachable)).toMatchObject({
      code: 2,
      line: expect.stringMatching(/^http:\/\/127.0.0.1:9 did not answer: /),
    })
  })
})

describe('behaviour/program#drop-in: vault operator', () => {
  const uninitialized = { secrets: { start: 'bare', initialized: false } }

  test('init prints shares and token, and unseal takes the shares', async () => {
    const { said: output, call } = await container(uninitialized)
    expect(await call('vault status')).toMatchObject({ code: 2 })
    const text = await output('vault operator init')
    const keys = text.match(/(?<=^Unseal Key \d: ).+$/gm) ?? []
    expect(keys).toHaveLength(5)
    expect(text).toMatch(/^Initial Root Token: hvs\.\w{24}$/m)
    expect(await output(`vault operator unseal ${keys[0]}`)).toMatch(/^Sealed +true$/m)
    await output(`vault operator unseal ${keys[3]}`)
    expect(await output(`vault operator unseal ${keys[1]}`)).toMatch(/^Sealed +false$/m)
    expect(await call('vault operator init')).toMatchObject({
      code: 2,
      line: expect.stringContaining('Vault is already initialized'),
    })
    expect(await call('vault operator unseal')).toMatchObject({ code: 2 })
  })

  test('init prints JSON for scripts', async () => {
    const { said: output } = await container(uninitialized)
    const text = await output('vault operator init -key-shares=1 -key-threshold=1 -format=json')
    const { unseal_keys_b64: keys, ...made } = JSON.parse(text)
    expect(made).toMatchObject({ unseal_shares: 1, unseal_threshold: 1 })
    expect(made.root_token).toMatch(/^hvs\./)
    expect(await output(`vault operator unseal ${keys[0]}`)).toMatch(/^Sealed +false$/m)
  })
})

describe('behaviour/program#drop-in: consul and nomad', () => {
  test('consul kv and acl bootstrap', async () => {
    const { said: output, env } = await container({
      mesh: { aclEnabled: true, bootstrap: 'open', initialManagementToken: null },
    })
    const bootstrapOutput = await output('consul acl bootstrap')
    const [, token = ''] = /^SecretID: +(\S+)$/m.exec(bootstrapOutput) ?? []
    const host = String(env['CONSUL_HTTP_ADDR']).replace('http://', '')
    const as = { CONSUL_HTTP_ADDR: host, CONSUL_HTTP_TOKEN: token }
    const said2 = async (words: string) => {
      const result = await runAs(words.split(' '), as)
      return 'text' in result ? result.text : result.line
    }
    expect(await said2('consul kv put app/color blue')).toBe(
      'Success! Data written to: app/color\n',
    )
    expect(await said2('consul kv get app/color')).toBe('blue\n')
    expect(await said2('consul kv delete app/color')).toBe('Success! Deleted key: app/color\n')
    expect(await said2('consul lock x')).toMatch(/^consul lock x is not supported/)
    expect(await output('consul acl bootstrap')).toMatch(
      /^1: PUT \/v1\/acl\/bootstrap answered 403: /,
    )
  })

  test('consul registers services and writes intentions, entries, events and ACL objects', async () => {
    const { env } = await container({ mesh: { aclEnabled: true, defaultPolicy: 'allow' } })
    const run = async (words: string) => {
      const as = { ...env, CONSUL_HTTP_TOKEN: 'mesh-management-token' }
      const result = await runAs(['consul', ...words.split(' ')], as)
      return 'text' in result ? result.text : result.line
    }
    const folder = mkdtempSync(join(tmpdir(), 'as-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const hcl = file('service { name = "db" port = 5432 }')
    const accessor = '11111111-2222-3333-4444-555555555555'
    for (const [words, text] of [
      [
        'services register -name=web -id=web1 -port=80 -tag=a -meta=k=v',
        'Registered service: web\n',
      ],
      [`services register ${hcl}`, 'Registered service: db\n'],
      ['catalog services -tags', 'consul  \ndb      \nweb     a\n'],
      ['maint -enable -service=web1', 'Service maintenance is now enabled for "web1"\n'],
      ['maint -disable', 'Node maintenance is now disabled\n'],
      ['services deregister -id=web1', 'Deregistered service: web1\n'],
      ['intention create -deny web db', 'Created: web => db (deny)\n'],
      ['intention create web db', /answered 500: Sources\[1\] defines "web" more than once/],
      ['intention create -replace -meta=k=v web db', ''],
      ['intention match db', 'web => db (allow)\n'],
      ['intention delete web db', 'Intention deleted.\n'],
      [
        `intention create -file ${file('{"SourceName":"*","DestinationName":"db","Action":"deny"}')}`,
        'Created: * => db (deny)\n',
      ],
      ['intention create -allow -deny a b', 'Only one of -allow or -deny may be specified.'],
      ['intention check web db', 'Denied\n'],
      ['intention delete * db', 'Intention deleted.\n'],
      ['intention check web db', 'Allowed\n'],
      [
        `config write ${file('Kind = "service-defaults"\nName = "web"\nProtocol = "http"')}`,
        'Config entry written: service-defaults/web\n',
      ],
      ['config list -kind=service-defaults', 'web\n'],
      [
        'config delete -kind=service-defaults -name=web',
        'Config entry deleted: service-defaults/web\n',
      ],
      ['kv put a/b 1', 'Success! Data written to: a/b\n'],
      [`snapshot save ${folder}/s`, /^Saved and verified snapshot to index \d+\n$/],
      ['kv delete -recurse a', 'Success! Deleted keys with prefix: a\n'],
      [`snapshot restore ${folder}/s`, 'Restored snapshot\n'],
      ['kv export a', '[\n\t{\n\t\t"key": "a/b",\n\t\t"flags": 0,\n\t\t"value": "MQ=="\n\t}\n]\n'],
      ['kv import [{"key":"c","flags":1,"value":"MQ=="}]', 'Imported: c\n'],
      ['kv import [', /^Cannot unmarshal data: ./],
      [
        'acl auth-method create -name=m -type=jwt -config={',
        /^Error parsing JSON for auth method config: ./,
      ],
      ['reload', 'Configuration reload triggered\n'],
      ['version', 'Consul v1.18.0+ent\n'],
      ['event -name=deploy', /^Event ID: [0-9a-f-]{36}\n$/],
      ['acl policy create -name=reader -rules=key_prefix""{policy="read"}', /Name: +reader\n/],
      ['acl role create -name=r -policy-name=reader', /Policies:\n {3}[0-9a-f-]{36} - reader\n/],
      ['acl token create -description=ada -role-name=r', /SecretID: +[0-9a-f-]{36}\n/],
      ['acl policy update -name=reader -description=d', /^Policy updated .*\n(?:.*\n)*Rules:\nkey/],
      ['acl role update -name=r -service-identity=web', /Policies:\n {3}[0-9a-f-]{36} - reader\n/],
      [`acl token create -accessor=${accessor} -node-identity=n:dc1`, /^AccessorID: +1{8}/m],
      [`acl token update -id=${accessor} -append-role-name=r -description=x`, /Roles:\n.* - r\n/],
      [
        `acl token update -id=${accessor} -role-name=r -append-role-name=r`,
        /^Cannot combine flags/,
      ],
      [`acl token update -id=${accessor} -policy-name=reader`, /Roles:\n.* - r\n/],
      ['acl policy delete -name=reader', /^Policy "[0-9a-f-]{36}" deleted successfully\n$/],
      ['acl set-agent-token default x', 'ACL token "default" set successfully\n'],
      ['members', /^Node +Address +Status +Type/],
      ['catalog datacenters', 'dc1\n'],
    ] as const) {
      const said = await run(words)
      if (typeof text === 'string') expect([words, said]).toEqual([words, text])
      else expect(said).toMatch(text)
    }
    const [, id = ''] = /^ID: +(\S+)$/m.exec(await run('acl role read -name=r')) ?? []
    expect(await run(`acl role update -id=${id} -name=renamed`)).toMatch(/^Name: +renamed$/m)
    expect(await run('acl role read -name=renamed')).toContain(id)
    expect(await run('services register')).toMatch(/^usage: consul services register -name NAME/)
  })

  test('nomad job run, namespace apply and acl bootstrap', async () => {
    const { said: output, world } = await container()
    expect(await output('nomad namespace apply -description x blue')).toBe(
      'Successfully applied namespace "blue"!\n',
    )
    const hcl = 'job "web" {\n group "g" {\n task "t" {\n driver = "mock_driver"\n }\n }\n}'
    expect(await output(`nomad job run -detach ${file(hcl)}`)).toMatch(
      /^Job registration successful\nEvaluation ID: [0-9a-f-]{36}\n$/,
    )
    const group = { Name: 'g', Tasks: [{ Name: 't', Driver: 'mock_driver' }] }
    const job = { ID: 'sent', Name: 'sent', TaskGroups: [group] }
    await output('nomad job run -', JSON.stringify({ Job: job }))
    await output('nomad job run -namespace=blue -', JSON.stringify({ ...job, Namespace: 'blue' }))
    expect(world.scheduler.jobs().map(({ ID, Namespace }) => `${Namespace}/${ID}`)).toEqual([
      'blue/sent',
      'default/sent',
      'default/web',
    ])
    expect(await output('nomad job run -', '{')).toBe('1: the job is not valid JSON')
    expect(await output('nomad acl bootstrap')).toMatch(
      /^1: POST \/v1\/acl\/bootstrap answered 400: /,
    )
    expect(await output('nomad node drain')).toMatch(/^1: nomad node drain is not supported here; /)
  })
})
