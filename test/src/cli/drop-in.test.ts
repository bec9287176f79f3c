import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Config, readConfig } from '../../../src/cli/config.ts'
import { parseDropIn } from '../../../src/cli/flags/drop-in.ts'

async function config(argv: string[], environment: Record<string, string> = {}): Promise<Config> {
  const call = await readConfig(argv, environment, false)
  if (!('command' in call)) throw new Error('expected a configuration')
  return call
}

const vendorDefaults = {
  command: 'start',
  dialect: 'vendor',
  port: 4600,
  secretsPort: 8200,
  meshPort: 8500,
  schedulerPort: 4646,
}

describe('behaviour/program#drop-in: calls that are meant for the products', () => {
  test('server -dev, with its flags in either form', async () => {
    const listen = '-dev-listen-address=0.0.0.0:8210'
    const started = await config(['server', '-dev', '-dev-root-token-id', 'myroot', listen])
    expect(started).toMatchObject({
      ...vendorDefaults,
      host: '0.0.0.0',
      secretsPort: 8210,
      rootToken: 'myroot',
      warnings: [],
      announcements: [],
      startLines: 'development',
      options: { secrets: { start: 'dev' } },
    })
  })

  test('agent -dev, of Consul and of Nomad', async () => {
    const started = await config(['agent', '-dev', '-client', '0.0.0.0', '-ui', '-http-port=8510'])
    expect(started).toMatchObject({ ...vendorDefaults, host: '0.0.0.0', meshPort: 8510 })
    expect([started.startLines, started.options]).toEqual([undefined, {}])
    expect(started.announcements).toContain('==> Consul agent running!')
    expect(started.announcements).toContain(
      '==> Nomad agent started! Log data will stream in below:',
    )
  })

  test.each([
    ['-dev-kv-v1', { start: 'dev', kvVersion: 1 }],
    ['--dev-kv-v1=true', { start: 'dev', kvVersion: 1 }],
    ['-dev-kv-v1=false', { start: 'dev' }],
    ['-dev-skip-init', { start: 'dev', initialized: false }],
    ['--dev-skip-init=false', { start: 'dev' }],
  ])('server -dev %s says how its world begins', async (flag, secrets) => {
    const started = await config(['server', '-dev', flag])
    expect([started.options, started.warnings]).toEqual([
      { secrets: { ...secrets, randomRootToken: true } },
      [],
    ])
  })

  test('the options of the caller decide which features the world of server -dev has', async () => {
    const options = '--options={"secrets":{"start":"furnished"}}'
    const started = await config(['server', '-dev', options])
    expect(started.options).toEqual({ secrets: { start: 'furnished', randomRootToken: true } })
  })

  test('flags without effect are warned about, ours count and win', async () => {
    const argv = ['agent', '-dev', '-serf-lan-port', '1', '--mesh-port=0', '--dialect=neutral']
    expect(await config(argv, { UNDERSTUDY_SEED: 'x' })).toMatchObject({
      ...vendorDefaults,
      meshPort: 0,
      dialect: 'neutral',
      seed: 'x',
      warnings: ['-serf-lan-port has no effect'],
    })
  })

  test('the variables count with their commands, and with --drop-in', async () => {
    const vault = {
      VAULT_DEV_ROOT_TOKEN_ID: 'toor',
      VAULT_DEV_LISTEN_ADDRESS: '127.0.0.1:8300',
    }
    const configured = {
      ...vendorDefaults,
      rootToken: 'toor',
      secretsPort: 8300,
      startLines: 'development',
      options: { secrets: { start: 'dev' } },
    }
    expect(await config(['server', '-dev'], vault)).toMatchObject(configured)
    expect(await config(['--drop-in'], vault)).toMatchObject(configured)
    expect(await config([], { ...vault, UNDERSTUDY_DROP_IN: '1' })).toMatchObject(configured)
    // Without `--drop-in`, the products' variables have no effect: a shell may have them for the
    // products.
    const without = await config([], vault)
    expect([without.dialect, without.rootToken, without.announcements]).toEqual([
      'neutral',
      'root',
      [],
    ])
    expect(parseDropIn(['--drop-in'], {})).toBeUndefined()
  })

  test('configurations define ports, ACLs and the first token', async () => {
    const consul = JSON.stringify({
      acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: 'boss-1' } },
      ports: { http: 8501 },
    })
    const nomad = 'acl {\n  enabled = true\n}\nports {\n  http = 4647\n}'
    const environment = { CONSUL_LOCAL_CONFIG: consul, NOMAD_LOCAL_CONFIG: nomad }
    const options = '--options={"mesh":{"edition":"community"}}'
    expect(await config(['agent', '-dev', options], environment)).toMatchObject({
      ...vendorDefaults,
      meshPort: 8501,
      schedulerPort: 4647,
      options: {
        mesh: {
          aclEnabled: true,
          initialManagementToken: 'boss-1',
          defaultPolicy: 'deny',
          edition: 'community',
        },
        scheduler: { aclEnabled: true, bootstrap: 'open' },
      },
    })
    const off = await config(['agent'], { CONSUL_LOCAL_CONFIG: '{"log_level": "debug"}' })
    expect(off.options).toEqual({})
  })

  test.each([
    [['-datacenter', 'Dc-2', '-node', 'n1'], {}],
    [['-datacenter=dc-2', '--node=n1'], {}],
    [['-hcl', 'datacenter = "dc-2"', '-hcl=node_name = "n1"'], {}],
    [[], { CONSUL_LOCAL_CONFIG: '{"datacenter": "dc-2", "node_name": "n1"}' }],
    [[], { CONSUL_LOCAL_CONFIG: 'datacenter = "dc-2"\nnode_name = "n1"' }],
  ])('agent %j with %j has its datacenter and node', async (argv, environment) => {
    const started = await config(['agent', '-dev', ...argv], environment)
    expect(started.options).toEqual({ mesh: { datacenter: 'dc-2', nodeName: 'n1' } })
    expect(started.warnings).toEqual([])
  })

  test('the node has the ID and metadata of the configuration, and the mesh its ID', async () => {
    const id = '0a1b2c3d-0000-4000-8000-00000000000F'
    const local = `{"node_meta": {"a": "0", "b": "2"}, "connect": {"ca_config": {"cluster_id": "c"}}}`
    const argv = ['-node-id', id, '-node-meta', 'a:1', '-node-meta=url:http://x']
    const started = await config(['agent', ...argv], { CONSUL_LOCAL_CONFIG: local })
    const mesh = { nodeId: id.toLowerCase(), nodeMeta: { a: '1', b: '2', url: 'http://x' } }
    expect(started.options).toEqual({ mesh: { ...mesh, clusterId: 'c' } })
    expect(started.warnings).toEqual([])
    await expect(config(['agent', '-node-id=x'])).rejects.toThrow(
      'failed to setup node ID: specified NodeID is invalid: uuid string is wrong length',
    )
  })

  test('services and checks of a configuration are fixtures, before those of the caller', async () => {
    const hcl = `
      service { id = "w1" name = "web" port = 80 tags = ["a"] enable_tag_override = true
        tagged_addresses { lan { address = "10.0.0.1" port = 81 } } weights { passing = 5 }
        check { id = "up" http = "http://a" interval = "10s" deregister_critical_service_after = "5m" } }
      service { name = "db" checks = [{ ttl = "1m" }, { args = ["true"], interval = "1s" }]
        connect { sidecar_service { port = 21001 } } meta { Any_Key = "kept" } }
      services = [{ name = "c" }]
      check { id = "ram" name = "RAM" ttl = "1m" service_id = "w1" }`
    const started = await config(['agent', '-dev', '-enable-script-checks', '-hcl', hcl], {
      UNDERSTUDY_FIXTURES: '{"mesh": {"services": [{"Name": "own"}]}}',
    })
    expect(started.options).toEqual({ mesh: { scriptChecks: true } })
    expect(started.warnings).toEqual([])
    expect(started.fixtures).toEqual({
      mesh: {
        services: [
          {
            ...{ ID: 'w1', Name: 'web', Port: 80, Tags: ['a'], EnableTagOverride: true },
            TaggedAddresses: { lan: { Address: '10.0.0.1', Port: 81 } },
            Weights: { Passing: 5 },
            Check: {
              ...{ CheckID: 'up', HTTP: 'http://a', Interval: '10s' },
              DeregisterCriticalServiceAfter: '5m',
            },
          },
          {
            ...{ Name: 'db', Meta: { Any_Key: 'kept' } },
            Checks: [{ TTL: '1m' }, { ScriptArgs: ['true'], Interval: '1s' }],
            Connect: { SidecarService: { Port: 21_001 } },
          },
          { Name: 'c' },
          { Name: 'own' },
        ],
        checks: [{ ID: 'ram', Name: 'RAM', TTL: '1m', ServiceID: 'w1' }],
      },
    })
    await expect(config(['agent', '-hcl', 'service { name = "a" bogus = 1 }'])).rejects.toThrow(
      /failed to parse -hcl: 1 error occurred:\s+\* invalid config key service.bogus/,
    )
  })

  test('files count in their order, then flags, then -hcl', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
    const first = join(folder, 'first')
    writeFileSync(first, 'datacenter = "first"\nnode_name = "first"\nacl { enabled = true }')
    mkdirSync(join(folder, 'd'))
    writeFileSync(join(folder, 'd', 'b.json'), '{"node_name": "b", "ports": {"http": 8555}}')
    writeFileSync(join(folder, 'd', 'a.hcl'), 'node_name = "a" service { name = "web" }')
    writeFileSync(join(folder, 'd', 'c.txt'), '?')
    const files = ['-config-file', first, '-config-dir', join(folder, 'd')]
    const started = await config(['agent', ...files])
    expect(started).toMatchObject({
      meshPort: 8555,
      options: {
        mesh: { datacenter: 'first', nodeName: 'b', aclEnabled: true, bootstrap: 'open' },
      },
      fixtures: { mesh: { services: [{ Name: 'web' }], checks: [] } },
      warnings: [],
    })
    const later = ['-hcl', 'acl { tokens { initial_management = "boss" } }', '-node', 'flag']
    const { options } = await config(['agent', ...files, ...later, '-hcl=datacenter="last"'])
    expect(options).toEqual({
      mesh: {
        datacenter: 'last',
        nodeName: 'flag',
        aclEnabled: true,
        initialManagementToken: 'boss',
      },
    })
    rmSync(folder, { recursive: true })
  })

  test.each([
    [
      ['-datacenter', 'a b'],
      'datacenter can only contain lowercase alphanumeric, - or _ characters. received: "a b"',
    ],
    [['-hcl', 'acl {'], 'failed to parse -hcl: At 1:7: object expected closing RBRACE got: EOF'],
    [['-config-file', '/nowhere/x.hcl'], 'cannot read /nowhere/x.hcl: '],
    [['-config-dir', '/nowhere/x'], 'cannot read /nowhere/x: '],
  ])('agent %j is refused: %s', async (argv, message) => {
    await expect(config(['agent', ...argv])).rejects.toThrow(message)
  })

  test('options with an invalid value are passed on unchanged, to be refused as always', async () => {
    const { options } = await config(['agent', '--options={"mesh": 1}'])
    expect(options).toEqual({ mesh: 1 })
  })
})
