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
      announcements: ['==> Vault server started! Log data will stream in below:'],
    })
  })

  test('agent -dev, of Consul and of Nomad', async () => {
    const started = await config(['agent', '-dev', '-client', '0.0.0.0', '-ui', '-http-port=8510'])
    expect(started).toMatchObject({ ...vendorDefaults, host: '0.0.0.0', meshPort: 8510 })
    expect(started.announcements).toContain('==> Consul agent running!')
    expect(started.announcements).toContain(
      '==> Nomad agent started! Log data will stream in below:',
    )
  })

  test('flags without effect are warned about, ours count and win', async () => {
    const argv = ['agent', '-dev', '-config-dir', '/etc', '--mesh-port=0', '--dialect=neutral']
    expect(await config(argv, { UNDERSTUDY_SEED: 'x' })).toMatchObject({
      ...vendorDefaults,
      meshPort: 0,
      dialect: 'neutral',
      seed: 'x',
      warnings: ['-config-dir has no effect'],
    })
  })

  test('the variables count with their commands, and with --drop-in', async () => {
    const vault = {
      VAULT_DEV_ROOT_TOKEN_ID: 'toor',
      VAULT_DEV_LISTEN_ADDRESS: '127.0.0.1:8300',
    }
    const configured = { ...vendorDefaults, rootToken: 'toor', secretsPort: 8300 }
    expect(await config(['server', '-dev'], vault)).toMatchObject(configured)
    expect(await config(['--drop-in'], vault)).toMatchObject(configured)
    expect(await config([], { ...vault, UNDERSTUDY_DROP_IN: '1' })).toMatchObject(configured)
    // A shell may have them for the products themselves.
    const without = await config([], vault)
    expect([without.dialect, without.rootToken, without.announcements]).toEqual([
      'neutral',
      'root',
      [],
    ])
    expect(parseDropIn(['--drop-in'], {})).toBeUndefined()
  })

  test('configurations tell ports, ACLs and their first token', async () => {
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

  test('options with an invalid value are passed on unchanged, to be refused as always', async () => {
    expect((await config(['server', '--options={"mesh": 1}'])).options).toEqual({ mesh: 1 })
  })
})
